// Convolutions one after the other on the CPU, with their derivative by hand: what each filter sees
// is copied side by side, and matrix products do the rest (Chellapilla et al. 2006). A few images
// at a time go through all layers, so that copies stay in the second cache; they are made again on
// the way back, which costs less than to keep them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "agents/nets/cpu/gemm.h"
#include "agents/nets/cpu/kernels.h"
#include "agents/nets/net_plan.h"

namespace lapforge::agents {

// Rows of numbers that lie `stride` apart.
template <class T>
struct Rows {
  T* data = nullptr;
  size_t stride = 0;
  T* operator[](size_t row) const { return data + row * stride; }
};

// Numbers T are float or BFloat16; parameters and gradients are float always.
template <class T>
class ConvStack {
 public:
  ConvStack(const NetPlan& plan, const EmbedderPlan& embedder, int max_rows)
      : scale_(plan.image_scale), shift_(plan.image_shift) {
    if (!embedder.is_image) return;
    AddLayers(embedder, max_rows);
    size_t most_patches = 0;
    size_t most_outputs = 0;
    for (const Layer& layer : layers_) {
      most_patches = std::max(most_patches, layer.shape.num_patches() * layer.shape.patch_size());
      most_outputs = std::max(most_outputs, layer.num_outputs());
    }
    chunk_rows_ = std::max<size_t>(1, kChunkBytes / (most_patches * sizeof(T)));
    const size_t chunk = std::min(chunk_rows_, size_t(max_rows));
    patches_.resize(chunk * most_patches);
    for (std::vector<T>& deltas : deltas_) deltas.resize(chunk * most_outputs);
    scattered_.resize(most_outputs);
  }

  bool empty() const { return layers_.empty(); }
  size_t num_layers() const { return layers_.size(); }

  // Call when parameters are new.
  void LoadWeights(std::span<const float> parameters) {
    for (Layer& layer : layers_) {
      ForEachWeight(layer, [&](size_t channels_first, size_t channels_last) {
        layer.weight[channels_last] = NumberFrom<T>(parameters[layer.plan.weight + channels_first]);
      });
    }
  }

  // `images`: bytes [channels, height, width]. What comes out goes to `to`: [filters, height,
  // width] a row.
  void Forward(std::span<const float> parameters, Rows<const uint8_t> images, int num_rows,
               Rows<T> to) {
    ForEachChunk(num_rows, [&](size_t begin, size_t count) {
      for (size_t row = begin; row < begin + count; ++row) ReadPixels(images[row], row);
      for (size_t i = 0; i < layers_.size(); ++i) {
        Layer& layer = layers_[i];
        const size_t num_patches = count * layer.shape.num_patches();
        const size_t num_filters = size_t(layer.plan.num_outputs);
        T* const outputs = layer.OutputsOf(begin);
        GatherAll(i, begin, count);
        Multiply<T>(PatchesOf(layer, count), layer.WeightMatrix().Transposed(),
                    {outputs, int64_t(num_patches), layer.plan.num_outputs});
        AddBiasRelu(&parameters[layer.plan.bias], num_patches, num_filters, outputs);
      }
      Layer& last = layers_.back();
      for (size_t row = begin; row < begin + count; ++row) {
        Transpose(last.OutputsOf(row), last.shape.num_patches(), size_t(last.plan.num_outputs),
                  to[row]);
      }
    });
  }

  // From the deltas of what came out, in the same order, to gradients.
  void Backward(Rows<const T> from, int num_rows, std::span<float> gradients) {
    for (Layer& layer : layers_) {
      std::fill(layer.gradient.begin(), layer.gradient.end(), 0.0f);
      std::fill_n(&gradients[layer.plan.bias], layer.plan.num_outputs, 0.0f);
    }
    ForEachChunk(num_rows, [&](size_t begin, size_t count) {
      Layer& last = layers_.back();
      const size_t size = last.num_outputs();
      T* deltas = deltas_[0].data();
      for (size_t row = 0; row < count; ++row) {
        Transpose(from[begin + row], size_t(last.plan.num_outputs), last.shape.num_patches(),
                  deltas + row * size);
      }
      MaskByOutputs(last.OutputsOf(begin), deltas, count * size, deltas);
      for (size_t i = layers_.size(); i-- > 0;) {
        T* const below = deltas_[(layers_.size() - i) % 2].data();
        BackThrough(i, {begin, count}, {deltas, below}, gradients);
        deltas = below;
      }
    });
    for (const Layer& layer : layers_) {
      ForEachWeight(layer, [&](size_t channels_first, size_t channels_last) {
        gradients[layer.plan.weight + channels_first] = layer.gradient[channels_last];
      });
    }
  }

