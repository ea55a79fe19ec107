// Running mean and variance of observations (Welford 1962; merged as Chan et al. 1979).
#pragma once

#include <span>
#include <vector>

#include "sim/base/byte_buffer.h"

namespace lapforge::agents {

// Rows [.., mean.size()] in place: (x - mean) * inverse_std, clipped to +-10.
void ScaleRows(std::span<const float> mean, std::span<const float> inverse_std,
               std::span<float> rows);

// Switched off it passes everything through. Counts whole rollouts, after their update, so that all
// samples of a rollout are scaled alike.
class ObservationNormalizer {
 public:
  ObservationNormalizer(int dim, bool is_on);

  // Rows in place: (x - mean) / std, clipped to +-10.
  void Normalize(std::span<float> rows) const;
  // Adds raw rows to the statistics.
  void Count(std::span<const float> rows);

  bool is_on() const { return is_on_; }
  const std::vector<float>& mean() const { return mean_; }
  const std::vector<float>& inverse_std() const { return inverse_std_; }

  void Save(ByteWriter& writer) const;
  // False where the bytes do not fit.
  bool Restore(ByteReader& reader);

 private:
  void Refresh();

  bool is_on_;
  double count_ = 0;
  std::vector<double> means_;
  std::vector<double> squares_;  // sums of squared deviations
  std::vector<float> mean_;      // what Normalize uses
  std::vector<float> inverse_std_;
};

}  // namespace lapforge::agents
