#include "agents/device/device_collector.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace lapforge::agents {
namespace {

at::Tensor PartOf(const at::Tensor& rows, const EnvRange& envs) {
  return rows.narrow(0, envs.begin, envs.size());
}

}  // namespace

DeviceCollector::DeviceCollector(Environment* environment, const DeviceNets* nets,
                                 ObservationNormalizer* normalizer, const DevicePlace* place,
                                 uint64_t seed)
    : environment_(environment), nets_(nets), normalizer_(normalizer), place_(place), seed_(seed) {
  const EnvironmentSpec& spec = environment->spec();
  const int64_t row_bytes = int64_t(spec.row.row_bytes);
  const bool is_pinned = place->device.is_cuda();
  const auto host = [&](at::ScalarType type) {
    return at::TensorOptions(type).pinned_memory(is_pinned);
  };
  seen_ = at::empty({spec.num_envs, row_bytes}, host(at::kByte));
  scaled_ = normalizer->is_on() ? at::empty_like(seen_, host(at::kByte)) : seen_;
  noise_ = at::empty({spec.num_envs, spec.action_dim}, host(at::kFloat));
  actions_ = at::empty_like(noise_, host(at::kFloat));
  final_observations_.resize(size_t(seen_.numel()));
  rows_ = at::zeros(seen_.sizes(), at::TensorOptions(at::kByte).device(place->device));
  ListColumns();
  int64_t sent_bytes = 0;
  for (const Columns& columns : columns_) sent_bytes += columns.size;
  sent_ = at::empty({spec.num_envs, sent_bytes}, host(at::kByte));

  const DeviceTable* const table = place->table;
  const auto numbers = at::TensorOptions(at::kFloat).device(place->device);
  for (const EnvRange& envs : environment->Parts()) {
    parts_.push_back({envs, DeviceEvent(table), DeviceEvent(table), DeviceEvent(table),
                      RepeatedWork(table, place->plays_back, "acting"), PartOf(rows_, envs),
                      at::zeros({envs.size(), sent_bytes}, numbers.dtype(at::kByte)),
                      at::zeros({envs.size(), spec.action_dim}, numbers),
                      at::zeros({envs.size(), spec.action_dim}, numbers),
                      at::zeros({envs.size()}, numbers), at::zeros({envs.size()}, numbers)});
  }
  environment_->Reset(RowsOf(seen_, {0, spec.num_envs}));
}

// Images that a device draws stay there, unless the host scales rows.
void DeviceCollector::ListColumns() {
  if (!normalizer_->is_on()) drawn_ = environment_->DrawnSensors();
  if (drawn_.empty()) return;
  environment_->DrawInto(
      {reinterpret_cast<std::byte*>(rows_.data_ptr<uint8_t>()), place_->copying.native()});
  for (const sim::SensorSpec& sensor : environment_->spec().row.sensors) {
    const bool is_drawn =
        std::ranges::find(drawn_, sensor.name, &sim::SensorSpec::name) != drawn_.end();
    if (!is_drawn) columns_.push_back({int64_t(sensor.offset_bytes), int64_t(sensor.size_bytes)});
  }
}

Result<bool> DeviceCollector::Collect(RolloutBuffer& host, DeviceRollout& rollout,
                                      const StopCheck& should_stop) {
  const at::NoGradGuard no_autograd;
  raw_rollout_.clear();
  final_rows_.clear();
  final_samples_.clear();
  for (int step = 0; step < host.horizon; ++step) {
    if (should_stop && should_stop()) return false;
    for (Part& part : parts_) {
      if (step == 0) StartActing(part, step, rollout);
    }
    ++control_step_;
    for (Part& part : parts_) {
      LAPFORGE_CHECK_OK(Drive(part, step, host));
      if (step + 1 < host.horizon) StartActing(part, step + 1, rollout);
    }
  }
  Finish(rollout);
  normalizer_->Count(FloatsOf(raw_rollout_));
  return true;
}

