#include "reward/workers/worker_setup.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "sim/base/byte_buffer.h"

namespace lapforge::reward {
namespace {

// The rows that a track was made of, in the direction of its file.
void WriteTrack(const tracks::Track& view, ByteWriter& writer) {
  const tracks::Track track = view.is_reversed() ? view.Reversed() : view;
  std::vector<Vec2> center_m, inner_m, outer_m;
  for (int i = 0; i < track.num_waypoints(); ++i) {
    tracks::Waypoint waypoint = track.waypoint(i);
    if (!track.inner_is_left()) std::swap(waypoint.left_m, waypoint.right_m);
    center_m.push_back(waypoint.center_m);
    inner_m.push_back(waypoint.left_m);
    outer_m.push_back(waypoint.right_m);
  }
  writer.Write(std::string_view(track.name()));
  writer.Write(view.is_reversed());
  writer.Write(center_m);
  writer.Write(inner_m);
  writer.Write(outer_m);
}

Result<tracks::Track> ReadTrack(ByteReader& reader) {
  tracks::TrackRows rows;
  bool is_reversed = false;
  reader.Read(rows.name);
  reader.Read(is_reversed);
  reader.Read(rows.center_m);
  reader.Read(rows.inner_m);
  if (!reader.Read(rows.outer_m)) return ErrorOf("the set-up of a reward worker is damaged");
  LAPFORGE_TRY(tracks::Track track, tracks::Track::FromRows(rows));
  return is_reversed ? track.Reversed() : track;
}

bool ReceiveAll(int socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = recv(socket, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

bool SendAll(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

std::vector<std::byte> WriteSetup(const WorkerSetup& setup) {
  ByteWriter writer;
  writer.Write(std::string_view(setup.path));
  writer.Write(std::string_view(setup.source));
  writer.Write(std::string_view(setup.log_file));
  writer.Write(setup.mutes_loading);
  writer.Write(setup.memory_limit_bytes);
  writer.Write(static_cast<uint64_t>(setup.tracks.size()));
  for (const tracks::Track& view : setup.tracks) WriteTrack(view, writer);
  return writer.Take();
}

Result<WorkerSetup> ReadSetup(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  WorkerSetup setup;
  uint64_t num_tracks = 0;
  reader.Read(setup.path);
  reader.Read(setup.source);
  reader.Read(setup.log_file);
  reader.Read(setup.mutes_loading);
  reader.Read(setup.memory_limit_bytes);
  reader.Read(num_tracks);
  while (reader.ok() && setup.tracks.size() < num_tracks) {
    LAPFORGE_TRY(const tracks::Track track, ReadTrack(reader));
    setup.tracks.push_back(track);
  }
  if (!reader.AtEnd()) return ErrorOf("the set-up of a reward worker is damaged");
  return setup;
}

bool SendMessage(int socket, std::span<const std::byte> bytes) {
  const auto size = static_cast<uint32_t>(bytes.size());
  return SendAll(socket, std::as_bytes(std::span(&size, 1))) && SendAll(socket, bytes);
}

std::vector<std::byte> ReceiveMessage(int socket, size_t max_bytes) {
  uint32_t size = 0;
  if (!ReceiveAll(socket, std::as_writable_bytes(std::span(&size, 1))) || size > max_bytes) {
    return {};
  }
  std::vector<std::byte> bytes(size);
  if (!ReceiveAll(socket, bytes)) return {};
  return bytes;
}

}  // namespace lapforge::reward