 private:
  // Of patches: a part of the second cache. A product in bfloat16 costs more to begin, so that
  // fewer and larger ones are faster there.
  static constexpr size_t kChunkBytes = std::is_same_v<T, float> ? 3 << 17 : 3 << 19;

  struct Layer {
    LayerPlan plan;
    int block = 1;  // pixels of a side that are one of `shape`
    PatchShape shape;
    size_t input_size = 0;        // of one image: [height, width, channels] in terms of `shape`
    std::vector<T> weight;        // [filters, kernel, kernel, channels], the same
    std::vector<float> gradient;  // the same
    std::vector<T> outputs;       // [max_rows, height, width, filters]

    size_t num_outputs() const { return shape.num_patches() * size_t(plan.num_outputs); }
    T* OutputsOf(size_t row) { return outputs.data() + row * num_outputs(); }
    Matrix<const T> WeightMatrix() const {
      return {weight.data(), plan.num_outputs, plan.num_weights()};
    }
  };
  struct Chunk {
    size_t begin;
    size_t count;
  };
  struct Deltas {
    T* here;   // [count, height, width, filters]
    T* below;  // the same of the layer below
  };

  void AddLayers(const EmbedderPlan& embedder, int max_rows) {
    int height = embedder.shape[1];
    int width = embedder.shape[2];
    for (const LayerPlan& plan : embedder.layers) {
      if (plan.is_dense()) break;
      Layer layer;
      layer.plan = plan;
      layer.block = layers_.empty() && plan.kernel % plan.stride == 0 ? plan.stride : 1;
      layer.shape = ShapeOf(plan, layer.block, height, width);
      layer.input_size = InputSizeOf(layer.shape, layer.block == 1 ? height : 0);
      layer.weight.resize(plan.bias - plan.weight);
      layer.gradient.resize(layer.weight.size());
      layer.outputs.resize(size_t(max_rows) * layer.num_outputs());
      height = layer.shape.height;
      width = layer.shape.width;
      layers_.push_back(std::move(layer));
    }
    image_width_ = size_t(embedder.shape[2]);
    pixels_.resize(size_t(max_rows) * layers_.front().input_size);
    plane_.resize(size_t(embedder.shape[1]) * image_width_);
  }

  // Over an image, or over its blocks of stride x stride pixels: each block is then one pixel with
  // so many more channels, and the filters' runs are longer.
  static PatchShape ShapeOf(const LayerPlan& plan, int block, int height, int width) {
    PatchShape shape;
    shape.height = (height - plan.kernel) / plan.stride + 1;
    shape.width = (width - plan.kernel) / plan.stride + 1;
    shape.kernel = plan.kernel / block;
    shape.stride = plan.stride / block;
    shape.channels = plan.num_inputs * block * block;
    shape.image_width = block == 1 ? width : shape.width - 1 + shape.kernel;
    return shape;
  }

  static size_t InputSizeOf(const PatchShape& shape, int image_height) {
    const int height = image_height > 0 ? image_height : shape.height - 1 + shape.kernel;
    return size_t(height) * size_t(shape.image_width) * size_t(shape.channels);
  }

  // Calls body(index in the flat array's order, index in ours) for each weight of a layer.
  template <class F>
  static void ForEachWeight(const Layer& layer, F&& body) {
    const size_t kernel = size_t(layer.plan.kernel);
    const size_t channels = size_t(layer.plan.num_inputs);
    const size_t block = size_t(layer.block);
    size_t theirs = 0;
    for (size_t filter = 0; filter < size_t(layer.plan.num_outputs); ++filter) {
      for (size_t channel = 0; channel < channels; ++channel) {
        for (size_t y = 0; y < kernel; ++y) {
          for (size_t x = 0; x < kernel; ++x) {
            const size_t run = (filter * kernel + y - y % block) * kernel + (x - x % block) * block;
            body(theirs++, (run + y % block * block + x % block) * channels + channel);
          }
        }
      }
    }
  }

  template <class F>
  void ForEachChunk(int num_rows, F&& body) const {
    for (size_t begin = 0; begin < size_t(num_rows); begin += chunk_rows_) {
      body(begin, std::min(chunk_rows_, size_t(num_rows) - begin));
    }
  }