// Scales what one part sees, and keeps it for the statistics.
void DeviceCollector::StageRows(const EnvRange& envs) {
  if (!normalizer_->is_on()) return;
  const std::span<std::byte> raw = RowsOf(seen_, envs);
  const std::span<std::byte> scaled = RowsOf(scaled_, envs);
  std::ranges::copy(raw, scaled.begin());
  normalizer_->Normalize(FloatsOf(scaled));
}

// Queues a part's rows, or what of them is not drawn on the device.
void DeviceCollector::Upload(Part& part) {
  StageRows(part.envs);
  place_->copying.Use();
  if (drawn_.empty()) {
    part.rows.copy_(PartOf(scaled_, part.envs), true);
  } else if (!columns_.empty()) {
    int64_t at = 0;
    for (const Columns& columns : columns_) {
      PartOf(sent_, part.envs)
          .narrow(1, at, columns.size)
          .copy_(PartOf(seen_, part.envs).narrow(1, columns.offset, columns.size));
      at += columns.size;
    }
    part.sent.copy_(PartOf(sent_, part.envs), true);
    at = 0;
    for (const Columns& columns : columns_) {
      part.rows.narrow(1, columns.offset, columns.size)
          .copy_(part.sent.narrow(1, at, columns.size));
      at += columns.size;
    }
  }
  part.uploaded.Record(place_->copying);
  place_->computing.Use();
  part.uploaded.Delay(place_->computing);
}

// The numbers that SampleAction would draw.
void DeviceCollector::DrawNoise(const EnvRange& envs) {
  const EnvironmentSpec& spec = environment_->spec();
  float* to = noise_.data_ptr<float>() + int64_t(envs.begin) * spec.action_dim;
  for (int env = envs.begin; env < envs.end; ++env) {
    RngStream random(seed_, uint32_t(env), control_step_, RngPurpose::kActionNoise);
    for (int i = 0; i < spec.action_dim; ++i) {
      *to++ = static_cast<float>(spec.kind == DistributionKind::kGaussian ? random.Normal()
                                                                          : random.Uniform());
    }
  }
}

// Queues everything from what a part sees to its actions in the host's memory; waits for nothing.
void DeviceCollector::StartActing(Part& part, int step, DeviceRollout& rollout) {
  if (normalizer_->is_on()) {
    const std::span<std::byte> raw = RowsOf(seen_, part.envs);
    raw_rollout_.insert(raw_rollout_.end(), raw.begin(), raw.end());
  }
  DrawNoise(part.envs);

  place_->copying.Use();
  part.noise.copy_(PartOf(noise_, part.envs), true);
  Upload(part);
  part.act.Run([&] { Act(part); });
  const auto keep = [&](const at::Tensor& rows, const at::Tensor& of_part) {
    PartOf(rows.select(0, step), part.envs).copy_(of_part);
  };
  keep(rollout.observations, part.rows);
  keep(rollout.actions, part.actions);
  keep(rollout.log_probs, part.log_probs);
  keep(rollout.values, part.values);
  part.acted.Record(place_->computing);

  place_->copying.Use();
  part.acted.Delay(place_->copying);
  PartOf(actions_, part.envs).copy_(part.actions, true);
  part.downloaded.Record(place_->copying);
  place_->computing.Use();
}

void DeviceCollector::Act(Part& part) const {
  const auto [policy, values] = nets_->OutputsOf(part.rows);
  const at::Tensor actions = SampleActions(policy, part.noise);
  part.actions.copy_(actions);
  part.log_probs.copy_(ProbabilitiesOf(policy, actions).log_probs);
  part.values.copy_(values);
}

