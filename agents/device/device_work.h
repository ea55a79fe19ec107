// Streams, events and work that is played back, over DeviceTable. What fails throws
// std::runtime_error, as libtorch's operators do; DeviceEngine turns both into a Result.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "agents/device/device_table.h"

namespace lapforge::agents {

// What an operator or a function of the table said, without where it was thrown.
std::string FirstLineOf(const std::exception& error);

class DeviceStream {
 public:
  explicit DeviceStream(const DeviceTable* table);

  // What this thread calls goes here from now on.
  void Use() const;
  void* handle() const { return handle_; }
  void* native() const { return table_->native_stream(handle_); }

 private:
  const DeviceTable* table_;
  void* handle_;
};

// A place in a stream.
class DeviceEvent {
 public:
  explicit DeviceEvent(const DeviceTable* table);

  void Record(const DeviceStream& stream) const;
  // Work that comes later in the stream waits for the event's.
  void Delay(const DeviceStream& stream) const;
  // The calling thread waits.
  void Wait() const;

 private:
  const DeviceTable* table_;
  std::unique_ptr<void, void (*)(void*)> event_;
};

// Work on the same memory each time. The first runs are as they come, since libraries set
// themselves up in them; then it is written down once and played back: one call to the driver
// instead of hundreds.
class RepeatedWork {
 public:
  static constexpr int kWarmUps = 3;

  // `name` is for the one line that says why it is not played back.
  RepeatedWork(const DeviceTable* table, bool is_played_back, std::string name);

  // Queues the work in the current stream. It must be the same in each call, allocate what it
  // keeps elsewhere, and not wait for the device.
  void Run(const std::function<void()>& work);

 private:
  void WriteDown(const std::function<void()>& work);

  const DeviceTable* table_;
  std::unique_ptr<void, void (*)(void*)> graph_;
  std::string name_;
  int num_runs_ = 0;
};

}  // namespace lapforge::agents
