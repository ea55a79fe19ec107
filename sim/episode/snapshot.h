// The state of all envs as bytes: a header that says what it belongs to, the bits, a checksum.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/base/hash.h"
#include "sim/base/result.h"
#include "sim/episode/env.h"

namespace lapforge::sim {

// Everything that changes: `setup_hash` stands for options, cars and tracks.
struct AllEnvs {
  std::span<Env> envs;
  std::span<World> worlds;
  uint64_t setup_hash = 0;
};

std::vector<std::byte> SaveEnvs(const AllEnvs& all);

// All or nothing: refuses bytes of another set-up, of another version, or damaged ones.
Result<void> RestoreEnvs(std::span<const std::byte> bytes, const AllEnvs& all);

// Appends the state of an env, and of what its world shares.
void HashEnv(const Env& env, StateHasher& hasher);
void HashWorld(const World& world, StateHasher& hasher);

}  // namespace lapforge::sim
