#include "tracks/check/examined_rows.h"

#include <algorithm>

#include "sim/base/strings.h"

namespace lapforge::tracks {
namespace {

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<double> ExaminedRows::ArcLengths() const {
  std::vector<double> arc_m = {0};
  for (int i = 0; i < size(); ++i) {
    arc_m.push_back(arc_m.back() + (i < num_segments() ? Length(Step(i)) : 0));
  }
  return arc_m;
}

double ExaminedRows::MedianWidth() const {
  std::vector<double> widths_m;
  for (int i = 0; i < size(); ++i) widths_m.push_back(Width(i));
  return MedianOf(std::move(widths_m));
}

double ExaminedRows::MedianSpacing() const {
  std::vector<double> spacings_m;
  for (int i = 0; i < num_segments(); ++i) spacings_m.push_back(Length(Step(i)));
  return MedianOf(std::move(spacings_m));
}

double ExaminedRows::LongestSpacing() const {
  double longest_m = 0;
  for (int i = 0; i < num_segments(); ++i) longest_m = std::max(longest_m, Length(Step(i)));
  return longest_m;
}

void ExaminedRows::Append(const ExaminedRows& from, int i) {
  center_m.push_back(from.center_m[i]);
  inner_m.push_back(from.inner_m[i]);
  outer_m.push_back(from.outer_m[i]);
  row.push_back(from.row[i]);
}

void ExaminedRows::Drop(const std::vector<bool>& is_dropped) {
  ExaminedRows kept;
  kept.is_closed = is_closed;
  for (int i = 0; i < size(); ++i) {
    if (!is_dropped[i]) kept.Append(*this, i);
  }
  *this = std::move(kept);
}

TrackRows ToTrackRows(const ExaminedRows& rows, const TrackRows& like) {
  TrackRows result{like.name,    rows.center_m,    rows.inner_m,
                   rows.outer_m, like.description, like.source};
  if (!rows.is_closed || rows.size() == 0) return result;
  for (auto* column : {&result.center_m, &result.inner_m, &result.outer_m}) {
    column->push_back(column->front());
  }
  return result;
}

std::string NameOf(RowRange rows) {
  if (rows.first == rows.last) return StrCat("row ", rows.first);
  return StrCat("rows ", rows.first, rows.last == rows.first + 1 ? " and " : " to ", rows.last);
}

std::vector<IndexRun> RunsOf(const std::vector<bool>& is_marked, bool is_closed) {
  const int size = static_cast<int>(is_marked.size());
  std::vector<IndexRun> runs;
  for (int i = 0; i < size; ++i) {
    if (!is_marked[i]) continue;
    if (!runs.empty() && runs.back().last == i - 1) {
      runs.back().last = i;
    } else {
      runs.push_back({i, i});
    }
  }
  const bool goes_over_end =
      is_closed && runs.size() > 1 && runs.front().first == 0 && runs.back().last == size - 1;
  if (!goes_over_end) return runs;
  runs.front().first = runs.back().first;
  runs.pop_back();
  return runs;
}

TrackFinding& FindingList::Add(FindingKind kind, FindingSeverity severity, const ExaminedRows& rows,
                               IndexRun at) {
  TrackFinding& finding = Add(kind, severity);
  finding.rows = rows.RangeOf(at.first, at.last);
  finding.place_m = rows.center(at.first);
  finding.arc_length_m = rows.ArcLengths()[rows.Wrap(at.first)];
  return finding;
}

TrackFinding& FindingList::Add(FindingKind kind, FindingSeverity severity) {
  TrackFinding& finding = all_.emplace_back();
  finding.kind = kind;
  finding.severity = severity;
  return finding;
}

bool FindingList::Has(FindingKind kind) const {
  return std::any_of(all_.begin(), all_.end(),
                     [&](const TrackFinding& finding) { return finding.kind == kind; });
}

bool FindingList::HasErrors() const { return WorstOf(all_) == FindingSeverity::kError; }

}  // namespace lapforge::tracks
