#include "tools/viewer/files/place.h"

#include "sim/base/file_io.h"

namespace lapforge::viewer {

Result<void> CheckPlace(const std::filesystem::path& path, const std::string& kind,
                        const std::string& extension) {
  if (path.extension() == extension) return CheckWritable(path);
  return ErrorOf(path, ": a ", kind, " of an unknown kind; expected a name that ends in ",
                 extension);
}

}  // namespace lapforge::viewer
