// The plug-in's table of functions.
#define LAPFORGE_DEVICE __host__ __device__

#include <string>

#include "sim/cuda/cuda_eyes.cuh"
#include "sim/cuda/device_memory.cuh"

namespace lapforge::sim {
namespace {

thread_local std::string last_error;

int CountDevices(int* count) {
  return Succeeded(cudaGetDeviceCount(count), "looking for devices") ? 0 : 1;
}

void* Allocate(size_t num_bytes) {
  void* memory = nullptr;
  return Succeeded(cudaMalloc(&memory, num_bytes), "allocating") ? memory : nullptr;
}

int CopyToHost(void* to, const void* device_from, size_t num_bytes) {
  const cudaError_t copied = cudaMemcpy(to, device_from, num_bytes, cudaMemcpyDeviceToHost);
  return Succeeded(copied, "copying from the device") ? 0 : 1;
}

void Release(void* device_memory) { cudaFree(device_memory); }

}  // namespace

bool Succeeded(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return true;
  last_error = std::string("CUDA, ") + doing + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) {
    last_error += "; lower sim.num_envs or the camera's size";
  }
  return false;
}

const char* LastError() { return last_error.c_str(); }

}  // namespace lapforge::sim

const lapforge::sim::CudaTable* lapforge_cuda_table() {
  using namespace lapforge::sim;
  static const CudaTable table = {kCudaTableVersion, LastError, CountDevices, Allocate,
                                  CopyToHost,        Release,   MakeCamera,   PaintFrames,
                                  FreeCamera,        MakeLidar, ScanFrames,   FreeLidar};
  return &table;
}
