// How options structs describe themselves. A struct is plain, with its defaults on the fields; a
// free function beside it lists each field once:
//
//   void VisitFields(PpoOptions& options, FieldVisitor& visitor) {
//     visitor.Double("learning_rate", options.learning_rate, {1e-8, 1});
//     visitor.Int("num_epochs", options.num_epochs, {1, 100});
//     visitor.Enum("schedule", options.schedule, kScheduleNames);
//     visitor.Group("net", options.net);  // a struct with its own VisitFields
//   }
//
// Setting by path, checking, listing and printing all follow from that one list. Paths join names
// with dots: "ppo.net.hidden_sizes".
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/base/result.h"

namespace lapforge {

/// Allowed finite numbers, both ends included. NaN and infinity are never allowed.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// Allowed whole numbers, both ends included.
struct IntRange {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
};

/// Sees each field of an options struct in order; derived classes read or write them. Names must
/// outlive the visit.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;

  void Double(std::string_view name, double& value, Range range = {}) {
    OnDouble(name, value, range);
  }
  void Int(std::string_view name, int64_t& value, IntRange range = {}) {
    OnInt(name, value, range);
  }
  /// An int; its range is cut to what an int holds.
  void Int(std::string_view name, int& value, IntRange range = {});
  /// Any 64-bit number: seeds.
  void Uint64(std::string_view name, uint64_t& value) { OnUint64(name, value); }
  void Bool(std::string_view name, bool& value) { OnBool(name, value); }
  void String(std::string_view name, std::string& value) { OnString(name, value); }
  /// The range holds for each element.
  void DoubleList(std::string_view name, std::vector<double>& values, Range range = {}) {
    OnDoubleList(name, values, range);
  }
  void IntList(std::string_view name, std::vector<int64_t>& values, IntRange range = {}) {
    OnIntList(name, values, range);
  }
  void StringList(std::string_view name, std::vector<std::string>& values) {
    OnStringList(name, values);
  }
  /// An enum class with enumerators 0, 1, ...; names[i] is the word for enumerator i.
  template <class E>
  void Enum(std::string_view name, E& value, std::span<const std::string_view> names) {
    static_assert(std::is_enum_v<E>);
    int index = static_cast<int>(value);
    OnEnum(name, index, names);
    value = static_cast<E>(index);
  }
  /// A nested options struct.
  template <class Options>
  void Group(std::string_view name, Options& options) {
    OnBegin(name);
    VisitFields(options, *this);
    OnEnd();
  }

 protected:
  virtual void OnDouble(std::string_view name, double& value, Range range) = 0;
  virtual void OnInt(std::string_view name, int64_t& value, IntRange range) = 0;
  virtual void OnUint64(std::string_view name, uint64_t& value) = 0;
  virtual void OnBool(std::string_view name, bool& value) = 0;
  virtual void OnString(std::string_view name, std::string& value) = 0;
  virtual void OnDoubleList(std::string_view name, std::vector<double>& values, Range range) = 0;
  virtual void OnIntList(std::string_view name, std::vector<int64_t>& values, IntRange range) = 0;
  virtual void OnStringList(std::string_view name, std::vector<std::string>& values) = 0;
  virtual void OnEnum(std::string_view name, int& index,
                      std::span<const std::string_view> names) = 0;
  virtual void OnBegin(std::string_view group) = 0;
  virtual void OnEnd() = 0;
};

namespace detail {
/// Shows a visitor to some options struct.
using VisitFunction = std::function<void(FieldVisitor&)>;

Result<void> SetOption(const VisitFunction& visit, std::string_view path, std::string_view text);
Result<void> ValidateOptions(const VisitFunction& visit);
std::vector<std::string> OptionPaths(const VisitFunction& visit);
std::string OptionsToText(const VisitFunction& visit);
}  // namespace detail

/// Sets the field at `path` from `text`, written as OptionsToText prints it: 3e-4, true, an enum's
/// word, [1, 2, 3], ["a", "b"]. A text field takes any text as it is, unless it begins with a
/// double quote: then it is unquoted. An unknown path names the nearest one; a bad value names
/// path, text, expected kind and range. After an error nothing has changed.
template <class Options>
Result<void> SetOption(Options& options, std::string_view path, std::string_view text) {
  return detail::SetOption([&](FieldVisitor& visitor) { VisitFields(options, visitor); }, path,
                           text);
}

/// Checks every field against its range; the error names the first field that fails.
template <class Options>
Result<void> ValidateOptions(Options options) {
  return detail::ValidateOptions([&](FieldVisitor& visitor) { VisitFields(options, visitor); });
}

/// The paths of all fields, in the order of the list.
template <class Options>
std::vector<std::string> OptionPaths(Options options) {
  return detail::OptionPaths([&](FieldVisitor& visitor) { VisitFields(options, visitor); });
}

/// All fields in protobuf's text format, one a line; numbers read back to the same bits.
template <class Options>
std::string OptionsToText(Options options) {
  return detail::OptionsToText([&](FieldVisitor& visitor) { VisitFields(options, visitor); });
}

}  // namespace lapforge
