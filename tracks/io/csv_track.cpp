#include "tracks/io/csv_track.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sim/base/log.h"
#include "tracks/design/border_check.h"
#include "tracks/design/point_rows.h"
#include "tracks/geometry/closing.h"
#include "tracks/io/text_lines.h"

namespace lapforge::tracks {
namespace {

constexpr double kMaxWidth_m = 200;

// Another name of a column, as some programs write it.
struct Alias {
  std::string_view other;
  std::string_view name;
};
constexpr Alias kAliases[] = {
    {"x", "x_m"},
    {"y", "y_m"},
    {"w_tr_right", "w_tr_right_m"},
    {"w_tr_left", "w_tr_left_m"},
    {"center_x", "x_m"},
    {"center_y", "y_m"},
    {"center_x_m", "x_m"},
    {"center_y_m", "y_m"},
    {"inner_x_m", "inner_x"},
    {"inner_y_m", "inner_y"},
    {"outer_x_m", "outer_x"},
    {"outer_y_m", "outer_y"},
};

constexpr std::array<std::string_view, 4> kBorderNames = {"inner_x", "inner_y", "outer_x",
                                                          "outer_y"};
constexpr std::array<std::string_view, 2> kWidthNames = {"w_tr_right_m", "w_tr_left_m"};
constexpr std::string_view kExpected =
    "x_m, y_m, w_tr_right_m, w_tr_left_m (or center_x, center_y, inner_x, inner_y, outer_x, "
    "outer_y)";

std::vector<std::string> NamesByNumber(size_t num_columns) {
  switch (num_columns) {
    case 2:
      return {"x_m", "y_m"};
    case 4:
      return {"x_m", "y_m", "w_tr_right_m", "w_tr_left_m"};
    case 6:
      return {"x_m", "y_m", "inner_x", "inner_y", "outer_x", "outer_y"};
    case 7:
      return {"s_m", "x_m", "y_m", "psi_rad", "kappa_radpm", "vx_mps", "ax_mps2"};
    default:
      return {};
  }
}

// A table whose columns have the names above.
class NamedTable {
 public:
  static Result<NamedTable> Of(const CsvTable& table, const std::string& source) {
    std::vector<std::string> names = table.names;
    if (names.empty()) names = NamesByNumber(table.num_columns);
    if (names.empty()) {
      return ErrorOf(source, ":", table.lines[0], ": ", table.num_columns,
                     " columns without names; expected ", kExpected);
    }
    for (std::string& name : names) {
      for (const Alias& alias : kAliases) {
        if (name == alias.other) name = alias.name;
      }
    }
    return NamedTable(table, std::move(names), source);
  }

  bool Has(std::string_view name) const { return Find(name).has_value(); }

  template <size_t kCount>
  bool HasAny(const std::array<std::string_view, kCount>& wanted) const {
    return std::any_of(wanted.begin(), wanted.end(), [this](auto name) { return Has(name); });
  }

  // Refuses a table that lacks one of the columns.
  template <size_t kCount>
  Result<void> Require(const std::array<std::string_view, kCount>& wanted) const {
    for (const std::string_view name : wanted) {
      if (Has(name)) continue;
      return ErrorOf(source_, ":", table_.names_line, ": no column ", name,
                     DidYouMean(name, names_), "; expected ", kExpected);
    }
    return {};
  }

  // Of a column that is there.
  double at(size_t row, std::string_view name) const { return table_.at(row, *Find(name)); }
  Vec2 point_m(size_t row, std::string_view x, std::string_view y) const {
    return {at(row, x), at(row, y)};
  }
  int line(size_t row) const { return table_.lines[row]; }
  size_t num_rows() const { return table_.num_rows(); }
  const std::string& source() const { return source_; }

 private:
  NamedTable(const CsvTable& table, std::vector<std::string> names, std::string source)
      : table_(table), names_(std::move(names)), source_(std::move(source)) {}

  std::optional<size_t> Find(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return std::nullopt;
    return found - names_.begin();
  }

