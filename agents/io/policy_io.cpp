#include "agents/policy.h"
#include "agents/proto/policy.pb.h"
#include "sim/base/crc32.h"
#include "sim/base/file_io.h"
#include "sim/base/whole_message.h"
#include "sim/options_text.h"
#include "sim/proto/sim_options.pb.h"

namespace lapforge::agents {
namespace {

constexpr uint32_t kFormatVersion = 1;
constexpr size_t kMaxPolicyBytes = size_t{256} << 20;
constexpr int64_t kMaxUnits = 4096;  // as net.hidden_units

uint32_t CrcOf(std::string_view bytes) { return Crc32c(std::as_bytes(std::span(bytes))); }

template <class Options>
Result<Options> OptionsFromText(const std::string& text, const std::string& source,
                                const std::string& schema) {
  Options options;
  LAPFORGE_CHECK_OK(sim::ParseOptionsText(text, source, schema,
                                          [&](const std::string& key, const std::string& value) {
                                            return SetOption(options, key, value);
                                          }));
  LAPFORGE_CHECK_OK(ValidateOptions(options));
  return options;
}

proto::StoredPolicy ToProto(const Policy& policy) {
  proto::StoredPolicy stored;
  stored.set_actions(OptionsToText(policy.actions));
  stored.set_sensors(OptionsToText(policy.sensors));
  stored.set_control_hz(policy.control_hz);
  for (const int64_t units : policy.hidden_units) stored.add_hidden_units(units);
  for (const NamedTensor& tensor : policy.tensors) {
    proto::StoredTensor* const entry = stored.add_tensors();
    entry->set_name(tensor.name);
    entry->mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
    entry->mutable_values()->Add(tensor.values.begin(), tensor.values.end());
  }
  stored.set_env_steps(policy.env_steps);
  if (policy.net_kind != NetKind::kMlp) {
    stored.set_net_kind(std::string(NetKindName(policy.net_kind)));
  }
  return stored;
}

Result<Policy> FromProto(const proto::StoredPolicy& stored, const std::string& source) {
  Policy policy;
  LAPFORGE_TRY(policy.actions,
               OptionsFromText<sim::ActionOptions>(
                   stored.actions(), source, sim::proto::ActionOptions::descriptor()->full_name()));
  LAPFORGE_TRY(policy.sensors,
               OptionsFromText<sim::SensorOptions>(
                   stored.sensors(), source, sim::proto::SensorOptions::descriptor()->full_name()));
  if (const Result<void> checked = sim::Validate(policy.sensors); !checked.ok()) {
    return ErrorOf(source, ": ", checked.error().message);
  }
  policy.control_hz = stored.control_hz();
  if (!stored.net_kind().empty()) {
    const std::optional<NetKind> kind = NetKindFromName(stored.net_kind());
    if (!kind || *kind == NetKind::kAuto) {
      return ErrorOf(source, " has a net of kind '", stored.net_kind(),
                     "', which this Lapforge does not know");
    }
    policy.net_kind = *kind;
  }
  policy.hidden_units.assign(stored.hidden_units().begin(), stored.hidden_units().end());
  for (const int64_t units : policy.hidden_units) {
    if (units < 1 || units > kMaxUnits) {
      return ErrorOf(source, ": a layer of ", units, " units; expected 1 .. ", kMaxUnits);
    }
  }
  for (const proto::StoredTensor& entry : stored.tensors()) {
    policy.tensors.push_back({entry.name(),
                              {entry.shape().begin(), entry.shape().end()},
                              {entry.values().begin(), entry.values().end()}});
  }
  policy.env_steps = stored.env_steps();
  return policy;
}

}  // namespace

Result<void> SavePolicy(const Policy& policy, const std::filesystem::path& path) {
  proto::PolicyFile file;
  file.set_format_version(kFormatVersion);
  file.set_policy(ToProto(policy).SerializeAsString());
  file.set_crc32c(CrcOf(file.policy()));
  return WriteFileAtomic(path, file.SerializeAsString());
}

Result<Policy> LoadPolicy(const std::filesystem::path& path) {
  LAPFORGE_TRY(const std::string bytes, ReadFile(path, kMaxPolicyBytes));
  proto::PolicyFile file;
  const bool is_whole = ParseWholeMessage(bytes, file);
  if (file.format_version() > kFormatVersion) {
    return ErrorOf(path, " has policy format ", file.format_version(),
                   "; this Lapforge reads up to ", kFormatVersion);
  }
  if (!is_whole || file.format_version() == 0 || file.policy().empty()) {
    return ErrorOf(path, " is not a policy file, or damaged");
  }
  proto::StoredPolicy stored;
  if (file.crc32c() != CrcOf(file.policy()) || !stored.ParseFromString(file.policy())) {
    return ErrorOf(path, " is damaged: its checksum does not fit");
  }
  return FromProto(stored, path.string());
}

}  // namespace lapforge::agents
