// The state of all envs as bytes: a header that says what it belongs to, the bits, a checksum.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/base/hash.h"
#include "sim/base/result.h"
#include "sim/episode/env.h"

namespace lapforge::sim {

// `setup_hash` stands for options, car and tracks.
std::vector<std::byte> SaveEnvs(std::span<const Env> envs, uint64_t setup_hash);

// All or nothing: refuses bytes of another set-up, of another version, or damaged ones.
Result<void> RestoreEnvs(std::span<const std::byte> bytes, uint64_t setup_hash,
                         std::span<Env> envs);

// Appends an env's state.
void HashEnv(const Env& env, StateHasher& hasher);

}  // namespace lapforge::sim
