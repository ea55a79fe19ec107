#include "sim/episode/snapshot.h"

#include "sim/base/byte_buffer.h"

namespace lapforge::sim {
namespace {

// "LFSIMST1" in memory: bytes that begin otherwise are something else.
constexpr uint64_t kMagic = 0x3154534d4953464c;
// Rises whenever VisitState or BotState changes.
constexpr uint32_t kVersion = 6;
constexpr size_t kChecksumBytes = sizeof(uint64_t);

// What the two directions of VisitState share; copies, since the visitor shows fields to write.
struct Snapshot {
  EnvState state;
  BodyState body;
};

Snapshot SnapshotOf(const Env& env) { return {env.state, env.body()}; }

}  // namespace

std::vector<std::byte> SaveEnvs(const AllEnvs& all) {
  ByteWriter writer;
  writer.Write(kMagic);
  writer.Write(kVersion);
  writer.Write(all.setup_hash);
  for (const Env& env : all.envs) {
    Snapshot shot = SnapshotOf(env);
    VisitState(shot.state, shot.body, [&](const auto& field) { writer.Write(field); });
  }
  for (const World& world : all.worlds) {
    for (const BotState& bot : world.bots) writer.Write(bot);
  }
  std::vector<std::byte> bytes = writer.Take();
  ByteWriter checksum;
  checksum.Write(HashBytes(bytes));
  const std::vector<std::byte> tail = checksum.Take();
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

Result<void> RestoreEnvs(std::span<const std::byte> bytes, const AllEnvs& all) {
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
  if (stored_setup != all.setup_hash) {
    return ErrorOf(
        "the saved simulator state belongs to other options, other cars or other tracks");
  }

  // into copies first, so that a failure changes nothing
  std::vector<Snapshot> shots;
  for (const Env& env : all.envs) shots.push_back({env.state, {}});
  for (Snapshot& shot : shots) {
    VisitState(shot.state, shot.body, [&](auto& field) { reader.Read(field); });
  }
  std::vector<std::vector<BotState>> bots;
  for (const World& world : all.worlds) {
    bots.push_back(world.bots);
    for (BotState& bot : bots.back()) reader.Read(bot);
  }
  if (!reader.ok() || reader.num_bytes_left() != kChecksumBytes) {
    return ErrorOf("the saved simulator state has the wrong size");
  }
  for (size_t i = 0; i < shots.size(); ++i) {
    Env& env = all.envs[i];
    env.state = shots[i].state;
    env.physics->set_state(shots[i].body, env.car_index);
  }
  for (size_t i = 0; i < bots.size(); ++i) all.worlds[i].bots = bots[i];
  return {};
}

void HashEnv(const Env& env, StateHasher& hasher) {
  Snapshot shot = SnapshotOf(env);
  VisitState(shot.state, shot.body, [&](const auto& field) { hasher.Add(&field, sizeof(field)); });
}

void HashWorld(const World& world, StateHasher& hasher) {
  for (const BotState& bot : world.bots) hasher.Add(&bot, sizeof(bot));
}

}  // namespace lapforge::sim
