// The keys of the params that a user's reward_function gets: one table for the program and its
// documentation.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lapforge::reward {

struct RewardKey {
  const char* name;
  const char* type;  // as Python sees it
  const char* unit;  // "" where there is none
  const char* meaning;
  bool is_extra;  // not DeepRacer's: given to files that name at least one extra key
};

/// DeepRacer's 27 keys in their order, then the extra ones.
std::span<const RewardKey> RewardKeys();

/// True where a file's source names an extra key, in quotes: then its params have all of them.
/// Files that do not pay nothing for them.
bool NamesExtraKey(std::string_view source);

/// The table as Markdown, with a heading row.
std::string RewardKeysMarkdown();

}  // namespace lapforge::reward
