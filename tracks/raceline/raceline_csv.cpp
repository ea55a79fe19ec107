// TUM's raceline files.
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/strings.h"
#include "tracks/io/csv_table.h"
#include "tracks/raceline.h"

namespace lapforge::tracks {
namespace {

constexpr std::string_view kHeader = "s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2";
constexpr int kDigits = 7;
constexpr size_t kNumColumns = 7;

using Row = std::array<double, kNumColumns>;

// psi is counted from north.
double PsiFromYaw(double yaw_rad) { return WrapAngle(yaw_rad - 0.5 * kPi); }
double YawFromPsi(double psi_rad) { return WrapAngle(psi_rad + 0.5 * kPi); }

void AppendRow(const RacelinePoint& point, double arc_length_m, std::string& text) {
  const Row row = {
      arc_length_m,        point.position_m.x, point.position_m.y, PsiFromYaw(point.yaw_rad),
      point.curvature_1pm, point.speed_mps,    point.accel_mps2};
  for (size_t k = 0; k < kNumColumns; ++k) {
    if (k > 0) text += "; ";
    text += FormatFixed(row[k], kDigits);
  }
  text += '\n';
}

Result<RacelinePoint> PointFrom(const CsvTable& table, size_t row, const std::string& where) {
  RacelinePoint point;
  point.arc_length_m = table.at(row, 0);
  point.position_m = {table.at(row, 1), table.at(row, 2)};
  point.yaw_rad = YawFromPsi(table.at(row, 3));
  point.curvature_1pm = table.at(row, 4);
  point.speed_mps = table.at(row, 5);
  point.accel_mps2 = table.at(row, 6);
  if (point.speed_mps < 0) return ErrorOf(where, "a negative speed, ", point.speed_mps);
  if (row == 0) return point;
  if (point.arc_length_m <= table.at(row - 1, 0)) {
    return ErrorOf(where, "s_m ", point.arc_length_m, " is not beyond that of the row before, ",
                   table.at(row - 1, 0));
  }
  if (point.speed_mps + table.at(row - 1, 5) <= 0) {
    return ErrorOf(where, "the car stands still between two rows");
  }
  return point;
}

// Sets what the rows do not say: whether the line is closed, its time, its place on the track.
void Complete(const Track& track, Raceline& line) {
  const RacelinePoint first = line.points.front(), last = line.points.back();
  constexpr double kSame_m = 1e-6;  // ten units of the last digit
  line.is_closed = Length(last.position_m - first.position_m) <= kSame_m;
  for (RacelinePoint& point : line.points) point.arc_length_m -= first.arc_length_m;
  line.length_m = line.points.back().arc_length_m;
  int segment = 0;
  for (size_t i = 0; i < line.points.size(); ++i) {
    RacelinePoint& point = line.points[i];
    const TrackPosition position =
        i == 0 ? track.Project(point.position_m) : track.ProjectNear(point.position_m, segment);
    segment = position.segment_index;
    point.track_arc_length_m = position.arc_length_m;
    point.lateral_offset_m = position.lateral_offset_m;
    if (i == 0) continue;
    const RacelinePoint& before = line.points[i - 1];
    const double sum_mps = before.speed_mps + point.speed_mps;
    line.lap_time_s += 2 * (point.arc_length_m - before.arc_length_m) / sum_mps;
  }
  if (line.is_closed) line.points.pop_back();
}

}  // namespace

std::string RacelineToCsv(const Raceline& raceline, std::string_view name) {
  std::string title(name);
  std::replace_if(
      title.begin(), title.end(), [](unsigned char c) { return c < ' '; }, ' ');
  std::string text = StrCat("# ", title, "\n# lap time ", FormatFixed(raceline.lap_time_s, 3),
                            " s\n# ", kHeader, "\n");
  for (const RacelinePoint& point : raceline.points) AppendRow(point, point.arc_length_m, text);
  if (raceline.is_closed) AppendRow(raceline.points.front(), raceline.length_m, text);
  return text;
}

Result<Raceline> ParseRacelineCsv(const Track& track, std::string_view text,
                                  const std::string& source) {
  LAPFORGE_TRY(const CsvTable table, ParseCsv(text, source));
  const auto where = [&](size_t row) { return StrCat(source, ":", table.lines[row], ": "); };
  if (table.num_rows() < 3) {
    return ErrorOf(source, ": ", table.num_rows(), " rows; expected 3 or more");
  }
  if (table.num_columns != kNumColumns) {
    return ErrorOf(where(0), table.num_columns, " columns; expected ", kNumColumns, ": ", kHeader);
  }
  Raceline line;
  for (size_t row = 0; row < table.num_rows(); ++row) {
    LAPFORGE_TRY(const RacelinePoint point, PointFrom(table, row, where(row)));
    line.points.push_back(point);
  }
  Complete(track, line);
  return line;
}

}  // namespace lapforge::tracks
