// Tests training options against their schema: each field arrives, errors name place and key.
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "agents/train_options.h"
#include "sim/base/strings.h"
#include "tests/agents/agents_fixture.h"
#include "tests/base/temporary_folder.h"

namespace lapforge::agents {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Each field of the schema by its dotted path.
void CollectFields(const Descriptor& message, const std::string& prefix,
                   std::map<std::string, const FieldDescriptor*>& fields) {
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor* field = message.field(i);
    if (field->message_type() != nullptr) {
      CollectFields(*field->message_type(), StrCat(prefix, field->name(), "."), fields);
    } else {
      fields[StrCat(prefix, field->name())] = field;
    }
  }
}

std::map<std::string, const FieldDescriptor*> SchemaFields() {
  const Descriptor* schema =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
          TrainOptionsSchema());
  REQUIRE(schema != nullptr);
  std::map<std::string, const FieldDescriptor*> fields;
  CollectFields(*schema, "", fields);
  return fields;
}

// The values of all fields as OptionsToText prints them: "name: value" inside "group {" ... "}".
std::map<std::string, std::string> ValuesOf(const TrainOptions& options) {
  std::map<std::string, std::string> values;
  std::vector<std::string> groups = {""};
  const std::string text = OptionsToText(options);
  for (std::string_view line : Split(text, '\n')) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) continue;
    const size_t colon = line.find(": ");
    if (line == "}") {
      groups.pop_back();
    } else if (colon == std::string_view::npos) {
      groups.push_back(StrCat(groups.back(), line.substr(0, line.find(' ')), "."));
    } else {
      values[StrCat(groups.back(), line.substr(0, colon))] = line.substr(colon + 2);
    }
  }
  return values;
}

// "a.b: v" as a file writes it: a { b: v }
std::string TextOf(const std::string& path, const std::string& value) {
  std::string text;
  std::string closing;
  const std::vector<std::string_view> names = Split(path, '.');
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    text += StrCat(names[i], " { ");
    closing += " }";
  }
  return StrCat(text, names.back(), ": ", value, closing);
}

// Values of the field's type, of which at least one differs from `now` and is allowed.
std::vector<std::string> Candidates(const FieldDescriptor& field, const std::string& now) {
  if (field.is_repeated()) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) return {"[\"lidar\"]"};
    return {field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ? "[0.25, 0.5]" : "[5, 6, 7]"};
  }
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return {"0.125", "0.0625", "1.5", "-1.5", "20.5"};
    case FieldDescriptor::CPPTYPE_BOOL:
      return {now == "true" ? "false" : "true"};
    case FieldDescriptor::CPPTYPE_STRING:
      return {"\"other\""};
    case FieldDescriptor::CPPTYPE_ENUM:
      return {field.enum_type()->value(field.enum_type()->value_count() - 1)->name(),
              field.enum_type()->value(0)->name()};
    default:
      return {StrCat(std::stoll(now) + 1), StrCat(std::stoll(now) - 1)};
  }
}

Result<void> Merge(const std::string& text, TrainOptions& options) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "some.textproto";
  std::ofstream(path) << text;
  return MergeTrainOptionsFile(path.string(), options);
}

// The message without the folder, which differs from run to run.
std::string MergeError(const std::string& text) {
  TrainOptions options;
  const Result<void> merged = Merge(text, options);
  REQUIRE_FALSE(merged.ok());
  CHECK(OptionsToText(options) == OptionsToText(TrainOptions()));
  const std::string& message = merged.error().message;
  CHECK(message.find('\n') == std::string::npos);
  const size_t at = message.find("some.textproto");
  REQUIRE(at != std::string::npos);
  return message.substr(at);
}

TEST_CASE("struct and schema have the same fields") {
  std::vector<std::string> paths = OptionPaths(TrainOptions());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> schema;
  for (const auto& [path, field] : SchemaFields()) schema.push_back(path);
  CHECK(paths == schema);
}

TEST_CASE("each field of a file changes its field of the struct and no other") {
  const std::map<std::string, std::string> before = ValuesOf(TrainOptions());
  for (const auto& [path, field] : SchemaFields()) {
    CAPTURE(path);
    std::map<std::string, std::string> expected = before;
    TrainOptions options;
    bool is_set = false;
    for (const std::string& value : Candidates(*field, before.at(path))) {
      is_set = value != before.at(path) && Merge(TextOf(path, value), options).ok();
      if (!is_set) continue;
      expected[path] = value;
      break;
    }
    CHECK(is_set);
    CHECK(ValuesOf(options) == expected);
  }
}

TEST_CASE("written options read back equal") {
  TrainOptions options = DiscreteOptions();
  options.ppo.learning_rate = 1.0 / 3;
  options.seed = ~uint64_t{0};
  options.run.track = "a \"quoted\" name\\ \n";
  options.net.hidden_units = {};
  TrainOptions read;
  RequireOk(Merge(OptionsToText(options), read));
  CHECK(OptionsToText(read) == OptionsToText(options));
  CHECK(read.ppo.learning_rate == options.ppo.learning_rate);
  CHECK(read.run.track == options.run.track);
}

TEST_CASE("what is wrong in a file is named with its place") {
  CHECK(MergeError("seed: 1\n  horizn: 3\n").find("some.textproto:2:3: unknown key 'horizn'") == 0);
  CHECK(MergeError("ppo {\n  horizn: 3\n}") ==
        "some.textproto:2:3: unknown key 'horizn' (did you mean 'horizon'?)");
  CHECK(
      MergeError("ppo { schedule: linaer }") ==
      "some.textproto:1:17: unknown word 'linaer' for schedule; expected one of linear, constant");
  const std::string range = MergeError("seed: 4\nppo {\n  clip_range: -1\n}");
  CHECK(range.find("some.textproto:3:3: ") == 0);
  CHECK(range.find("ppo.clip_range") != std::string::npos);
  CHECK(range.find("-1") != std::string::npos);
  for (const char* text : {"ppo { horizon: many }", "ppo { horizon: 1 horizon: 2 }", "ppo {",
                           "net { hidden_units: [0] }", "run: 3", "seed: -1"}) {
    CAPTURE(text);
    CHECK(MergeError(text).find("some.textproto:1:") == 0);
  }
  TrainOptions options;
  CHECK_FALSE(MergeTrainOptionsFile("/nowhere/some.textproto", options).ok());
}

std::string ValidateError(const std::string& text) {
  TrainOptions options;
  RequireOk(Merge(text, options));
  const Result<void> valid = Validate(options);
  REQUIRE_FALSE(valid.ok());
  return valid.error().message;
}

TEST_CASE("the rules between fields") {
  RequireOk(Validate(TrainOptions()));
  CHECK(ValidateError("ppo { horizon: 65536 } sim { num_envs: 65536 }")
            .find("ppo.horizon x sim.num_envs is 4294967296 samples") == 0);
  CHECK(ValidateError("ppo { horizon: 1 } sim { num_envs: 1 }").find("is 1 samples") !=
        std::string::npos);
  CHECK(ValidateError("net { initial_log_std: -4 }") ==
        "net.initial_log_std -4 is below net.min_log_std -3");
  CHECK(ValidateError("sim { actions { kind: discrete } }").find("sim: ") == 0);

  TrainOptions options;
  options.ppo.gae_lambda = 1.5;
  CHECK(Validate(options).error().message.find("ppo.gae_lambda") != std::string::npos);
}

}  // namespace
}  // namespace lapforge::agents
