#include "agents/algorithms/imitation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "agents/algorithms/imitation_loss.h"
#include "agents/nets/actor_critic.h"
#include "sim/base/rng.h"

namespace lapforge::agents {
namespace {

// Streams beside those of the teacher, who counts nets from 0 and passes of a minibatch from 0.
constexpr uint32_t kStudentNet = 2;
constexpr uint32_t kStudentFrames = 0xffffffff;

}  // namespace

// One part of a minibatch.
struct Imitation::Shard {
  std::unique_ptr<NetworkWorkspace> work;
  std::vector<float> targets;
  std::vector<float> output_gradients;
  std::vector<float> gradients;
  double loss = 0;

  Shard(const Network& net, int max_rows)
      : work(net.MakeWorkspace(max_rows)),
        targets(size_t(max_rows) * size_t(net.num_outputs())),
        output_gradients(targets.size()),
        gradients(net.num_parameters()) {}
};

Imitation::Imitation(const DistillOptions& options, DistributionKind kind, const Network* net,
                     ThreadPool* pool, uint64_t seed)
    : options_(options),
      kind_(kind),
      net_(net),
      pool_(pool),
      seed_(seed),
      parameters_(net->num_parameters()),
      adam_(net->num_parameters()),
      samples_(size_t(options.minibatch_size)) {
  RngStream random(seed, kStudentNet, 0, RngPurpose::kNetInit);
  net->Init(1.0, random, parameters_);
  for (int i = 0; i < kNumShards; ++i) {
    const RowRange rows = ShardRows(options.minibatch_size, i);
    shards_.push_back(std::make_unique<Shard>(*net, rows.size()));
  }
}

Imitation::~Imitation() = default;

Result<std::optional<double>> Imitation::Update(const FrameRing& ring, double learning_rate,
                                                const std::function<bool()>& should_stop) {
  RngStream random(seed_, static_cast<uint32_t>(ring.num_rounds()), kStudentFrames,
                   RngPurpose::kMinibatchOrder);
  const auto num_frames = static_cast<uint32_t>(ring.num_frames());
  double sum = 0;
  for (int i = 0; i < options_.num_minibatches; ++i) {
    if (should_stop && should_stop()) return std::optional<double>();
    for (int& sample : samples_) sample = static_cast<int>(random.Below(num_frames));
    const double loss = LearnMinibatch(ring, learning_rate);
    if (!std::isfinite(loss)) {
      return ErrorOf("the student's loss is no longer a finite number after ", adam_.num_steps,
                     " steps; a smaller distill.learning_rate helps");
    }
    sum += loss;
  }
  return std::optional(sum / options_.num_minibatches);
}

double Imitation::LearnMinibatch(const FrameRing& ring, double learning_rate) {
  pool_->ParallelFor(kNumShards, [&](int begin, int end, int) {
    for (int i = begin; i < end; ++i) ComputeShard(ring, i);
  });

  // summed in order, whoever came first
  double loss = 0;
  std::array<std::span<float>, kNumShards> parts;
  for (size_t i = 0; i < kNumShards; ++i) {
    parts[i] = shards_[i]->gradients;
    loss += shards_[i]->loss;
  }
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  const float scale = SumAndClip(parts, kNoLimit, *pool_);
  AdamStep({learning_rate, options_.adam_epsilon, scale}, parts.front(), parameters_, adam_,
           *pool_);
  ++version_;
  return loss;
}

void Imitation::ComputeShard(const FrameRing& ring, int index) {
  Shard& shard = *shards_[size_t(index)];
  const RowRange rows = ShardRows(options_.minibatch_size, index);
  const size_t num_outputs = size_t(net_->num_outputs());
  const size_t row_bytes = net_->row_bytes();
  for (int row = 0; row < rows.size(); ++row) {
    const int sample = samples_[size_t(rows.begin + row)];
    std::ranges::copy(ring.RowOf(sample),
                      shard.work->inputs().subspan(size_t(row) * row_bytes, row_bytes).begin());
    std::ranges::copy(ring.TargetsOf(sample),
                      shard.targets.begin() + std::ptrdiff_t(size_t(row) * num_outputs));
  }
  const auto outputs = shard.work->Forward(versioned_parameters(), rows.size());
  shard.loss = ImitationLoss<float>({kind_, net_->num_outputs(), options_.minibatch_size, outputs,
                                     shard.targets, shard.output_gradients});
  shard.work->Backward(versioned_parameters(), shard.output_gradients, rows.size(),
                       shard.gradients);
}

void Imitation::Save(ByteWriter& writer) const {
  writer.Write(parameters_);
  adam_.Save(writer);
}

bool Imitation::Restore(ByteReader& reader) {
  std::vector<float> parameters;
  AdamState adam;
  reader.Read(parameters);
  adam.Restore(reader);
  const size_t size = parameters_.size();
  if (!reader.ok() || parameters.size() != size || !adam.Fits(size)) return false;
  parameters_ = std::move(parameters);
  ++version_;
  adam_ = std::move(adam);
  return true;
}

}  // namespace lapforge::agents
