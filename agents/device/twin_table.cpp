#include "agents/device/device_table.h"

namespace lapforge::agents {
namespace {

// Streams and events that need no memory of their own.
char some_handle = 0;

void* MakeHandle() { return &some_handle; }
void* MakeNone() { return nullptr; }
int AtOnce(void*) { return 0; }
int AtOnceToo(void*, void*) { return 0; }
void* NoStream(void*) { return nullptr; }
void Forget(void*) {}
const char* NoError() { return ""; }

}  // namespace

const DeviceTable& TwinTable() {
  static constexpr DeviceTable kTable = {.version = kDeviceTableVersion,
                                         .last_error = NoError,
                                         .make_stream = MakeHandle,
                                         .use_stream = AtOnce,
                                         .native_stream = NoStream,
                                         .make_event = MakeHandle,
                                         .record = AtOnceToo,
                                         .stream_waits = AtOnceToo,
                                         .host_waits = AtOnce,
                                         .free_event = Forget,
                                         .make_graph = MakeNone,
                                         .begin_capture = AtOnce,
                                         .end_capture = AtOnce,
                                         .replay = AtOnce,
                                         .free_graph = Forget};
  return kTable;
}

}  // namespace lapforge::agents