  // Planes of bytes to numbers, channels last, block by block; what no filter sees is left out.
  void ReadPixels(const uint8_t* image, size_t row) {
    const Layer& first = layers_.front();
    const size_t block = size_t(first.block);
    const size_t num_channels = size_t(first.plan.num_inputs);
    const size_t num_columns = size_t(first.shape.image_width);
    const size_t num_rows = first.input_size / (num_columns * size_t(first.shape.channels)) * block;
    T* const image_to = pixels_.data() + row * first.input_size;
    for (size_t channel = 0; channel < num_channels; ++channel) {
      ScalePixels(image + channel * plane_.size(), plane_.size(), scale_, shift_, plane_.data());
      for (size_t y = 0; y < num_rows; ++y) {
        const T* from = plane_.data() + y * image_width_;
        T* to = image_to + ((y / block * num_columns * block + y % block) * block * num_channels) +
                channel;
        for (size_t column = 0; column < num_columns; ++column) {
          for (size_t x = 0; x < block; ++x) to[x * num_channels] = *from++;
          to += block * block * num_channels;
        }
      }
    }
  }

  const T* InputsOf(size_t index, size_t row) {
    return index == 0 ? pixels_.data() + row * layers_.front().input_size
                      : layers_[index - 1].OutputsOf(row);
  }

  Matrix<const T> PatchesOf(const Layer& layer, size_t count) const {
    return {patches_.data(), int64_t(count * layer.shape.num_patches()), layer.plan.num_weights()};
  }

  void GatherAll(size_t index, size_t begin, size_t count) {
    const PatchShape& shape = layers_[index].shape;
    const size_t size = shape.num_patches() * shape.patch_size();
    for (size_t row = 0; row < count; ++row) {
      GatherPatches(shape, InputsOf(index, begin + row), patches_.data() + row * size);
    }
  }

  // One layer: gradients of its parameters and, where there is one, the deltas of the layer below.
  void BackThrough(size_t index, const Chunk& chunk, const Deltas& deltas,
                   std::span<float> gradients) {
    Layer& layer = layers_[index];
    const size_t num_patches = chunk.count * layer.shape.num_patches();
    const Matrix<const T> here = {deltas.here, int64_t(num_patches), layer.plan.num_outputs};
    AddColumns(deltas.here, num_patches, size_t(layer.plan.num_outputs),
               &gradients[layer.plan.bias]);
    GatherAll(index, chunk.begin, chunk.count);
    AddWeightGradient(here.Transposed(), PatchesOf(layer, chunk.count), layer);
    if (index == 0) return;

    // through the filters, back to where each number came from
    Multiply<T>(here, layer.WeightMatrix(),
                {patches_.data(), int64_t(num_patches), layer.plan.num_weights()});
    const size_t size = layer.shape.num_patches() * layer.shape.patch_size();
    for (size_t row = 0; row < chunk.count; ++row) {
      std::fill_n(scattered_.begin(), layer.input_size, 0.0f);
      ScatterPatches(layer.shape, patches_.data() + row * size, scattered_.data());
      MaskByOutputs(layers_[index - 1].OutputsOf(chunk.begin + row), scattered_.data(),
                    layer.input_size, deltas.below + row * layer.input_size);
    }
  }

  void AddWeightGradient(const Matrix<const T>& deltas, const Matrix<const T>& patches,
                         Layer& layer) {
    if constexpr (std::is_same_v<T, float>) {
      AddProduct(deltas, patches, {layer.gradient.data(), deltas.columns, patches.columns});
    } else {
      if (product_.size() < layer.gradient.size()) product_.resize(layer.gradient.size());
      Multiply<T>(deltas, patches, {product_.data(), deltas.columns, patches.columns});
      ConvertAdd(product_.data(), layer.gradient.size(), layer.gradient.data());
    }
  }

  float scale_;
  float shift_;
  size_t image_width_ = 0;
  size_t chunk_rows_ = 1;
  std::vector<Layer> layers_;
  std::vector<T> pixels_;   // [max_rows, input_size of the first layer]
  std::vector<T> plane_;    // one channel of an image
  std::vector<T> patches_;  // of a chunk and one layer
  std::vector<T> deltas_[2];
  std::vector<float> scattered_;  // one image
  std::vector<T> product_;        // a weight's gradient before it is float
};

}  // namespace lapforge::agents
