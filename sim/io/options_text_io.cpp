// The only reader of options files: protobuf checks the text against the schema, reflection hands
// out what it found.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "sim/base/assert.h"
#include "sim/base/strings.h"
#include "sim/options_text.h"
#include "sim/proto/car.pb.h"
#include "sim/proto/sim_options.pb.h"

namespace lapforge::sim {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;
using InfoTree = pb::TextFormat::ParseInfoTree;

// Static libraries keep only what somebody names: this keeps the schemas of this folder.
void LinkSchemas() {
  proto::SimOptions::descriptor();
  proto::CarSpec::descriptor();
}

// Counted from 0, as protobuf does.
struct TextPlace {
  int line = 0;
  int column = 0;
};

std::string PlaceName(const std::string& source, TextPlace place) {
  return StrCat(source, ":", place.line + 1, ":", place.column + 1);
}

// The last place of `word` before `behind`, which is where protobuf stands after reading it.
TextPlace PlaceOfWord(std::string_view text, std::string_view word, TextPlace behind) {
  size_t line_begin = 0;
  for (int line = 0; line < behind.line && line_begin < text.size(); ++line) {
    line_begin = text.find('\n', line_begin) + 1;
  }
  const size_t at = text.rfind(word, line_begin + static_cast<size_t>(behind.column));
  if (at == std::string_view::npos) return behind;
  const std::string_view before = text.substr(0, at);
  const size_t last_newline = before.rfind('\n');
  const size_t begin = last_newline == std::string_view::npos ? 0 : last_newline + 1;
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          static_cast<int>(at - begin)};
}

// The text between the first pair of double quotes after `from`, or "".
std::string QuotedPart(const std::string& text, size_t from = 0) {
  const size_t begin = text.find('"', from);
  if (begin == std::string::npos) return "";
  const size_t end = text.find('"', begin + 1);
  return end == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1);
}

void CollectNames(const pb::Descriptor& message, std::vector<std::string>& names) {
  for (int i = 0; i < message.field_count(); ++i) names.push_back(message.field(i)->name());
}

// Keeps protobuf's first complaint, in our words where it is about a name.
class FirstError : public pb::io::ErrorCollector {
 public:
  FirstError(const pb::Descriptor& schema, const std::string& source, std::string_view text)
      : schema_(schema), source_(source), text_(text) {}

  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override {
    if (!error_.has_value()) error_ = Explain(message, {line, column});
  }

  // What made the parser fail.
  Error Take() const {
    return error_.value_or(Error{StrCat(source_, ": not readable as ", schema_.full_name())});
  }

 private:
  Error Explain(const std::string& message, TextPlace behind) const {
    // Message type "X" has no field named "Y".
    const size_t no_field = message.find("has no field named");
    if (no_field != std::string::npos) {
      const std::string key = QuotedPart(message, no_field);
      std::vector<std::string> names;
      if (const auto* type = schema_.file()->pool()->FindMessageTypeByName(QuotedPart(message))) {
        CollectNames(*type, names);
      }
      return ErrorOf(PlaceName(source_, PlaceOfWord(text_, key, behind)), ": unknown key '", key,
                     "'", DidYouMean(key, names));
    }

    // Unknown enumeration value of "X" for field "Y".
    if (message.find("Unknown enumeration value") != std::string::npos) {
      const std::string word = QuotedPart(message);
      const std::string key = QuotedPart(message, message.find("for field"));
      return ErrorOf(PlaceName(source_, PlaceOfWord(text_, word, behind)), ": unknown word '", word,
                     "' for ", key, WordsOf(schema_, key));
    }
    // Expected identifier, got: <nothing>
    return ErrorOf(PlaceName(source_, behind), ": ", message,
                   EndsWith(message, "got: ") ? "the end of the text; is the file cut off?" : "");
  }

