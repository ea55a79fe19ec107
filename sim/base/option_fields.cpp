#include "sim/base/option_fields.h"

#include <algorithm>
#include <limits>

#include "sim/base/options/path_visitor.h"
#include "sim/base/options/value_text.h"

namespace lapforge {
namespace {

// Writes the one field whose path is wanted, and collects all paths for the error.
class SetVisitor : public PathVisitor {
 public:
  SetVisitor(std::string_view wanted, std::string_view text) : wanted_(wanted), text_(text) {}

  Result<void> Outcome() const {
    if (is_found_) return outcome_;
    const std::string group = StrCat(wanted_, ".");
    for (const std::string& path : paths_) {
      if (!StartsWith(path, group)) continue;
      return ErrorOf(wanted_, " is a group of options; set one of them, such as ", path);
    }
    return ErrorOf("unknown option '", wanted_, "'", DidYouMean(wanted_, paths_));
  }

 protected:
  void OnDouble(std::string_view name, double& value, Range range) override {
    if (IsWanted(name)) Store(value, ParseValue(wanted_, text_, range));
  }
  void OnInt(std::string_view name, int64_t& value, IntRange range) override {
    if (IsWanted(name)) Store(value, ParseValue(wanted_, text_, range));
  }
  void OnUint64(std::string_view name, uint64_t& value) override {
    if (IsWanted(name)) Store(value, ParseUint64Value(wanted_, text_));
  }
  void OnBool(std::string_view name, bool& value) override {
    if (IsWanted(name)) Store(value, ParseBoolValue(wanted_, text_));
  }
  void OnString(std::string_view name, std::string& value) override {
    if (IsWanted(name)) Store(value, ParseStringValue(wanted_, text_));
  }
  void OnEnum(std::string_view name, int& index, std::span<const std::string_view> names) override {
    if (IsWanted(name)) Store(index, ParseEnumValue(wanted_, text_, names));
  }
  void OnDoubleList(std::string_view name, std::vector<double>& values, Range range) override {
    if (!IsWanted(name)) return;
    StoreList(values, [&](const std::string& path, std::string_view text) {
      return ParseValue(path, text, range);
    });
  }
  void OnIntList(std::string_view name, std::vector<int64_t>& values, IntRange range) override {
    if (!IsWanted(name)) return;
    StoreList(values, [&](const std::string& path, std::string_view text) {
      return ParseValue(path, text, range);
    });
  }
  void OnStringList(std::string_view name, std::vector<std::string>& values) override {
    if (IsWanted(name)) StoreList(values, ParseStringValue);
  }

 private:
  bool IsWanted(std::string_view name) {
    paths_.push_back(PathOf(name));
    const bool is_wanted = paths_.back() == wanted_;
    LAPFORGE_ASSERT(!(is_wanted && is_found_), StrCat("two options have the path ", wanted_));
    is_found_ |= is_wanted;
    return is_wanted;
  }

  template <class T>
  void Store(T& value, Result<T> parsed) {
    if (parsed.ok()) {
      value = std::move(parsed).value();
    } else {
      outcome_ = parsed.error();
    }
  }

  template <class T, class Parse>
  void StoreList(std::vector<T>& values, Parse parse) {
    Store(values, ParseList<T>(parse));
  }

  template <class T, class Parse>
  Result<std::vector<T>> ParseList(Parse parse) {
    LAPFORGE_TRY(const std::vector<std::string> texts, SplitList(wanted_, text_));
    std::vector<T> values;
    for (size_t i = 0; i < texts.size(); ++i) {
      LAPFORGE_TRY(T value, parse(ElementPath(wanted_, i), texts[i]));
      values.push_back(std::move(value));
    }
    return values;
  }

  std::string_view wanted_;
  std::string_view text_;
  std::vector<std::string> paths_;
  bool is_found_ = false;
  Result<void> outcome_;
};

// Keeps the first complaint.
class ValidateVisitor : public PathVisitor {
 public:
  const Result<void>& outcome() const { return outcome_; }

 protected:
  void OnDouble(std::string_view name, double& value, Range range) override {
    Keep(CheckValue(PathOf(name), value, range));
  }
  void OnInt(std::string_view name, int64_t& value, IntRange range) override {
    Keep(CheckValue(PathOf(name), value, range));
  }
  void OnDoubleList(std::string_view name, std::vector<double>& values, Range range) override {
    for (size_t i = 0; i < values.size(); ++i) {
      Keep(CheckValue(ElementPath(PathOf(name), i), values[i], range));
    }
  }
  void OnIntList(std::string_view name, std::vector<int64_t>& values, IntRange range) override {
    for (size_t i = 0; i < values.size(); ++i) {
      Keep(CheckValue(ElementPath(PathOf(name), i), values[i], range));
    }
  }
  void OnEnum(std::string_view name, int& index, std::span<const std::string_view> names) override {
    const IntRange range{0, static_cast<int64_t>(names.size()) - 1};
    Keep(CheckValue(PathOf(name), int64_t{index}, range));
  }
  void OnUint64(std::string_view, uint64_t&) override {}
  void OnBool(std::string_view, bool&) override {}
  void OnString(std::string_view, std::string&) override {}
  void OnStringList(std::string_view, std::vector<std::string>&) override {}

 private:
  void Keep(Result<void> checked) {
    if (outcome_.ok()) outcome_ = std::move(checked);
  }

  Result<void> outcome_;
};

class ListVisitor : public PathVisitor {
 public:
  std::vector<std::string> TakePaths() { return std::move(paths_); }

 protected:
  void OnDouble(std::string_view name, double&, Range) override { Keep(name); }
  void OnInt(std::string_view name, int64_t&, IntRange) override { Keep(name); }
  void OnUint64(std::string_view name, uint64_t&) override { Keep(name); }
  void OnBool(std::string_view name, bool&) override { Keep(name); }
  void OnString(std::string_view name, std::string&) override { Keep(name); }
  void OnDoubleList(std::string_view name, std::vector<double>&, Range) override { Keep(name); }
  void OnIntList(std::string_view name, std::vector<int64_t>&, IntRange) override { Keep(name); }
  void OnStringList(std::string_view name, std::vector<std::string>&) override { Keep(name); }
  void OnEnum(std::string_view name, int&, std::span<const std::string_view>) override {
    Keep(name);
  }

 private:
  void Keep(std::string_view name) { paths_.push_back(PathOf(name)); }

  std::vector<std::string> paths_;
};

}  // namespace

void FieldVisitor::Int(std::string_view name, int& value, IntRange range) {
  using Limits = std::numeric_limits<int>;
  int64_t wide = value;
  OnInt(
      name, wide,
      {std::max<int64_t>(range.low, Limits::min()), std::min<int64_t>(range.high, Limits::max())});
  value = static_cast<int>(wide);
}

namespace detail {

Result<void> SetOption(const VisitFunction& visit, std::string_view path, std::string_view text) {
  SetVisitor visitor(path, text);
  visit(visitor);
  return visitor.Outcome();
}

Result<void> ValidateOptions(const VisitFunction& visit) {
  ValidateVisitor visitor;
  visit(visitor);
  return visitor.outcome();
}

std::vector<std::string> OptionPaths(const VisitFunction& visit) {
  ListVisitor visitor;
  visit(visitor);
  return visitor.TakePaths();
}

}  // namespace detail
}  // namespace lapforge
