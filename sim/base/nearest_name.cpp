// Finds the name a person meant, see strings.h.
#include <algorithm>

#include "sim/base/strings.h"

namespace lapforge {
namespace {

std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

std::string Initials(std::string_view name) {
  std::string initials;
  for (const std::string_view word : Split(LastPart(name), '_')) {
    if (!word.empty()) initials += word[0];
  }
  return initials;
}

// Edits (insert, delete, replace, swap neighbours) from a to b; the restricted form, where no part
// is edited twice. O(|a| |b|) time.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row_before_last, last_row, row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row_before_last = std::move(last_row);
    last_row = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last_row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last_row[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], row_before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

template <class Predicate>
std::optional<std::string> OnlyName(std::span<const std::string> names, Predicate is_hit) {
  const auto hit = std::find_if(names.begin(), names.end(), is_hit);
  if (hit == names.end() || std::any_of(hit + 1, names.end(), is_hit)) return std::nullopt;
  return *hit;
}

std::optional<std::string> ClosestSpelling(std::string_view wanted,
                                           std::span<const std::string> names) {
  // one slip in three letters; more is another word
  const size_t max_distance = (wanted.size() + 1) / 3;
  std::optional<std::string> closest;
  size_t smallest = max_distance + 1;
  for (const std::string& name : names) {
    const size_t distance =
        std::min(EditDistance(wanted, name), EditDistance(wanted, LastPart(name)));
    if (distance >= smallest) continue;
    smallest = distance;
    closest = name;
  }
  return closest;
}

}  // namespace

std::optional<std::string> NearestName(std::string_view wanted,
                                       std::span<const std::string> names) {
  constexpr size_t kLongestName = 200;  // bounds the quadratic search on hostile input
  if (wanted.empty() || wanted.size() > kLongestName) return std::nullopt;

  // same name in another group, then a slip of the fingers, then something left out
  const auto ends_with_part = [&](const std::string& name) {
    return name == wanted || name.ends_with(StrCat(".", wanted));
  };
  if (auto name = OnlyName(names, ends_with_part)) return name;
  if (auto name = ClosestSpelling(wanted, names)) return name;
  const auto is_end = [&](const std::string& name) {
    return wanted.size() > 1 && (name.starts_with(wanted) || name.ends_with(wanted));
  };
  if (auto name = OnlyName(names, is_end)) return name;
  const auto has_initials = [&](const std::string& name) {
    const std::string_view group = std::string_view(name).substr(0, name.rfind('.') + 1);
    return wanted == Initials(name) || wanted == StrCat(group, Initials(name));
  };
  return OnlyName(names, has_initials);
}

std::string DidYouMean(std::string_view wanted, std::span<const std::string> names) {
  const std::optional<std::string> name = NearestName(wanted, names);
  return name ? StrCat(" (did you mean '", *name, "'?)") : "";
}

}  // namespace lapforge
