#include "tracks/io/file_kind.h"

#include "tracks/io/csv_table.h"
#include "tracks/io/map_image.h"
#include "tracks/io/map_info.h"
#include "tracks/io/npy.h"

namespace lapforge::tracks {

FileKind KindOf(std::string_view bytes, std::string_view file_name) {
  if (IsNpy(bytes)) return FileKind::kNpy;
  if (IsMapImage(bytes)) return FileKind::kImage;
  if (bytes.find('\0') != std::string_view::npos) return FileKind::kUnknown;
  if (IsCsv(bytes)) return FileKind::kCsv;
  if (IsMapInfo(bytes)) return FileKind::kMap;
  if (EndsWith(file_name, ".csv")) return FileKind::kCsv;
  if (EndsWith(file_name, ".yaml") || EndsWith(file_name, ".yml")) return FileKind::kMap;
  return FileKind::kTextproto;
}

}  // namespace lapforge::tracks
