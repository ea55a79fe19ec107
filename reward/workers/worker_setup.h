// What a worker process is told when it starts, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "tracks/track.h"

namespace lapforge::reward {

struct WorkerSetup {
  std::string path;    // of the user's file, for messages and its folder
  std::string source;  // what the file held when the reward was made
  std::string log_file;
  bool mutes_loading = false;
  int64_t memory_limit_bytes = 0;     // beyond what Python itself takes; 0: none
  std::vector<tracks::Track> tracks;  // the views: forward, reversed, ...
};

std::vector<std::byte> WriteSetup(const WorkerSetup& setup);
Result<WorkerSetup> ReadSetup(std::span<const std::byte> bytes);

// The descriptors that a worker is born with.
inline constexpr int kSocketFd = 3;  // set-up and requests come in, answers go out
inline constexpr int kMemoryFd = 4;  // of the WorkerBlock
inline constexpr int kTraceFd = 5;   // a file for the traceback of a worker that dies

// Whole messages over a stream socket: their size in four bytes, then themselves.
bool SendMessage(int socket, std::span<const std::byte> bytes);
// Empty when the other side has gone, or sends more than `max_bytes`.
std::vector<std::byte> ReceiveMessage(int socket, size_t max_bytes = size_t{256} << 20);

}  // namespace lapforge::reward
