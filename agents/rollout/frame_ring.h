// What a student has seen lately, and what its teacher would have done: the newest rounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lapforge::agents {

// How much a ring holds.
struct FrameRingShape {
  int frames_per_round = 0;
  int num_rounds = 0;    // that the ring keeps
  size_t row_bytes = 0;  // of a frame, as the student's sensors give it: images stay bytes
  int num_outputs = 0;
};

// Rounds are written at the front while the oldest one is still there, so that a round that does
// not come to its end can be forgotten.
class FrameRing {
 public:
  explicit FrameRing(const FrameRingShape& shape)
      : shape_(shape),
        rows_(NumSlots() * size_t(shape.frames_per_round) * shape.row_bytes),
        targets_(NumSlots() * size_t(shape.frames_per_round) * size_t(shape.num_outputs)) {}

  const FrameRingShape& shape() const { return shape_; }
  // Rounds written since the beginning, and those that are still held.
  int64_t num_rounds() const { return num_rounds_; }
  int num_held_rounds() const {
    return static_cast<int>(std::min<int64_t>(num_rounds_, shape_.num_rounds));
  }
  int num_frames() const { return num_held_rounds() * shape_.frames_per_round; }

  // Where the round after the held ones goes: frames [begin, begin + count) of it.
  std::span<std::byte> NextRows(int begin, int count) {
    return std::span(rows_).subspan(FirstFrameOf(num_rounds_, begin) * shape_.row_bytes,
                                    size_t(count) * shape_.row_bytes);
  }
  std::span<float> NextTargets(int begin, int count) {
    return std::span(targets_).subspan(
        FirstFrameOf(num_rounds_, begin) * size_t(shape_.num_outputs),
        size_t(count) * size_t(shape_.num_outputs));
  }
  void Commit() { ++num_rounds_; }
  // Takes the last Commit() back.
  void Uncommit() { --num_rounds_; }
  // Forgets everything; the next round is number `num_rounds`.
  void Restart(int64_t num_rounds) { num_rounds_ = num_rounds; }

  // Frame `index` of 0 .. num_frames() - 1, the oldest first.
  std::span<const std::byte> RowOf(int index) const {
    return std::span(rows_).subspan(FrameOf(index) * shape_.row_bytes, shape_.row_bytes);
  }
  std::span<const float> TargetsOf(int index) const {
    const size_t count = size_t(shape_.num_outputs);
    return std::span(targets_).subspan(FrameOf(index) * count, count);
  }

 private:
  size_t NumSlots() const { return size_t(shape_.num_rounds) + 1; }
  size_t FirstFrameOf(int64_t round, int begin) const {
    return size_t(round) % NumSlots() * size_t(shape_.frames_per_round) + size_t(begin);
  }
  size_t FrameOf(int index) const {
    return FirstFrameOf(num_rounds_ - num_held_rounds() + index / shape_.frames_per_round,
                        index % shape_.frames_per_round);
  }

  FrameRingShape shape_;
  int64_t num_rounds_ = 0;
  std::vector<std::byte> rows_;
  std::vector<float> targets_;
};

}  // namespace lapforge::agents
