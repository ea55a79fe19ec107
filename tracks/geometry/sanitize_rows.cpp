#include "tracks/geometry/sanitize_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/base/log.h"
#include "tracks/geometry/track_geometry.h"

namespace lapforge::tracks {
namespace {

struct Column {
  const char* name;
  const std::vector<Vec2>* points;
};

std::array<Column, 3> ColumnsOf(const TrackRows& rows) {
  return {{{"centre", &rows.center_m}, {"inner", &rows.inner_m}, {"outer", &rows.outer_m}}};
}

Result<void> CheckNumbers(const TrackRows& rows) {
  for (const auto& [column, points] : ColumnsOf(rows)) {
    for (size_t i = 0; i < points->size(); ++i) {
      for (const auto& [axis, value] : {std::pair("x", (*points)[i].x), {"y", (*points)[i].y}}) {
        if (std::abs(value) <= kMaxCoordinate_m) continue;
        return ErrorOf(rows.source, ": row ", i, ": ", column, " ", axis, " is ", value,
                       "; expected metres, at most ", kMaxCoordinate_m);
      }
    }
  }
  return {};
}

Result<void> CheckShape(const TrackRows& rows) {
  const size_t num_rows = rows.center_m.size();
  for (const auto& [column, points] : ColumnsOf(rows)) {
    if (points->size() != num_rows) {
      return ErrorOf(rows.source, ": ", num_rows, " centre points but ", points->size(), " ",
                     column, " points");
    }
  }
  if (num_rows < 2 || num_rows > Polyline::kMaxVertices) {
    return ErrorOf(rows.source, ": ", num_rows, " rows; a track has 2 .. ", Polyline::kMaxVertices);
  }
  return {};
}

bool IsSamePoint(Vec2 a, Vec2 b) { return Length(b - a) <= kSamePoint_m; }

void AppendRow(const TrackRows& from, size_t row, TrackRows& to) {
  to.center_m.push_back(from.center_m[row]);
  to.inner_m.push_back(from.inner_m[row]);
  to.outer_m.push_back(from.outer_m[row]);
}

void DropLastRow(TrackRows& rows) {
  rows.center_m.pop_back();
  rows.inner_m.pop_back();
  rows.outer_m.pop_back();
}

// Drops rows that repeat the centre of the row before. The closing row stays: before it, the
// repeated row goes instead.
TrackRows WithoutRepeats(const TrackRows& rows) {
  TrackRows kept{rows.name, {}, {}, {}, rows.description, rows.source};
  const size_t last = rows.center_m.size() - 1;
  const bool is_closed = IsClosed(rows);
  for (size_t i = 0; i <= last; ++i) {
    const bool is_repeat = i > 0 && IsSamePoint(kept.center_m.back(), rows.center_m[i]);
    const bool is_closing_row = is_closed && i == last;
    if (is_repeat && !is_closing_row) continue;
    if (is_repeat) DropLastRow(kept);
    AppendRow(rows, i, kept);
  }
  return kept;
}

// Puts neighbouring rows in order that were swapped: the line runs backwards between them and only
// there, and would run forwards everywhere with the two exchanged.
void MendSwappedRows(TrackRows& rows) {
  std::vector<Vec2>& points = rows.center_m;
  const auto runs_on = [](Vec2 a, Vec2 b, Vec2 c) { return Dot(b - a, c - b) > 0; };
  for (size_t i = 1; i + 2 < points.size(); ++i) {
    const Vec2 before = points[i - 1], a = points[i], b = points[i + 1], after = points[i + 2];
    if (runs_on(before, a, b) || runs_on(a, b, after)) continue;
    if (!runs_on(before, b, a) || !runs_on(b, a, after)) continue;
    for (std::vector<Vec2>* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
      std::swap((*column)[i], (*column)[i + 1]);
    }
    LogWarning(rows.source, ": rows ", i, " and ", i + 1, " were swapped; put in order");
  }
}

// How often a closed line turns, counter-clockwise positive; of a figure eight 0.
double NumTurns(const std::vector<Vec2>& ring) {
  double turn_rad = 0;
  for (size_t i = 0; i + 1 < ring.size(); ++i) {
    const Vec2 from = ring[i + 1] - ring[i];
    const Vec2 to = ring[i + 2 < ring.size() ? i + 2 : 1] - ring[i + 1];
    turn_rad += std::atan2(Cross(from, to), Dot(from, to));
  }
  return std::round(turn_rad / (2 * kPi));
}

Result<void> CheckBorders(const TrackRows& rows) {
  if (std::abs(TwiceSignedArea(rows.inner_m)) <= std::abs(TwiceSignedArea(rows.outer_m))) return {};
  if (NumTurns(rows.center_m) == 0) {
    return ErrorOf(rows.source, ": the centre line is a figure eight, where inside and outside ",
                   "change places; a track must not cross itself");
  }
  return ErrorOf(rows.source, ": the inner border encloses the outer one; ",
                 "exchange columns 2-3 (inner x, y) and 4-5 (outer x, y)");
}

Result<TrackRows> Sanitize(TrackRows rows) {
  LAPFORGE_CHECK_OK(CheckShape(rows));
  LAPFORGE_CHECK_OK(CheckNumbers(rows));
  rows = WithoutRepeats(rows);

  const bool is_closed = rows.center_m.size() > 1 && IsClosed(rows);
  const size_t num_places = rows.center_m.size() - (is_closed ? 1 : 0);
  if (num_places < (is_closed ? 3 : 2)) {
    return ErrorOf(rows.source, ": only ", num_places, " different centre points; ",
                   is_closed ? "a closed track has at least 3" : "a track has at least 2");
  }
  MendSwappedRows(rows);
  if (is_closed) LAPFORGE_CHECK_OK(CheckBorders(rows));
  return rows;
}

}  // namespace

Result<TrackRows> SanitizeRows(TrackRows rows) {
  const std::string file = rows.source;
  if (rows.source.empty()) rows.source = rows.name;
  Result<TrackRows> sanitized = Sanitize(std::move(rows));
  if (sanitized.ok() || file.empty()) return sanitized;
  return ErrorOf(sanitized.error().message, "; see 'lapforge track check ", file, "'");
}

}  // namespace lapforge::tracks
