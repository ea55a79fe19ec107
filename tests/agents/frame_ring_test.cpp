// Tests the ring of frames: the newest rounds, oldest first, and the last one taken back.
#include "agents/rollout/frame_ring.h"

#include <catch2/catch.hpp>

namespace lapforge::agents {
namespace {

// Frame `i` of round `round` says both.
void WriteRound(FrameRing& ring, int round) {
  for (int i = 0; i < ring.shape().frames_per_round; ++i) {
    const std::span<std::byte> row = ring.NextRows(i, 1);
    row[0] = static_cast<std::byte>(round);
    row[1] = static_cast<std::byte>(i);
    ring.NextTargets(i, 1)[0] = float(100 * round + i);
  }
  ring.Commit();
}

std::vector<int> RoundsOf(const FrameRing& ring) {
  std::vector<int> rounds;
  for (int i = 0; i < ring.num_frames(); ++i) {
    const int round = static_cast<int>(ring.RowOf(i)[0]);
    CHECK(static_cast<int>(ring.RowOf(i)[1]) == i % ring.shape().frames_per_round);
    CHECK(ring.TargetsOf(i)[0] == float(100 * round + i % ring.shape().frames_per_round));
    if (rounds.empty() || rounds.back() != round) rounds.push_back(round);
  }
  return rounds;
}

TEST_CASE("a ring holds the newest rounds, the oldest first") {
  FrameRing ring({3, 4, 2, 1});
  CHECK(ring.num_frames() == 0);
  std::vector<int> expected;
  for (int round = 0; round < 11; ++round) {
    WriteRound(ring, round);
    expected.push_back(round);
    if (expected.size() > 4) expected.erase(expected.begin());
    CHECK(RoundsOf(ring) == expected);
    CHECK(ring.num_rounds() == round + 1);
  }
}

TEST_CASE("the last round can be taken back, and one that is not complete does not count") {
  FrameRing ring({3, 4, 2, 1});
  for (int round = 0; round < 6; ++round) WriteRound(ring, round);
  ring.NextRows(0, 1)[0] = std::byte{99};
  CHECK(RoundsOf(ring) == std::vector<int>{2, 3, 4, 5});
  WriteRound(ring, 6);
  ring.Uncommit();
  CHECK(RoundsOf(ring) == std::vector<int>{2, 3, 4, 5});
  WriteRound(ring, 7);
  CHECK(RoundsOf(ring) == std::vector<int>{3, 4, 5, 7});
}

}  // namespace
}  // namespace lapforge::agents
