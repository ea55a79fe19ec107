// The loops of our nets on the CPU beside the matrix products, each for float and BFloat16.
//
// Images are channels last here, so that what a filter sees of one of its rows lies together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/nets/cpu/numbers.h"

namespace lapforge::agents {

// How filters move over one image.
struct PatchShape {
  int height = 0;  // places of a filter
  int width = 0;
  int kernel = 0;
  int stride = 0;
  int channels = 0;
  int image_width = 0;

  size_t num_patches() const { return size_t(height) * size_t(width); }
  size_t patch_size() const { return size_t(kernel) * run(); }
  // What lies together: one row of a filter.
  size_t run() const { return size_t(kernel) * size_t(channels); }
};

// Copies what a filter sees at each of its places: `patches` [num_patches, kernel, kernel,
// channels].
void GatherPatches(const PatchShape& shape, const float* image, float* patches);
void GatherPatches(const PatchShape& shape, const BFloat16* image, BFloat16* patches);

// The other way: adds each patch to where it came from.
void ScatterPatches(const PatchShape& shape, const float* patches, float* image);
void ScatterPatches(const PatchShape& shape, const BFloat16* patches, float* image);

// pixel * scale + shift
void ScalePixels(const uint8_t* pixels, size_t count, float scale, float shift, float* numbers);
void ScalePixels(const uint8_t* pixels, size_t count, float scale, float shift, BFloat16* numbers);

// Adds a bias to each row of `values` [rows, columns]; with Relu also turns negative numbers to 0.
void AddBias(const float* bias, size_t rows, size_t columns, float* values);
void AddBias(const float* bias, size_t rows, size_t columns, BFloat16* values);
void AddBiasRelu(const float* bias, size_t rows, size_t columns, float* values);
void AddBiasRelu(const float* bias, size_t rows, size_t columns, BFloat16* values);

// `to` = `deltas` where ReLU let something through, else 0. May be the same array.
void MaskByOutputs(const float* outputs, const float* deltas, size_t count, float* to);
void MaskByOutputs(const BFloat16* outputs, const BFloat16* deltas, size_t count, BFloat16* to);
void MaskByOutputs(const BFloat16* outputs, const float* deltas, size_t count, BFloat16* to);

// sums[column] += the column's sum over `values` [rows, columns]
void AddColumns(const float* values, size_t rows, size_t columns, float* sums);
void AddColumns(const BFloat16* values, size_t rows, size_t columns, float* sums);

// to[column * rows + row] = from[row * columns + column]
void Transpose(const float* from, size_t rows, size_t columns, float* to);
void Transpose(const BFloat16* from, size_t rows, size_t columns, BFloat16* to);

void Convert(const float* from, size_t count, float* to);
void Convert(const float* from, size_t count, BFloat16* to);
void Convert(const BFloat16* from, size_t count, float* to);
// to += from
void ConvertAdd(const BFloat16* from, size_t count, float* to);

}  // namespace lapforge::agents
