#include "tools/viewer/files/place.h"

#include <unistd.h>

#include "sim/base/file_io.h"
#include "sim/base/strings.h"

namespace lapforge::viewer {

namespace fs = std::filesystem;

fs::path TemporaryBeside(const fs::path& path) {
  return path.parent_path() / StrCat(kTemporaryPrefix, ::getpid(), "-", path.filename().string());
}

Result<void> CheckPlace(const fs::path& path, const std::string& kind,
                        const std::string& extension) {
  if (path.extension() != extension) {
    return ErrorOf(path, ": a ", kind, " of an unknown kind; expected a name that ends in ",
                   extension);
  }
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    return ErrorOf("cannot write '", path, "': there is something else than a file");
  }
  const fs::path temporary = TemporaryBeside(path);
  const Result<void> written = WriteFileAtomic(temporary, "");
  fs::remove(temporary, error);
  if (written.ok()) return {};
  const std::string& message = written.error().message;
  return ErrorOf("cannot write '", path, message.substr(message.rfind("': ")));
}

}  // namespace lapforge::viewer
