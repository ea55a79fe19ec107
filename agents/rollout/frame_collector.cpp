#include "agents/rollout/frame_collector.h"

#include <algorithm>

#include "agents/algorithms/imitation_loss.h"
#include "agents/nets/actor_critic.h"
#include "sim/base/assert.h"

namespace lapforge::agents {
namespace {

FrameRingShape RingShape(const DistillOptions& options, const EnvironmentSpec& spec,
                         const RowView& student_view) {
  FrameRingShape shape;
  shape.frames_per_round = options.horizon * spec.num_envs;
  shape.num_rounds =
      static_cast<int>(std::max<int64_t>(1, options.ring_frames / shape.frames_per_round));
  shape.row_bytes = student_view.row_bytes();
  shape.num_outputs = spec.num_outputs;
  return shape;
}

}  // namespace

FrameCollector::FrameCollector(const DistillOptions& options, FrameCollectorParts parts)
    : options_(options),
      parts_(std::move(parts)),
      spec_(parts_.environment->spec()),
      ring_(RingShape(options, spec_, parts_.student_view)),
      rows_(size_t(spec_.num_envs) * spec_.row.row_bytes),
      num_steps_(size_t(spec_.num_envs)),
      teacher_rows_(size_t(spec_.num_envs) * parts_.teacher_view.row_bytes()),
      teacher_actions_(size_t(spec_.num_envs) * size_t(spec_.action_dim)),
      final_rows_(rows_.size()),
      rewards_(size_t(spec_.num_envs)),
      terminated_(size_t(spec_.num_envs)),
      truncated_(size_t(spec_.num_envs)) {
  parts_.environment->Reset(rows_);
}

Result<bool> FrameCollector::Collect(const std::function<bool()>& should_stop) {
  Round round = Snapshot();
  const size_t num_actions = teacher_actions_.size();
  round.actions.resize(size_t(options_.horizon) * num_actions);
  for (int step = 0; step < options_.horizon; ++step) {
    if (should_stop && should_stop()) {
      LAPFORGE_CHECK_OK(GoBackTo(round));
      return false;
    }
    const auto actions = std::span(round.actions).subspan(size_t(step) * num_actions, num_actions);
    LookAround(step);
    ChooseActions(step, actions);
    if (const Result<void> advanced = Advance(actions); !advanced.ok()) {
      LAPFORGE_CHECK_OK(GoBackTo(round));
      return advanced.error();
    }
  }
  ring_.Commit();
  rounds_.push_back(std::move(round));

  // one more than the ring holds, so that the last one can be taken back
  if (rounds_.size() > size_t(ring_.shape().num_rounds) + 1) rounds_.pop_front();
  return true;
}

void FrameCollector::UndoRound() {
  LAPFORGE_ASSERT(GoBackTo(rounds_.back()).ok(), "an environment takes its own state");
  rounds_.pop_back();
  ring_.Uncommit();
}

FrameCollector::Round FrameCollector::Snapshot() const {
  return {parts_.environment->Save(), rows_, num_steps_, {}};
}

Result<void> FrameCollector::GoBackTo(const Round& round) {
  if (round.rows.size() != rows_.size() || round.num_steps.size() != num_steps_.size()) {
    return ErrorOf("the saved student has other sensors or another sim.num_envs");
  }
  LAPFORGE_CHECK_OK(parts_.environment->Restore(round.environment));
  rows_ = round.rows;
  num_steps_ = round.num_steps;
  return {};
}

void FrameCollector::LookAround(int step) {
  const int begin = step * spec_.num_envs;
  parts_.student_view.Gather(rows_, ring_.NextRows(begin, spec_.num_envs));
  parts_.teacher_view.Gather(rows_, teacher_rows_);
  const std::span<float> targets = ring_.NextTargets(begin, spec_.num_envs);
  parts_.teacher->Outputs(teacher_rows_, targets);
  for (size_t env = 0; env < num_steps_.size(); ++env) {
    BestAction(spec_.kind,
               targets.subspan(env * size_t(spec_.num_outputs), size_t(spec_.num_outputs)),
               std::span(teacher_actions_)
                   .subspan(env * size_t(spec_.action_dim), size_t(spec_.action_dim)));
  }
  TargetsFromOutputs(spec_.kind, spec_.num_outputs, targets);
}

void FrameCollector::ChooseActions(int step, std::span<float> actions) {
  const size_t action_dim = size_t(spec_.action_dim);
  const size_t row_bytes = parts_.student_view.row_bytes();
  const auto rows = ring_.NextRows(step * spec_.num_envs, spec_.num_envs);
  parts_.pool->ParallelFor(kNumShards, [&](int begin, int end, int) {
    for (int shard = begin; shard < end; ++shard) {
      const RowRange range = ShardRows(spec_.num_envs, shard);
      if (range.size() == 0) continue;
      parts_.students[size_t(shard)]->Act(
          rows.subspan(size_t(range.begin) * row_bytes, size_t(range.size()) * row_bytes),
          actions.subspan(size_t(range.begin) * action_dim, size_t(range.size()) * action_dim));
    }
  });
  for (size_t env = 0; env < num_steps_.size(); ++env) {
    if (num_steps_[env] >= options_.teacher_drives_steps) continue;
    std::copy_n(&teacher_actions_[env * action_dim], action_dim, &actions[env * action_dim]);
  }
}

Result<void> FrameCollector::Advance(std::span<const float> actions) {
  LAPFORGE_CHECK_OK(
      parts_.environment->Step({actions, rows_, final_rows_, rewards_, terminated_, truncated_}));
  for (size_t env = 0; env < num_steps_.size(); ++env) {
    const bool has_ended = terminated_[env] != 0 || truncated_[env] != 0;
    num_steps_[env] = has_ended ? 0 : num_steps_[env] + 1;
  }
  return {};
}

void FrameCollector::Save(ByteWriter& writer) const {
  const size_t num_held = size_t(ring_.num_held_rounds());
  writer.Write(ring_.num_rounds());
  writer.Write(static_cast<uint64_t>(num_held));
  Round now = Snapshot();
  const Round& oldest = num_held > 0 ? rounds_[rounds_.size() - num_held] : now;
  writer.Write(oldest.environment);
  writer.Write(oldest.rows);
  writer.Write(oldest.num_steps);
  for (size_t i = rounds_.size() - num_held; i < rounds_.size(); ++i) {
    writer.Write(rounds_[i].actions);
  }
  writer.Write(now.environment);
}

Result<void> FrameCollector::Restore(ByteReader& reader) {
  const Error damaged = ErrorOf("the saved student is damaged, or distill.* differs");
  int64_t num_rounds = 0;
  uint64_t num_held = 0;
  Round oldest;
  reader.Read(num_rounds);
  reader.Read(num_held);
  reader.Read(oldest.environment);
  reader.Read(oldest.rows);
  reader.Read(oldest.num_steps);
  if (!reader.ok() || num_rounds < 0 ||
      num_held != uint64_t(std::min<int64_t>(num_rounds, ring_.shape().num_rounds))) {
    return damaged;
  }
  LAPFORGE_CHECK_OK(GoBackTo(oldest));
  rounds_.clear();
  ring_.Restart(num_rounds - int64_t(num_held));
  const size_t num_actions = teacher_actions_.size();
  for (uint64_t i = 0; i < num_held; ++i) {
    Round round = Snapshot();
    if (!reader.Read(round.actions) ||
        round.actions.size() != size_t(options_.horizon) * num_actions) {
      return damaged;
    }
    for (int step = 0; step < options_.horizon; ++step) {
      LookAround(step);
      LAPFORGE_CHECK_OK(
          Advance(std::span(round.actions).subspan(size_t(step) * num_actions, num_actions)));
    }
    ring_.Commit();
    rounds_.push_back(std::move(round));
  }
  std::vector<std::byte> now;
  if (!reader.Read(now)) return damaged;
  if (now != parts_.environment->Save()) {
    return ErrorOf("the student's frames come out differently: the run began on another machine");
  }
  parts_.environment->TakeEpisodeStats();  // of rounds that were counted long ago
  return {};
}

}  // namespace lapforge::agents