Result<void> DeviceCollector::Drive(const Part& part, int step, RolloutBuffer& host) {
  part.downloaded.Wait();
  const EnvRange all = {0, host.spec.num_envs};
  const std::span<const float> actions(actions_.data_ptr<float>(), size_t(actions_.numel()));
  LAPFORGE_CHECK_OK(environment_->StepPart(
      part.envs, {actions, RowsOf(seen_, all), final_observations_, host.StepOf(host.rewards, step),
                  host.StepOf(host.terminated, step), host.StepOf(host.truncated, step)}));
  KeepFinalRows(part, step, host);
  return {};
}

void DeviceCollector::KeepFinalRows(const Part& part, int step, const RolloutBuffer& host) {
  const size_t row_bytes = environment_->spec().row.row_bytes;
  for (int env = part.envs.begin; env < part.envs.end; ++env) {
    const int64_t sample = int64_t(step) * host.spec.num_envs + env;
    if (host.truncated[size_t(sample)] == 0) continue;
    final_samples_.push_back(sample);
    const auto row = final_observations_.begin() + std::ptrdiff_t(size_t(env) * row_bytes);
    final_rows_.insert(final_rows_.end(), row, row + std::ptrdiff_t(row_bytes));
  }
}

// What comes after the rollout, and after each truncated episode in it.
void DeviceCollector::Finish(DeviceRollout& rollout) {
  for (Part& part : parts_) Upload(part);
  const int64_t horizon = rollout.rewards.size(0);
  const at::Tensor last = rollout.observations.select(0, horizon);
  last.copy_(rows_);
  rollout.values.select(0, horizon).copy_(nets_->ValuesOf(last));
  ComputeFinalValues(rollout);
}

void DeviceCollector::ComputeFinalValues(DeviceRollout& rollout) {
  const int64_t count = std::ssize(final_samples_);
  if (count == 0) return;
  normalizer_->Normalize(FloatsOf(final_rows_));
  const at::Tensor values = rollout.final_values.view(-1);
  const int64_t rows_at_once = environment_->spec().num_envs;
  const at::Tensor rows = at::from_blob(final_rows_.data(), {count, seen_.size(1)}, at::kByte);
  const at::Tensor samples = at::from_blob(final_samples_.data(), {count}, at::kLong);
  for (int64_t begin = 0; begin < count; begin += rows_at_once) {
    const int64_t size = std::min(rows_at_once, count - begin);
    values.index_copy_(0, samples.narrow(0, begin, size).to(place_->device),
                       nets_->ValuesOf(rows.narrow(0, begin, size).to(place_->device)));
  }
}

std::span<std::byte> DeviceCollector::RowsOf(const at::Tensor& rows, const EnvRange& envs) const {
  const size_t row_bytes = size_t(rows.size(1));
  auto* const first = reinterpret_cast<std::byte*>(rows.data_ptr<uint8_t>());
  return {first + size_t(envs.begin) * row_bytes, size_t(envs.size()) * row_bytes};
}

void DeviceCollector::Save(ByteWriter& writer) const {
  for (const sim::SensorSpec& sensor : drawn_) {
    const auto columns = [&](const at::Tensor& rows) {
      return rows.narrow(1, int64_t(sensor.offset_bytes), int64_t(sensor.size_bytes));
    };
    columns(seen_).copy_(columns(rows_));
  }
  const std::span<const std::byte> seen = RowsOf(seen_, {0, environment_->spec().num_envs});
  writer.Write(control_step_);
  writer.Write(std::vector<std::byte>(seen.begin(), seen.end()));
}

bool DeviceCollector::Restore(ByteReader& reader) {
  uint32_t control_step = 0;
  std::vector<std::byte> seen;
  reader.Read(control_step);
  reader.Read(seen);
  if (!reader.ok() || seen.size() != size_t(seen_.numel())) return false;
  control_step_ = control_step;
  std::ranges::copy(seen, RowsOf(seen_, {0, environment_->spec().num_envs}).begin());
  rows_.copy_(seen_);
  return true;
}

}  // namespace lapforge::agents
