// Counter-based random streams: the n-th number of a stream is a function of (seed, env, episode,
// purpose, n) and of nothing else, so results depend neither on threads nor on call order
// elsewhere, and a stream is saved as its position.
#pragma once

#include <array>
#include <cstdint>

namespace lapforge {

/// What a stream is used for. The numbers are part of what a seed means: only append.
enum class RngPurpose : uint32_t {
  kStartPose,
  kActionNoise,
  kMinibatchOrder,
  kNetInit,
  kRandomization,
  kSensorNoise,
  kObjects,
  kTest,
  kTrackShape,
  kBotLanes,
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
/// SC 2011): 128 bits that look random for each counter and key.
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// One reproducible sequence of 2^58 random words. Cheap to make; not for use by two threads.
class RngStream {
 public:
  RngStream(uint64_t seed, uint32_t env, uint32_t episode, RngPurpose purpose);

  /// 32 uniform bits. Every other draw is made of these; position() counts them.
  uint32_t NextU32() {
    const uint32_t word_index = position_ % 4;
    if (word_index == 0 || !is_block_ready_) FillBlock();
    ++position_;
    return block_[word_index];
  }

  /// Uniform in [0, 1), a multiple of 2^-53. Takes two words.
  double Uniform();

  /// Uniform in [low, high), for finite low <= high.
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }

  /// Standard normal: the cosine half of Box-Muller, within +-6.8. Takes two words.
  double Normal();

  /// Uniform in 0 .. n-1 without bias (Lemire 2019), n > 0. Takes one word, rarely more.
  uint32_t Below(uint32_t n);

  /// Words drawn so far; with the constructor's arguments the whole state.
  uint64_t position() const { return position_; }

  /// Continues at `position`, forward or backward, at no cost.
  void Seek(uint64_t position);

 private:
  void FillBlock();

  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 3> stream_;
  uint64_t position_ = 0;
  std::array<uint32_t, 4> block_{};  // words of counter position_ / 4
  bool is_block_ready_ = false;
};

}  // namespace lapforge
