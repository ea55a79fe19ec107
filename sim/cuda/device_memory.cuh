// Errors and memory of the plug-in.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

namespace lapforge::sim {

// False after an error, which CudaTable::last_error() then tells with what was being done.
bool Succeeded(cudaError_t status, const char* doing);
const char* LastError();

// Blocks of the GPU's memory that are freed together.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() {
    for (void* block : blocks_) cudaFree(block);
  }

  // Null after an error.
  template <class T>
  T* Allocate(size_t count) {
    void* block = nullptr;
    if (!Succeeded(cudaMalloc(&block, count * sizeof(T)), "allocating")) return nullptr;
    blocks_.push_back(block);
    return static_cast<T*>(block);
  }

  // Moves `pointer` from `count` values in the CPU's memory to a copy of them. False after an
  // error.
  template <class T>
  bool Upload(size_t count, const T*& pointer) {
    T* const copy = Allocate<T>(count);
    if (copy == nullptr) return false;
    const T* const from = pointer;
    pointer = copy;
    return Succeeded(cudaMemcpy(copy, from, count * sizeof(T), cudaMemcpyHostToDevice), "copying");
  }

 private:
  std::vector<void*> blocks_;
};

// Room for a batch, which grows with it.
template <class T>
class BatchMemory {
 public:
  BatchMemory() = default;
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;
  ~BatchMemory() { cudaFree(values_); }

  // Room for `count` values; null after an error.
  T* Reserve(size_t count) {
    if (count <= capacity_) return values_;
    cudaFree(values_);
    values_ = nullptr;
    capacity_ = 0;
    if (!Succeeded(cudaMalloc(&values_, count * sizeof(T)), "allocating a batch")) return nullptr;
    capacity_ = count;
    return values_;
  }

  // Queues a copy of `count` values; null after an error.
  const T* Upload(const T* values, size_t count, cudaStream_t stream) {
    T* const room = Reserve(count);
    if (room == nullptr) return nullptr;
    const cudaError_t copied =
        cudaMemcpyAsync(room, values, count * sizeof(T), cudaMemcpyHostToDevice, stream);
    return Succeeded(copied, "copying a batch") ? room : nullptr;
  }

 private:
  T* values_ = nullptr;
  size_t capacity_ = 0;
};

}  // namespace lapforge::sim
