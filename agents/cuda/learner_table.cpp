// The learner's plug-in: DeviceTable over c10/cuda. Everything is on the current device.
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>

#include "agents/device/device_table.h"

namespace lapforge::agents {
namespace {

thread_local std::string last_error;

// What `function` gives, or `failed` after an exception, whose first line is kept.
template <class T, class Function>
T Caught(T failed, const Function& function) {
  try {
    return function();
  } catch (const std::exception& error) {
    last_error = std::string("CUDA: ") + error.what();
    last_error.erase(std::min(last_error.find('\n'), last_error.size()));
    return failed;
  }
}

int StatusOf(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return 0;
  last_error = std::string("CUDA, ") + doing + ": " + cudaGetErrorString(error);
  return 1;
}

const char* LastError() { return last_error.c_str(); }

// Streams of libtorch's pool, so that its operators and its memory know them.
c10::cuda::CUDAStream& StreamOf(void* stream) {
  return *static_cast<c10::cuda::CUDAStream*>(stream);
}

void* MakeStream() {
  return Caught<void*>(nullptr, [] {
    return std::make_unique<c10::cuda::CUDAStream>(c10::cuda::getStreamFromPool()).release();
  });
}

int UseStream(void* stream) {
  return Caught(1, [&] {
    c10::cuda::setCurrentCUDAStream(StreamOf(stream));
    return 0;
  });
}

void* NativeStream(void* stream) { return StreamOf(stream).stream(); }

cudaEvent_t EventOf(void* event) { return static_cast<cudaEvent_t>(event); }

void* MakeEvent() {
  cudaEvent_t event = nullptr;
  const cudaError_t made = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  return StatusOf(made, "making an event") == 0 ? event : nullptr;
}

int Record(void* event, void* stream) {
  return StatusOf(cudaEventRecord(EventOf(event), StreamOf(stream).stream()), "marking a stream");
}

int StreamWaits(void* stream, void* event) {
  return StatusOf(cudaStreamWaitEvent(StreamOf(stream).stream(), EventOf(event), 0),
                  "ordering two streams");
}

int HostWaits(void* event) {
  return StatusOf(cudaEventSynchronize(EventOf(event)), "waiting for the device");
}

void FreeEvent(void* event) { cudaEventDestroy(EventOf(event)); }

at::cuda::CUDAGraph& GraphOf(void* graph) { return *static_cast<at::cuda::CUDAGraph*>(graph); }

void* MakeGraph() {
  return Caught<void*>(nullptr, [] { return std::make_unique<at::cuda::CUDAGraph>().release(); });
}

// Only this thread and autograd's queue work meanwhile; others may go on with what they do.
int BeginCapture(void* graph) {
  return Caught(1, [&] {
    GraphOf(graph).capture_begin({0, 0}, cudaStreamCaptureModeRelaxed);
    return 0;
  });
}

int EndCapture(void* graph) {
  return Caught(1, [&] {
    GraphOf(graph).capture_end();
    return 0;
  });
}

int Replay(void* graph) {
  return Caught(1, [&] {
    GraphOf(graph).replay();
    return 0;
  });
}

void FreeGraph(void* graph) { delete static_cast<at::cuda::CUDAGraph*>(graph); }

}  // namespace
}  // namespace lapforge::agents

extern "C" __attribute__((visibility("default"))) const lapforge::agents::DeviceTable*
lapforge_device_table() {
  using namespace lapforge::agents;
  static const DeviceTable table = {.version = kDeviceTableVersion,
                                    .last_error = LastError,
                                    .make_stream = MakeStream,
                                    .use_stream = UseStream,
                                    .native_stream = NativeStream,
                                    .make_event = MakeEvent,
                                    .record = Record,
                                    .stream_waits = StreamWaits,
                                    .host_waits = HostWaits,
                                    .free_event = FreeEvent,
                                    .make_graph = MakeGraph,
                                    .begin_capture = BeginCapture,
                                    .end_capture = EndCapture,
                                    .replay = Replay,
                                    .free_graph = FreeGraph};
  return &table;
}
