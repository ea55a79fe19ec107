#include "sim/episode/snapshot.h"

#include "sim/base/byte_buffer.h"

namespace lapforge::sim {
namespace {

// "LFSIMST1" in memory: bytes that begin otherwise are something else.
constexpr uint64_t kMagic = 0x3154534d4953464c;
// Rises whenever VisitState changes.
constexpr uint32_t kVersion = 5;
constexpr size_t kChecksumBytes = sizeof(uint64_t);

// What the two directions of VisitState share; copies, since the visitor shows fields to write.
struct Snapshot {
  EnvState state;
  BodyState body;
};

Snapshot SnapshotOf(const Env& env) { return {env.state, env.world->state()}; }

}  // namespace

std::vector<std::byte> SaveEnvs(std::span<const Env> envs, uint64_t setup_hash) {
  ByteWriter writer;
  writer.Write(kMagic);
  writer.Write(kVersion);
  writer.Write(setup_hash);
  for (const Env& env : envs) {
    Snapshot shot = SnapshotOf(env);
    VisitState(shot.state, shot.body, [&](const auto& field) { writer.Write(field); });
  }
  std::vector<std::byte> bytes = writer.Take();
  ByteWriter checksum;
  checksum.Write(HashBytes(bytes));
  const std::vector<std::byte> tail = checksum.Take();
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

Result<void> RestoreEnvs(std::span<const std::byte> bytes, uint64_t setup_hash,
                         std::span<Env> envs) {
  ByteReader reader(bytes);
  uint64_t magic = 0;
  uint32_t version = 0;
  uint64_t stored_setup = 0;
  if (!reader.Read(magic) || magic != kMagic) {
    return ErrorOf("not a saved simulator state");
  }
  if (!reader.Read(version) || version != kVersion) {
    return ErrorOf("the saved simulator state has version ", version, "; this program reads ",
                   kVersion);
  }
  if (!reader.Read(stored_setup) || reader.num_bytes_left() < kChecksumBytes) {
    return ErrorOf("the saved simulator state is cut short");
  }
  uint64_t checksum = 0;
  ByteReader(bytes.last(kChecksumBytes)).Read(checksum);
  if (checksum != HashBytes(bytes.first(bytes.size() - kChecksumBytes))) {
    return ErrorOf("the saved simulator state is damaged: its checksum differs");
  }
  if (stored_setup != setup_hash) {
    return ErrorOf(
        "the saved simulator state belongs to other options, another car or other tracks");
  }

  // into copies first, so that a failure changes nothing
  std::vector<Snapshot> shots;
  for (const Env& env : envs) shots.push_back({env.state, {}});
  for (Snapshot& shot : shots) {
    VisitState(shot.state, shot.body, [&](auto& field) { reader.Read(field); });
  }
  if (!reader.ok() || reader.num_bytes_left() != kChecksumBytes) {
    return ErrorOf("the saved simulator state has the wrong size");
  }
  for (size_t i = 0; i < envs.size(); ++i) {
    envs[i].state = shots[i].state;
    envs[i].world->set_state(shots[i].body);
  }
  return {};
}

void HashEnv(const Env& env, StateHasher& hasher) {
  Snapshot shot = SnapshotOf(env);
  VisitState(shot.state, shot.body, [&](const auto& field) { hasher.Add(&field, sizeof(field)); });
}

}  // namespace lapforge::sim