  const CsvTable& table_;
  std::vector<std::string> names_;
  std::string source_;
};

// Closes what is a ring but for its last row.
void Close(Ends ends, TrackRows& rows) {
  for (auto* column : {&rows.center_m, &rows.inner_m, &rows.outer_m}) {
    if (ends == Ends::kFollow) column->push_back(column->front());
  }
  CloseRepeatedRow(rows);
}

TrackRows RowsWithBorders(const NamedTable& table) {
  TrackRows rows;
  for (size_t i = 0; i < table.num_rows(); ++i) {
    rows.center_m.push_back(table.point_m(i, "x_m", "y_m"));
    rows.inner_m.push_back(table.point_m(i, "inner_x", "inner_y"));
    rows.outer_m.push_back(table.point_m(i, "outer_x", "outer_y"));
  }
  Close(EndsOf(rows.center_m), rows);
  return rows;
}

// The points of a line and its half-widths, without repeated points.
Result<TrackDesign> DesignOfLine(const NamedTable& table, double width_m) {
  const bool has_widths = table.Has(kWidthNames[0]);
  TrackDesign design;
  std::vector<Vec2> centers_m;
  for (size_t i = 0; i < table.num_rows(); ++i) {
    DesignPoint point;
    point.center_m = table.point_m(i, "x_m", "y_m");
    point.right_m = has_widths ? table.at(i, kWidthNames[0]) : width_m / 2;
    point.left_m = has_widths ? table.at(i, kWidthNames[1]) : width_m / 2;
    point.line = table.line(i);
    for (const double half_width_m : {point.left_m, point.right_m}) {
      if (half_width_m >= 0 && half_width_m <= kMaxWidth_m) continue;
      return ErrorOf(table.source(), ":", point.line, ": a width of ", half_width_m,
                     "; expected 0 .. ", kMaxWidth_m, " metres");
    }
    constexpr double kSamePoint_m = 1e-9;
    if (i > 0 && Length(point.center_m - centers_m.back()) <= kSamePoint_m) continue;
    centers_m.push_back(point.center_m);
    design.points.push_back(point);
  }
  const Ends ends = EndsOf(centers_m);
  design.is_open = ends == Ends::kApart;
  return design;
}

Result<TrackRows> RowsOfLine(const NamedTable& table, double width_m) {
  LAPFORGE_TRY(const TrackDesign design, DesignOfLine(table, width_m));
  const Result<std::vector<Waypoint>> waypoints = WaypointsOf(design);
  if (!waypoints.ok()) return ErrorOf(table.source(), ":", waypoints.error().message);
  const TrackRows rows = RowsOf(*waypoints, design);
  if (const std::optional<Vec2> place = FindBorderCrossing(rows, !design.is_open)) {
    LogWarning(table.source(), ": the borders cross near x = ", FormatFixed(place->x, 2),
               ", y = ", FormatFixed(place->y, 2));
  }
  return rows;
}

Result<TrackRows> RowsOfTable(const NamedTable& table, double width_m) {
  LAPFORGE_CHECK_OK(table.Require(std::array<std::string_view, 2>{"x_m", "y_m"}));
  const bool has_borders = table.HasAny(kBorderNames);
  if (has_borders || table.HasAny(kWidthNames)) {
    LAPFORGE_CHECK_OK(has_borders ? table.Require(kBorderNames) : table.Require(kWidthNames));
    if (width_m > 0)
      LogWarning(table.source(), " has widths of its own; the given one is not used");
    return has_borders ? RowsWithBorders(table) : RowsOfLine(table, width_m);
  }
  if (width_m > 0) return RowsOfLine(table, width_m);
  return ErrorOf(table.source(), ":", table.line(0),
                 ": a line without widths; give the road's width (--width METRES), or columns ",
                 kExpected);
}

// How far a border is from a row along a direction; `own_m`, the row's own border point, chooses
// between several places.
double WidthAlong(Vec2 center_m, Vec2 direction, Vec2 own_m, const std::vector<Vec2>& border_m) {
  constexpr double kRounding = 1e-9;
  const double own_width_m = Dot(own_m - center_m, direction);
  double best_m = std::max(own_width_m, 0.0);
  double best_difference_m = Length(own_m - center_m);  // farther off, the border is another one
  for (size_t i = 0; i + 1 < border_m.size(); ++i) {
    const Vec2 edge = border_m[i + 1] - border_m[i];
    const double slope = Cross(direction, edge);
    const Vec2 to_edge = border_m[i] - center_m;
    const double share = Cross(to_edge, direction) / slope;
    const double width_m = Cross(to_edge, edge) / slope;
    const bool hits = share >= -kRounding && share <= 1 + kRounding && width_m >= 0;
    if (!hits || !(std::abs(width_m - own_width_m) < best_difference_m)) continue;
    best_m = width_m;
    best_difference_m = std::abs(width_m - own_width_m);
  }
  return best_m;
}

}  // namespace

Result<TrackRows> RowsFromCsv(const CsvTable& table, double width_m, const std::string& source) {
  LAPFORGE_TRY(const NamedTable named, NamedTable::Of(table, source));
  LAPFORGE_TRY(TrackRows rows, RowsOfTable(named, width_m));
  rows.source = source;
  return rows;
}

std::string CsvFromTrack(const Track& track) {
  std::vector<Vec2> left_m, right_m;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    left_m.push_back(track.waypoint(i).left_m);
    right_m.push_back(track.waypoint(i).right_m);
  }
  std::string text = "# x_m,y_m,w_tr_right_m,w_tr_left_m\n";
  const int num_rows = track.is_closed() ? track.num_segments() : track.num_waypoints();
  for (int i = 0; i < num_rows; ++i) {
    const bool is_first = i == 0, is_last = i + 1 == num_rows;
    const int before = is_first ? (track.is_closed() ? num_rows - 1 : 0) : i - 1;
    const int after = is_last ? (track.is_closed() ? 0 : i) : i + 1;
    const Waypoint row = track.waypoint(i);
    const Vec2 along = track.waypoint(after).center_m - track.waypoint(before).center_m;
    const double length_m = Length(along);
    const Vec2 left = length_m > 0 ? LeftNormal(along / length_m) : Vec2{0, 1};
    text += StrCat(row.center_m.x, ",", row.center_m.y, ",",
                   WidthAlong(row.center_m, -left, row.right_m, right_m), ",",
                   WidthAlong(row.center_m, left, row.left_m, left_m), "\n");
  }
  return text;
}

}  // namespace lapforge::tracks
