// Text files line by line, and their words in messages.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/strings.h"

namespace lapforge::tracks {

// Gives the lines of a text, without white space at their ends and without a byte order mark.
// Borrows the text.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {
    if (StartsWith(rest_, "\xef\xbb\xbf")) rest_.remove_prefix(3);
  }

  // The next line; nothing behind the last.
  std::optional<std::string_view> Next() {
    if (rest_.empty()) return std::nullopt;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return Trim(line);
  }

  // Of the line given last, from 1.
  int number() const { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

// Text from a file, made fit for one line of a terminal.
inline std::string Printable(std::string_view text) {
  constexpr size_t kMaxSize = 200;
  std::string printable(text.substr(0, kMaxSize));
  if (text.size() > kMaxSize) printable += "...";
  std::replace_if(
      printable.begin(), printable.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return printable;
}

}  // namespace lapforge::tracks