  // "; expected a, b or c" for the first enum field called `key`.
  static std::string WordsOf(const pb::Descriptor& message, const std::string& key) {
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      if (field.name() == key && field.enum_type() != nullptr) {
        std::vector<std::string> words;
        for (int v = 0; v < field.enum_type()->value_count(); ++v) {
          words.push_back(field.enum_type()->value(v)->name());
        }
        return StrCat("; expected one of ", Join(words, ", "));
      }
      if (field.message_type() == nullptr) continue;
      if (std::string words = WordsOf(*field.message_type(), key); !words.empty()) return words;
    }
    return "";
  }

  const pb::Descriptor& schema_;
  const std::string& source_;
  std::string_view text_;
  std::optional<Error> error_;
};

// Walks the parsed message and hands each present field to the setter.
class FieldWalk {
 public:
  FieldWalk(const std::string& source, const OptionSetter& setter)
      : source_(source), setter_(setter) {}

  Result<void> Walk(const pb::Message& message, const InfoTree& info, const std::string& prefix) {
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor& field = *message.GetDescriptor()->field(i);
      const std::string path = StrCat(prefix, field.name());
      const pb::TextFormat::ParseLocation place = info.GetLocation(&field, Index(field));
      if (place.line < 0) continue;
      if (field.message_type() != nullptr) {
        LAPFORGE_ASSERT(!field.is_repeated(), "options have no lists of groups");
        const InfoTree* nested = info.GetTreeForNested(&field, Index(field));
        LAPFORGE_CHECK_OK(
            Walk(message.GetReflection()->GetMessage(message, &field), *nested, StrCat(path, ".")));
        continue;
      }
      if (const auto set = setter_(path, ValueText(message, field)); !set.ok()) {
        return ErrorOf(PlaceName(source_, {place.line, place.column}), ": ", set.error().message);
      }
    }
    return {};
  }

 private:
  static int Index(const FieldDescriptor& field) { return field.is_repeated() ? 0 : -1; }

  static std::string ValueText(const pb::Message& message, const FieldDescriptor& field) {
    if (!field.is_repeated()) return ElementText(message, field, -1);
    std::vector<std::string> elements;
    const int count = message.GetReflection()->FieldSize(message, &field);
    for (int i = 0; i < count; ++i) elements.push_back(ElementText(message, field, i));
    return StrCat("[", Join(elements, ", "), "]");
  }

  static std::string ElementText(const pb::Message& message, const FieldDescriptor& field,
                                 int index) {
    const pb::Reflection& reflection = *message.GetReflection();
    const bool is_list = index >= 0;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return StrCat(is_list ? reflection.GetRepeatedDouble(message, &field, index)
                              : reflection.GetDouble(message, &field));
      case FieldDescriptor::CPPTYPE_STRING:
        return QuoteText(is_list ? reflection.GetRepeatedString(message, &field, index)
                                 : reflection.GetString(message, &field));
      default: {
        // integers, bools and enum words print as SetOption reads them
        std::string text;
        pb::TextFormat::PrintFieldValueToString(message, &field, index, &text);
        return text;
      }
    }
  }

  const std::string& source_;
  const OptionSetter& setter_;
};

}  // namespace

Result<void> ParseOptionsText(std::string_view text, const std::string& source,
                              std::string_view schema_name, const OptionSetter& setter) {
  LinkSchemas();
  const pb::Descriptor* schema =
      pb::DescriptorPool::generated_pool()->FindMessageTypeByName(std::string(schema_name));
  LAPFORGE_ASSERT(schema != nullptr, StrCat("schema ", schema_name, " is not linked"));
  const std::unique_ptr<pb::Message> message(
      pb::MessageFactory::generated_factory()->GetPrototype(schema)->New());

  FirstError errors(*schema, source, text);
  InfoTree info;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&info);
  if (!parser.ParseFromString(std::string(text), message.get())) return errors.Take();
  return FieldWalk(source, setter).Walk(*message, info, "");
}

}  // namespace lapforge::sim
