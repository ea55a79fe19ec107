#include "agents/nets/observation_normalizer.h"

#include <algorithm>
#include <cmath>

namespace lapforge::agents {
namespace {

constexpr float kLargest = 10;  // beyond ten deviations a number says no more
constexpr double kSmallestVariance = 1e-8;

}  // namespace

void ScaleRows(std::span<const float> mean, std::span<const float> inverse_std,
               std::span<float> rows) {
  const size_t dim = mean.size();
  for (size_t i = 0; i < rows.size(); ++i) {
    const float scaled = (rows[i] - mean[i % dim]) * inverse_std[i % dim];
    rows[i] = std::clamp(scaled, -kLargest, kLargest);
  }
}

ObservationNormalizer::ObservationNormalizer(int dim, bool is_on)
    : is_on_(is_on), means_(size_t(dim)), squares_(size_t(dim)) {
  Refresh();
}

void ObservationNormalizer::Normalize(std::span<float> rows) const {
  if (is_on_) ScaleRows(mean_, inverse_std_, rows);
}

void ObservationNormalizer::Count(std::span<const float> rows) {
  if (!is_on_) return;
  const size_t dim = means_.size();
  for (size_t at = 0; at < rows.size(); at += dim) {
    ++count_;
    for (size_t i = 0; i < dim; ++i) {
      const double difference = rows[at + i] - means_[i];
      means_[i] += difference / count_;
      squares_[i] += difference * (rows[at + i] - means_[i]);
    }
  }
  Refresh();
}

void ObservationNormalizer::Refresh() {
  mean_.resize(means_.size());
  inverse_std_.resize(means_.size());
  for (size_t i = 0; i < means_.size(); ++i) {
    const double variance = count_ > 1 ? squares_[i] / count_ : 1;
    mean_[i] = static_cast<float>(means_[i]);
    inverse_std_[i] = static_cast<float>(1 / std::sqrt(std::max(variance, kSmallestVariance)));
  }
}

void ObservationNormalizer::Save(ByteWriter& writer) const {
  writer.Write(count_);
  writer.Write(means_);
  writer.Write(squares_);
}

bool ObservationNormalizer::Restore(ByteReader& reader) {
  std::vector<double> means;
  std::vector<double> squares;
  double count = 0;
  reader.Read(count);
  reader.Read(means);
  reader.Read(squares);
  if (!reader.ok() || means.size() != means_.size() || squares.size() != squares_.size()) {
    return false;
  }
  count_ = count;
  means_ = std::move(means);
  squares_ = std::move(squares);
  Refresh();
  return true;
}

}  // namespace lapforge::agents
