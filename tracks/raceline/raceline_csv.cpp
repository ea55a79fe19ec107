// TUM's raceline files.
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/strings.h"
#include "tracks/raceline.h"

namespace lapforge::tracks {
namespace {

constexpr std::string_view kHeader = "s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2";
constexpr int kDigits = 7;
constexpr size_t kNumColumns = 7;
constexpr size_t kMaxRows = 1'000'000;

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

Result<Row> ParseRow(std::string_view line, const std::string& where) {
  const char separator = line.find(';') != std::string_view::npos ? ';' : ',';
  const std::vector<std::string_view> cells = Split(line, separator);
  if (cells.size() != kNumColumns) {
    return ErrorOf(where, ": ", cells.size(), " numbers; expected ", kNumColumns, " (", kHeader,
                   ")");
  }
  Row row{};
  for (size_t k = 0; k < kNumColumns; ++k) {
    const std::optional<double> value = ParseDouble(Trim(cells[k]));
    if (!value || !std::isfinite(*value) || std::abs(*value) > 1e9) {
      return ErrorOf(where, ": ", QuoteText(Trim(cells[k])), " is not a number within 1e9");
    }
    row[k] = *value;
  }
  return row;
}

Result<RacelinePoint> PointFrom(const Row& row, const std::vector<RacelinePoint>& before,
                                const std::string& where) {
  RacelinePoint point;
  point.arc_length_m = row[0];
  point.position_m = {row[1], row[2]};
  point.yaw_rad = YawFromPsi(row[3]);
  point.curvature_1pm = row[4];
  point.speed_mps = row[5];
  point.accel_mps2 = row[6];
  if (point.speed_mps < 0) return ErrorOf(where, ": a negative speed, ", point.speed_mps);
  if (!before.empty() && point.arc_length_m <= before.back().arc_length_m) {
    return ErrorOf(where, ": s_m ", point.arc_length_m, " is not beyond that of the row before, ",
                   before.back().arc_length_m);
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
  Raceline line;
  int number = 0;
  for (const std::string_view raw : Split(text, '\n')) {
    ++number;
    const std::string_view content = Trim(raw);
    if (content.empty() || content.front() == '#') continue;
    const std::string where = StrCat(source, ":", number);
    if (line.points.size() == kMaxRows) return ErrorOf(where, ": more than ", kMaxRows, " rows");
    LAPFORGE_TRY(const Row row, ParseRow(content, where));
    LAPFORGE_TRY(const RacelinePoint point, PointFrom(row, line.points, where));
    const bool is_still =
        !line.points.empty() && line.points.back().speed_mps + point.speed_mps <= 0;
    if (is_still) return ErrorOf(where, ": the car stands still between two rows");
    line.points.push_back(point);
  }
  if (line.points.size() < 3) {
    return ErrorOf(source, ":", number, ": ", line.points.size(), " rows; expected 3 or more");
  }
  Complete(track, line);
  return line;
}

}  // namespace lapforge::tracks
