#include "sim/base/strings.h"

#include <charconv>
#include <cmath>

namespace lapforge {
namespace {

// Plain digits where people write them, exponents beyond. The longest text is "-0.0001" with 17
// more digits or a 16-digit integer, far below the buffer.
template <class Float>
void AppendShortest(std::string& text, Float value) {
  const Float size = std::fabs(value);
  const bool is_plain = size == 0 || (size >= Float(1e-4) && size < Float(1e15));
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  char buffer[64];
  const Float unsigned_if_nan = std::isnan(value) ? size : value;
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), unsigned_if_nan, format);
  text.append(buffer, end);
}

template <class Integer>
void AppendInteger(std::string& text, Integer value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  text.append(buffer, end);
}

// from_chars knows no plus sign; people and other programs write one.
template <class Number>
std::optional<Number> ParseWhole(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const char* const text_end = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), text_end, value);
  if (error != std::errc() || end != text_end) return std::nullopt;
  return value;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

namespace detail {
void AppendDouble(std::string& text, double value) { AppendShortest(text, value); }
void AppendFloat(std::string& text, float value) { AppendShortest(text, value); }
void AppendSigned(std::string& text, int64_t value) { AppendInteger(text, value); }
void AppendUnsigned(std::string& text, uint64_t value) { AppendInteger(text, value); }
}  // namespace detail

std::string FormatFixed(double value, int digits) {
  // 309 digits before the point is the longest a double needs
  std::string text(320 + static_cast<size_t>(digits), '\0');
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                          std::chars_format::fixed, digits);
  text.resize(static_cast<size_t>(end - text.data()));
  return text;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (size_t end = text.find(separator); end != text.npos; end = text.find(separator)) {
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  pieces.push_back(text);
  return pieces;
}

std::string Join(std::span<const std::string> pieces, std::string_view separator) {
  std::string text;
  for (const std::string& piece : pieces) {
    if (&piece != pieces.data()) text += separator;
    text += piece;
  }
  return text;
}

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::optional<double> ParseDouble(std::string_view text) { return ParseWhole<double>(text); }
std::optional<int64_t> ParseInt64(std::string_view text) { return ParseWhole<int64_t>(text); }
std::optional<uint64_t> ParseUint64(std::string_view text) { return ParseWhole<uint64_t>(text); }

std::string QuoteText(std::string_view text) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

std::optional<std::string> UnquoteText(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return std::nullopt;
    if (text[i] != '\\') {
      plain += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    if (text[i] == 'n') {
      plain += '\n';
    } else if (text[i] == '"' || text[i] == '\\') {
      plain += text[i];
    } else if (text[i] == 'x' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
               HexDigit(text[i + 2]) >= 0) {
      plain += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return plain;
}

}  // namespace lapforge
