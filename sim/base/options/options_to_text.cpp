// Prints options in protobuf's text format, see option_fields.h.
#include "sim/base/options/path_visitor.h"

namespace lapforge {
namespace {

class TextVisitor : public PathVisitor {
 public:
  std::string TakeText() { return std::move(text_); }

 protected:
  void OnDouble(std::string_view name, double& value, Range) override { Line(name, value); }
  void OnInt(std::string_view name, int64_t& value, IntRange) override { Line(name, value); }
  void OnUint64(std::string_view name, uint64_t& value) override { Line(name, value); }
  void OnBool(std::string_view name, bool& value) override { Line(name, value); }
  void OnString(std::string_view name, std::string& value) override {
    Line(name, QuoteText(value));
  }
  void OnEnum(std::string_view name, int& index, std::span<const std::string_view> names) override {
    LAPFORGE_ASSERT(index >= 0 && static_cast<size_t>(index) < names.size(), PathOf(name));
    Line(name, names[static_cast<size_t>(index)]);
  }
  void OnDoubleList(std::string_view name, std::vector<double>& values, Range) override {
    ListLine(name, values, [](double value) { return StrCat(value); });
  }
  void OnIntList(std::string_view name, std::vector<int64_t>& values, IntRange) override {
    ListLine(name, values, [](int64_t value) { return StrCat(value); });
  }
  void OnStringList(std::string_view name, std::vector<std::string>& values) override {
    ListLine(name, values, QuoteText);
  }

  void OnBegin(std::string_view group) override {
    text_ += StrCat(Indent(), group, " {\n");
    PathVisitor::OnBegin(group);
  }
  void OnEnd() override {
    PathVisitor::OnEnd();
    text_ += StrCat(Indent(), "}\n");
  }

 private:
  std::string Indent() const { return std::string(2 * depth(), ' '); }

  template <class Value>
  void Line(std::string_view name, const Value& value) {
    text_ += StrCat(Indent(), name, ": ", value, "\n");
  }

  template <class T, class Print>
  void ListLine(std::string_view name, const std::vector<T>& values, Print print) {
    std::vector<std::string> elements;
    for (const T& value : values) elements.push_back(print(value));
    Line(name, StrCat("[", Join(elements, ", "), "]"));
  }

  std::string text_;
};

}  // namespace

std::string detail::OptionsToText(const VisitFunction& visit) {
  TextVisitor visitor;
  visit(visitor);
  return visitor.TakeText();
}

}  // namespace lapforge
