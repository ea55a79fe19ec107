// What the learner on a device needs beside libtorch's operators: streams, events and graphs. One
// table of plain C functions, because only the plug-in (agents/cuda) may include c10/cuda.
#pragma once

namespace lapforge::agents {

// Rises with every change of the table.
inline constexpr int kDeviceTableVersion = 1;
inline constexpr const char* kDeviceTableName = "lapforge_device_table";

// Functions that return int say 0 when all is well, pointers are null when it is not; then
// last_error() has one line, of the calling thread. None throws.
struct DeviceTable {
  int version;
  const char* (*last_error)();

  // A stream is a queue of work; streams run side by side. They live as long as the process.
  void* (*make_stream)();
  // Operators that this thread calls from now on are queued there.
  int (*use_stream)(void* stream);
  // The cudaStream_t behind it.
  void* (*native_stream)(void* stream);

  // An event is a place in a stream, which `record` moves to its present end.
  void* (*make_event)();
  int (*record)(void* event, void* stream);
  // Work queued after this runs after the event.
  int (*stream_waits)(void* stream, void* event);
  int (*host_waits)(void* event);
  void (*free_event)(void* event);

  // Between begin and end, what this thread queues in its stream is not run but written down;
  // `replay` queues all of it at once, on the same memory. Null from make_graph: this device has no
  // graphs. After an error nothing is being written down.
  void* (*make_graph)();
  int (*begin_capture)(void* graph);
  int (*end_capture)(void* graph);
  int (*replay)(void* graph);
  void (*free_graph)(void* graph);
};

// The table of a device that does everything at once, in order: the CPU, in tests of the code that
// drives a GPU.
const DeviceTable& TwinTable();

}  // namespace lapforge::agents
