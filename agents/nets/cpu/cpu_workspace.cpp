#include "agents/nets/cpu/cpu_workspace.h"

#include <algorithm>
#include <cstring>

#include "agents/nets/cpu/conv_stack.h"
#include "agents/nets/cpu/dense_stack.h"
#include "sim/base/assert.h"

namespace lapforge::agents {
namespace {

template <class T>
class CpuWorkspace : public NetworkWorkspace {
 public:
  CpuWorkspace(std::shared_ptr<const NetPlan> plan, int max_rows)
      : plan_(std::move(plan)),
        max_rows_(max_rows),
        rows_(size_t(max_rows) * plan_->row_bytes),
        outputs_(size_t(max_rows) * size_t(plan_->num_outputs())),
        trunk_(plan_->trunk, plan_->trunk.front().num_inputs, max_rows, true) {
    size_t column = 0;
    for (const EmbedderPlan& embedder : plan_->embedders) {
      embedders_.push_back(std::make_unique<Embedder>(*plan_, embedder, max_rows));
      embedders_.back()->column = column;
      column += size_t(embedder.num_outputs);
    }
  }

  std::span<std::byte> inputs() override { return rows_; }

  std::span<const float> Forward(const Parameters& parameters, int num_rows) override {
    LAPFORGE_ASSERT(num_rows <= max_rows_, "rows fit the workspace");
    Load(parameters);
    for (const auto& embedder : embedders_) Embed(parameters.numbers, num_rows, *embedder);
    trunk_.Forward(parameters.numbers, num_rows);
    const size_t count = size_t(num_rows) * size_t(plan_->num_outputs());
    Convert(trunk_.outputs(), count, outputs_.data());
    return std::span<const float>(outputs_).first(count);
  }

  void Backward(const Parameters& parameters, std::span<const float> output_gradients, int num_rows,
                std::span<float> gradients) override {
    Convert(output_gradients.data(), output_gradients.size(), trunk_.output_deltas());
    const bool wants_inputs = std::any_of(embedders_.begin(), embedders_.end(),
                                          [](const auto& one) { return one->has_layers(); });
    const T* const joined = trunk_.Backward(parameters.numbers, num_rows, wants_inputs, gradients);
    for (const auto& embedder : embedders_) {
      if (!embedder->has_layers()) continue;
      Rows<const T> deltas = {joined + embedder->column, num_joined()};
      if (!embedder->dense.empty()) {
        const size_t width = size_t(embedder->plan.num_outputs);
        CopyRows<T>(deltas, num_rows, width, {embedder->dense.output_deltas(), width});
        deltas = {embedder->dense.Backward(parameters.numbers, num_rows, !embedder->conv.empty(),
                                           gradients),
                  embedder->num_dense_inputs};
      }
      if (!embedder->conv.empty()) embedder->conv.Backward(deltas, num_rows, gradients);
    }
  }

 private:
  // The layers of one sensor: convolutions, dense ones, both or none.
  struct Embedder {
    Embedder(const NetPlan& net, const EmbedderPlan& embedder, int max_rows)
        : plan(embedder),
          conv(net, embedder, max_rows),
          dense_plans(embedder.layers.begin() + std::ptrdiff_t(conv.num_layers()),
                      embedder.layers.end()),
          num_dense_inputs(dense_plans.empty() ? 0 : size_t(dense_plans.front().num_inputs)),
          dense(dense_plans, static_cast<int>(num_dense_inputs), max_rows, false),
          numbers(embedder.is_image ? 0 : size_t(embedder.shape.front())) {}

    bool has_layers() const { return !plan.layers.empty(); }

    const EmbedderPlan& plan;
    size_t column = 0;  // of its first output among those of all
    ConvStack<T> conv;
    std::vector<LayerPlan> dense_plans;
    size_t num_dense_inputs;
    DenseStack<T> dense;
    std::vector<float> numbers;  // of one row, where it is no image
  };

  size_t num_joined() const { return size_t(plan_->trunk.front().num_inputs); }

  void Load(const Parameters& parameters) {
    if (parameters.version != 0 && parameters.version == version_) return;
    version_ = parameters.version;
    for (const auto& embedder : embedders_) {
      embedder->conv.LoadWeights(parameters.numbers);
      embedder->dense.LoadWeights(parameters.numbers);
    }
    trunk_.LoadWeights(parameters.numbers);
  }

  template <class V>
  static void CopyRows(Rows<const V> from, int num_rows, size_t width, Rows<V> to) {
    for (size_t row = 0; row < size_t(num_rows); ++row) std::copy_n(from[row], width, to[row]);
  }

  // One sensor's numbers, through its layers, into its columns of what goes into the trunk.
  void Embed(std::span<const float> parameters, int num_rows, Embedder& embedder) {
    const Rows<T> joined = {trunk_.inputs() + embedder.column, num_joined()};
    const bool has_dense = !embedder.dense.empty();
    const Rows<T> to =
        has_dense ? Rows<T>{embedder.dense.inputs(), embedder.num_dense_inputs} : joined;
    const std::byte* const bytes = rows_.data() + embedder.plan.offset_bytes;
    if (!embedder.conv.empty()) {
      embedder.conv.Forward(parameters, {reinterpret_cast<const uint8_t*>(bytes), plan_->row_bytes},
                            num_rows, to);
    } else {
      // floats of any alignment
      for (size_t row = 0; row < size_t(num_rows); ++row) {
        std::memcpy(embedder.numbers.data(), bytes + row * plan_->row_bytes,
                    embedder.numbers.size() * sizeof(float));
        Convert(embedder.numbers.data(), embedder.numbers.size(), to[row]);
      }
    }
    if (!has_dense) return;
    embedder.dense.Forward(parameters, num_rows);
    const size_t width = size_t(embedder.plan.num_outputs);
    CopyRows<T>({embedder.dense.outputs(), width}, num_rows, width, joined);
  }

  std::shared_ptr<const NetPlan> plan_;
  int max_rows_;
  std::vector<std::byte> rows_;
  std::vector<float> outputs_;
  std::vector<std::unique_ptr<Embedder>> embedders_;
  DenseStack<T> trunk_;
  uint64_t version_ = 0;  // of the parameters whose weights are loaded
};

}  // namespace

std::unique_ptr<NetworkWorkspace> MakeCpuWorkspace(std::shared_ptr<const NetPlan> plan,
                                                   int max_rows) {
  if (plan->is_bfloat16) return std::make_unique<CpuWorkspace<BFloat16>>(std::move(plan), max_rows);
  return std::make_unique<CpuWorkspace<float>>(std::move(plan), max_rows);
}

}  // namespace lapforge::agents
