#include "agents/nets/cpu/kernels.h"

#include <algorithm>
#include <cstring>

namespace lapforge::agents {
namespace {

// One source, three compilations, chosen at load time. Each loop is written once for both kinds of
// numbers and inlined into these.
#define LAPFORGE_VECTORS __attribute__((target_clones("default", "avx2", "avx512f")))
#define LAPFORGE_INLINE inline __attribute__((always_inline))

constexpr size_t kBlock = 16;  // numbers copied at once where a run has so many

template <class T>
LAPFORGE_INLINE void CopyRun(const T* from, size_t count, T* to) {
  if (count % kBlock == 0) {
    for (size_t i = 0; i < count; i += kBlock) std::memcpy(to + i, from + i, kBlock * sizeof(T));
  } else if (count == kBlock / 2) {
    std::memcpy(to, from, kBlock / 2 * sizeof(T));
  } else {
    for (size_t i = 0; i < count; ++i) to[i] = from[i];
  }
}

template <class T>
LAPFORGE_INLINE void AddRun(const T* from, size_t count, float* to) {
  if (count % kBlock == 0) {
    for (size_t i = 0; i < count; i += kBlock) {
      for (size_t k = 0; k < kBlock; ++k) to[i + k] += FloatFrom(from[i + k]);
    }
  } else {
    for (size_t i = 0; i < count; ++i) to[i] += FloatFrom(from[i]);
  }
}

// Calls body(where a run begins in the image) for each run of each patch, in their order.
template <class F>
LAPFORGE_INLINE void ForEachRun(const PatchShape& shape, F&& body) {
  const size_t row = size_t(shape.image_width) * size_t(shape.channels);
  for (int y = 0; y < shape.height; ++y) {
    for (int x = 0; x < shape.width; ++x) {
      size_t at = size_t(y * shape.stride) * row + size_t(x * shape.stride * shape.channels);
      for (int k = 0; k < shape.kernel; ++k, at += row) body(at);
    }
  }
}

template <class T>
LAPFORGE_INLINE void Gather(const PatchShape& shape, const T* image, T* patches) {
  const size_t run = shape.run();
  ForEachRun(shape, [&](size_t at) {
    CopyRun(image + at, run, patches);
    patches += run;
  });
}

template <class T>
LAPFORGE_INLINE void Scatter(const PatchShape& shape, const T* patches, float* image) {
  const size_t run = shape.run();
  ForEachRun(shape, [&](size_t at) {
    AddRun(patches, run, image + at);
    patches += run;
  });
}

template <class T>
LAPFORGE_INLINE void Scale(const uint8_t* pixels, size_t count, float scale, float shift, T* to) {
  for (size_t i = 0; i < count; ++i) to[i] = NumberFrom<T>(float(pixels[i]) * scale + shift);
}

template <class T>
LAPFORGE_INLINE void Bias(const float* bias, size_t rows, size_t columns, T* values) {
  for (size_t row = 0; row < rows; ++row, values += columns) {
    for (size_t i = 0; i < columns; ++i) values[i] = NumberFrom<T>(FloatFrom(values[i]) + bias[i]);
  }
}

// What is no number stays none, so that a loss shows it.
template <class T>
LAPFORGE_INLINE void BiasRelu(const float* bias, size_t rows, size_t columns, T* values) {
  for (size_t row = 0; row < rows; ++row, values += columns) {
    for (size_t i = 0; i < columns; ++i) {
      const float sum = FloatFrom(values[i]) + bias[i];
      values[i] = NumberFrom<T>(sum < 0 ? 0.0f : sum);
    }
  }
}

template <class T, class D>
LAPFORGE_INLINE void Mask(const T* outputs, const D* deltas, size_t count, T* to) {
  for (size_t i = 0; i < count; ++i) {
    to[i] = NumberFrom<T>(FloatFrom(outputs[i]) <= 0 ? 0.0f : FloatFrom(deltas[i]));
  }
}

template <class T>
LAPFORGE_INLINE void Columns(const T* values, size_t rows, size_t columns, float* sums) {
  for (size_t row = 0; row < rows; ++row, values += columns) {
    for (size_t i = 0; i < columns; ++i) sums[i] += FloatFrom(values[i]);
  }
}

// In squares that stay in the first cache.
template <class T>
LAPFORGE_INLINE void Turn(const T* from, size_t rows, size_t columns, T* to) {
  for (size_t begin = 0; begin < rows; begin += kBlock) {
    const size_t end = std::min(rows, begin + kBlock);
    for (size_t column = 0; column < columns; ++column) {
      for (size_t row = begin; row < end; ++row) {
        to[column * rows + row] = from[row * columns + column];
      }
    }
  }
}

}  // namespace

LAPFORGE_VECTORS void GatherPatches(const PatchShape& shape, const float* image, float* patches) {
  Gather(shape, image, patches);
}
LAPFORGE_VECTORS void GatherPatches(const PatchShape& shape, const BFloat16* image,
                                    BFloat16* patches) {
  Gather(shape, image, patches);
}
LAPFORGE_VECTORS void ScatterPatches(const PatchShape& shape, const float* patches, float* image) {
  Scatter(shape, patches, image);
}
LAPFORGE_VECTORS void ScatterPatches(const PatchShape& shape, const BFloat16* patches,
                                     float* image) {
  Scatter(shape, patches, image);
}
LAPFORGE_VECTORS void ScalePixels(const uint8_t* pixels, size_t count, float scale, float shift,
                                  float* numbers) {
  Scale(pixels, count, scale, shift, numbers);
}
LAPFORGE_VECTORS void ScalePixels(const uint8_t* pixels, size_t count, float scale, float shift,
                                  BFloat16* numbers) {
  Scale(pixels, count, scale, shift, numbers);
}
LAPFORGE_VECTORS void AddBias(const float* bias, size_t rows, size_t columns, float* values) {
  Bias(bias, rows, columns, values);
}
LAPFORGE_VECTORS void AddBias(const float* bias, size_t rows, size_t columns, BFloat16* values) {
  Bias(bias, rows, columns, values);
}
LAPFORGE_VECTORS void AddBiasRelu(const float* bias, size_t rows, size_t columns, float* values) {
  BiasRelu(bias, rows, columns, values);
}
LAPFORGE_VECTORS void AddBiasRelu(const float* bias, size_t rows, size_t columns,
                                  BFloat16* values) {
  BiasRelu(bias, rows, columns, values);
}
LAPFORGE_VECTORS void MaskByOutputs(const float* outputs, const float* deltas, size_t count,
                                    float* to) {
  Mask(outputs, deltas, count, to);
}
LAPFORGE_VECTORS void MaskByOutputs(const BFloat16* outputs, const BFloat16* deltas, size_t count,
                                    BFloat16* to) {
  Mask(outputs, deltas, count, to);
}
LAPFORGE_VECTORS void MaskByOutputs(const BFloat16* outputs, const float* deltas, size_t count,
                                    BFloat16* to) {
  Mask(outputs, deltas, count, to);
}
LAPFORGE_VECTORS void AddColumns(const float* values, size_t rows, size_t columns, float* sums) {
  Columns(values, rows, columns, sums);
}
LAPFORGE_VECTORS void AddColumns(const BFloat16* values, size_t rows, size_t columns, float* sums) {
  Columns(values, rows, columns, sums);
}
LAPFORGE_VECTORS void Transpose(const float* from, size_t rows, size_t columns, float* to) {
  Turn(from, rows, columns, to);
}
LAPFORGE_VECTORS void Transpose(const BFloat16* from, size_t rows, size_t columns, BFloat16* to) {
  Turn(from, rows, columns, to);
}
void Convert(const float* from, size_t count, float* to) { std::copy_n(from, count, to); }
LAPFORGE_VECTORS void Convert(const float* from, size_t count, BFloat16* to) {
  for (size_t i = 0; i < count; ++i) to[i] = NumberFrom<BFloat16>(from[i]);
}
LAPFORGE_VECTORS void Convert(const BFloat16* from, size_t count, float* to) {
  for (size_t i = 0; i < count; ++i) to[i] = FloatFrom(from[i]);
}
LAPFORGE_VECTORS void ConvertAdd(const BFloat16* from, size_t count, float* to) {
  for (size_t i = 0; i < count; ++i) to[i] += FloatFrom(from[i]);
}

}  // namespace lapforge::agents
