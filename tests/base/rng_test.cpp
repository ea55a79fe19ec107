// Tests the random streams: published vectors, independence of order, moments, unbiased integers.
#include "sim/base/rng.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <vector>

namespace lapforge {
namespace {

using Words = std::array<uint32_t, 4>;

RngStream TestStream(uint64_t seed = 7) { return RngStream(seed, 0, 0, RngPurpose::kTest); }

TEST_CASE("Philox gives the known answers published with Random123") {
  CHECK(Philox4x32({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr uint32_t kOnes = 0xffffffff;
  CHECK(Philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("A stream is Philox over (block, env, episode, purpose) with the seed as key") {
  RngStream zero(0, 0, 0, RngPurpose::kStartPose);
  for (const uint32_t word : Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}) {
    CHECK(zero.NextU32() == word);
  }
  RngStream stream(0x299f31d0a4093822, 5, 6, RngPurpose::kNetInit);
  stream.Seek(4 * 0x100000002 + 1);
  CHECK(stream.NextU32() == Philox4x32({2, 5, 6, 0x03000001}, {0xa4093822, 0x299f31d0})[1]);
}

TEST_CASE("Draws from the first block are as computed by another program") {
  RngStream zero(0, 0, 0, RngPurpose::kStartPose);
  CHECK(zero.Uniform() == 0.3990464708489645);
  zero.Seek(0);
  CHECK(zero.Normal() == Approx(0.9911376799303855).epsilon(1e-14));
  CHECK(zero.position() == 2);
  zero.Seek(0);
  CHECK(zero.Below(10) == 3);
  CHECK(zero.Below(10) == 8);
}

TEST_CASE("A stream continues from any position") {
  RngStream stream = TestStream();
  std::vector<uint32_t> words;
  for (int i = 0; i < 20; ++i) words.push_back(stream.NextU32());
  CHECK(stream.position() == 20);
  for (const size_t position : {13, 0, 19, 4, 7}) {
    RngStream fresh = TestStream();
    fresh.Seek(position);
    for (size_t i = position; i < words.size(); ++i) CHECK(fresh.NextU32() == words[i]);
    stream.Seek(position);
    CHECK(stream.NextU32() == words[position]);
  }
}

TEST_CASE("Seed, env, episode and purpose each give another stream") {
  std::set<uint32_t> firsts;
  for (uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32}) {
    for (uint32_t env = 0; env < 3; ++env) {
      for (uint32_t episode = 0; episode < 3; ++episode) {
        for (const RngPurpose purpose : {RngPurpose::kStartPose, RngPurpose::kActionNoise}) {
          firsts.insert(RngStream(seed, env, episode, purpose).NextU32());
        }
      }
    }
  }
  CHECK(firsts.size() == 3 * 3 * 3 * 2);
}

// Tolerances are five standard errors of the mean over kNumDraws.
constexpr int kNumDraws = 400000;
const double kFiveErrors = 5 / std::sqrt(kNumDraws);

TEST_CASE("Uniform has the moments and the range of a uniform") {
  RngStream stream = TestStream();
  double sum = 0, sum_of_squares = 0;
  bool is_in_range = true;
  for (int i = 0; i < kNumDraws; ++i) {
    const double u = stream.Uniform();
    is_in_range &= u >= 0 && u < 1;
    sum += u;
    sum_of_squares += u * u;
  }
  CHECK(is_in_range);
  CHECK(std::abs(sum / kNumDraws - 1.0 / 2) < kFiveErrors * std::sqrt(1.0 / 12));
  CHECK(std::abs(sum_of_squares / kNumDraws - 1.0 / 3) < kFiveErrors * std::sqrt(4.0 / 45));
  const double shifted = stream.Uniform(-3, -2);
  CHECK((shifted >= -3 && shifted < -2));
}

TEST_CASE("Normal has the moments of a normal and no memory") {
  RngStream stream = TestStream();
  double sums[5] = {}, lagged_sum = 0, last = 0;
  for (int i = 0; i < kNumDraws; ++i) {
    const double x = stream.Normal();
    double power = x;
    for (int k = 1; k <= 4; ++k, power *= x) sums[k] += power;
    lagged_sum += x * last;
    last = x;
  }
  CHECK(stream.position() == 2 * uint64_t{kNumDraws});
  CHECK(std::abs(sums[1] / kNumDraws) < kFiveErrors);
  CHECK(std::abs(sums[2] / kNumDraws - 1) < kFiveErrors * std::sqrt(2));
  CHECK(std::abs(sums[3] / kNumDraws) < kFiveErrors * std::sqrt(15));
  CHECK(std::abs(sums[4] / kNumDraws - 3) < kFiveErrors * std::sqrt(96));
  CHECK(std::abs(lagged_sum / kNumDraws) < kFiveErrors);
}

TEST_CASE("Below is unbiased, also where the words do not divide evenly") {
  RngStream stream = TestStream();
  // without rejection every third of these 3 * 2^30 numbers would come twice as often
  constexpr uint32_t kUneven = uint32_t{3} << 30;
  int num_of_rest[3] = {}, num_of_seven[7] = {};
  for (int i = 0; i < kNumDraws; ++i) {
    ++num_of_rest[stream.Below(kUneven) % 3];
    ++num_of_seven[stream.Below(7)];
  }
  for (const int n : num_of_rest) {
    CHECK(std::abs(n / double{kNumDraws} - 1.0 / 3) < kFiveErrors * std::sqrt(2.0 / 9));
  }
  for (const int n : num_of_seven) {
    CHECK(std::abs(n / double{kNumDraws} - 1.0 / 7) < kFiveErrors * std::sqrt(6.0 / 49));
  }
  CHECK(stream.Below(1) == 0);
}

}  // namespace
}  // namespace lapforge
