// Collects frames for a student: it drives all envs itself, after the teacher has driven the first
// steps of an episode, and the teacher says what it would do.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "agents/nets/row_layout.h"
#include "agents/policy.h"
#include "agents/rollout/environment.h"
#include "agents/rollout/frame_ring.h"
#include "agents/train_options.h"
#include "sim/base/byte_buffer.h"
#include "sim/base/result.h"
#include "sim/base/thread_pool.h"

namespace lapforge::agents {

// Who drives, and who sees what; borrowed but for the views.
struct FrameCollectorParts {
  Environment* environment = nullptr;
  RowView student_view;
  RowView teacher_view;
  PolicyDriver* teacher = nullptr;
  std::vector<PolicyDriver*> students;  // the same policy [kNumShards], one a part of the rows
  ThreadPool* pool = nullptr;
};

// The ring's frames are not part of a saved state: they are many, and the simulator gives the same
// ones again. What is saved is the environment as it was before the oldest round, and the actions
// since.
class FrameCollector {
 public:
  // Resets the environment.
  FrameCollector(const DistillOptions& options, FrameCollectorParts parts);

  const FrameRing& ring() const { return ring_; }

  // Adds a round to the ring. False: `should_stop`, asked before each control step, said so; an
  // error or a stop leaves everything as before.
  Result<bool> Collect(const std::function<bool()>& should_stop = {});
  // Takes the last round back.
  void UndoRound();

  void Save(ByteWriter& writer) const;
  // Drives the saved rounds again. May stop half-way; a Restore of what Save() gave undoes it.
  Result<void> Restore(ByteReader& reader);

 private:
  // The state before a round, and what was done in it.
  struct Round {
    std::vector<std::byte> environment;
    std::vector<std::byte> rows;     // seen then, [num_envs, carried row]
    std::vector<int32_t> num_steps;  // of the episodes until then, [num_envs]
    std::vector<float> actions;      // [horizon, num_envs, action_dim]
  };

  Round Snapshot() const;
  Result<void> GoBackTo(const Round& round);
  // What is seen goes into the ring, and what the teacher would do; both nets say what they do.
  void LookAround(int step);
  void ChooseActions(int step, std::span<float> actions);
  Result<void> Advance(std::span<const float> actions);

  DistillOptions options_;
  FrameCollectorParts parts_;
  EnvironmentSpec spec_;
  FrameRing ring_;
  std::deque<Round> rounds_;        // of the ring, the oldest first
  std::vector<std::byte> rows_;     // seen now, as the environment writes them
  std::vector<int32_t> num_steps_;  // of the running episodes
  std::vector<std::byte> teacher_rows_;
  std::vector<float> teacher_actions_;
  std::vector<std::byte> final_rows_;  // what follows is written and not read
  std::vector<float> rewards_;
  std::vector<uint8_t> terminated_;
  std::vector<uint8_t> truncated_;
};

}  // namespace lapforge::agents
