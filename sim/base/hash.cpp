#include "sim/base/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lapforge {
namespace {

static_assert(std::endian::native == std::endian::little, "the hash is defined on this order");

constexpr size_t kStripeBytes = 32;
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F,
                   kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63,
                   kPrime5 = 0x27D4EB2F165667C5;

template <class Word>
uint64_t Load(const std::byte* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

uint64_t Round(uint64_t lane, uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

uint64_t MergeLane(uint64_t hash, uint64_t lane) {
  return (hash ^ Round(0, lane)) * kPrime1 + kPrime4;
}

uint64_t MixTail(uint64_t hash, const std::byte* tail, size_t size) {
  for (; size >= 8; tail += 8, size -= 8) {
    hash = std::rotl(hash ^ Round(0, Load<uint64_t>(tail)), 27) * kPrime1 + kPrime4;
  }
  for (; size >= 4; tail += 4, size -= 4) {
    hash = std::rotl(hash ^ (Load<uint32_t>(tail) * kPrime1), 23) * kPrime2 + kPrime3;
  }
  for (; size > 0; ++tail, --size) {
    hash = std::rotl(hash ^ (Load<uint8_t>(tail) * kPrime5), 11) * kPrime1;
  }
  return hash;
}

uint64_t Avalanche(uint64_t hash) {
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

}  // namespace

StateHasher::StateHasher(uint64_t seed)
    : seed_(seed), lanes_{seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1} {}

void StateHasher::ConsumeStripe(const std::byte* stripe) {
  for (size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i] = Round(lanes_[i], Load<uint64_t>(stripe + 8 * i));
  }
}

void StateHasher::Add(const void* data, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  num_bytes_ += size;

  // complete the stripe that earlier calls began
  if (num_pending_ > 0) {
    const size_t num_taken = std::min(size, kStripeBytes - num_pending_);
    std::copy_n(bytes, num_taken, pending_.data() + num_pending_);
    num_pending_ += num_taken;
    bytes += num_taken;
    size -= num_taken;
    if (num_pending_ < kStripeBytes) return;
    ConsumeStripe(pending_.data());
    num_pending_ = 0;
  }

  // whole stripes straight from the caller, the rest is kept
  for (; size >= kStripeBytes; bytes += kStripeBytes, size -= kStripeBytes) ConsumeStripe(bytes);
  std::copy_n(bytes, size, pending_.data());
  num_pending_ = size;
}

uint64_t StateHasher::Finish() const {
  uint64_t hash = seed_ + kPrime5;
  if (num_bytes_ >= kStripeBytes) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
    for (const uint64_t lane : lanes_) hash = MergeLane(hash, lane);
  }
  return Avalanche(MixTail(hash + num_bytes_, pending_.data(), num_pending_));
}

uint64_t HashBytes(std::span<const std::byte> bytes) {
  StateHasher hasher;
  hasher.AddSpan(bytes);
  return hasher.Finish();
}

uint64_t HashText(std::string_view text) {
  return HashBytes(std::as_bytes(std::span<const char>(text)));
}

}  // namespace lapforge
