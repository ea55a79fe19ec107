// Primal-dual interior point method with predictor and corrector (S. Mehrotra, On the
// implementation of a primal-dual interior point method, SIAM J. Optimization 2(4), 1992; for
// quadratic goals J. Nocedal and S. Wright, Numerical Optimization, 2006, section 16.6). Each step
// costs one factorisation of a band matrix.
#include "tracks/raceline/local_qp.h"

#include <algorithm>
#include <cmath>

#include "sim/base/assert.h"

namespace lapforge::tracks {
namespace {

constexpr int kMaxSteps = 50;
constexpr double kExact = 1e-7;        // relative, at which to stop
constexpr double kBalanced = 1e-5;     // the same for the goal's gradient, which rounding limits
constexpr double kStepToEdge = 0.995;  // Mehrotra's usual fraction

using Vector = std::vector<double>;

double Largest(const Vector& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double Left(const Condition& condition, const Vector& x) {
  double sum = 0;
  for (int k = 0; k < condition.num_terms; ++k) {
    sum += condition.factors[k] * x[condition.unknowns[k]];
  }
  return sum;
}

// Unknowns, and for each condition the room to its limit and the force that keeps it.
struct Iterate {
  Vector x, room, force;

  double Gap() const {
    double sum = 0;
    for (size_t k = 0; k < room.size(); ++k) sum += room[k] * force[k];
    return sum / static_cast<double>(std::max<size_t>(1, room.size()));
  }
};

class Search {
 public:
  explicit Search(const LocalQp& problem)
      : problem_(problem), scale_(std::max(1e-12, Largest(problem.gradient))) {
    at_.x.assign(problem.gradient.size(), 0.0);
    for (const Condition& condition : problem.conditions) {
      at_.room.push_back(std::max(condition.limit, kFirstRoom));
      at_.force.push_back(scale_);
    }
  }

  // False when there is nothing left to gain.
  bool Improve() {
    const auto& conditions = problem_.conditions;
    unbalanced_ = problem_.hessian.Times(at_.x);
    for (size_t i = 0; i < unbalanced_.size(); ++i) unbalanced_[i] += problem_.gradient[i];
    missing_.resize(conditions.size());
    BandMatrix matrix = problem_.hessian;
    for (size_t k = 0; k < conditions.size(); ++k) {
      const Condition& condition = conditions[k];
      missing_[k] = Left(condition, at_.x) + at_.room[k] - condition.limit;
      const double stiffness = at_.force[k] / at_.room[k];
      for (int a = 0; a < condition.num_terms; ++a) {
        unbalanced_[condition.unknowns[a]] += condition.factors[a] * at_.force[k];
        for (int b = 0; b <= a; ++b) {
          matrix.Add(condition.unknowns[a], condition.unknowns[b],
                     stiffness * condition.factors[a] * condition.factors[b]);
        }
      }
    }
    const double gap = at_.Gap();
    if (gap < kExact * scale_ && Largest(unbalanced_) < kBalanced * scale_ &&
        Largest(missing_) < kExact) {
      return false;
    }
    matrix.Factorise();
    const Iterate predicted = Newton(matrix, 0, nullptr);
    Iterate tried = at_;
    Move(predicted, tried);
    const double ratio = tried.Gap() / gap;
    Move(Newton(matrix, ratio * ratio * ratio * gap, &predicted), at_);
    return true;
  }

  const Vector& x() const { return at_.x; }

 private:
  static constexpr double kFirstRoom = 0.1;

  // The step towards room * force = `gap`; `predicted`, if any, corrects for the product of the
  // changes.
  Iterate Newton(const BandMatrix& factors, double gap, const Iterate* predicted) const {
    const auto& conditions = problem_.conditions;
    Vector right_side(unbalanced_.size());
    for (size_t i = 0; i < right_side.size(); ++i) right_side[i] = -unbalanced_[i];
    Vector excess(conditions.size());  // of room * force
    for (size_t k = 0; k < conditions.size(); ++k) {
      excess[k] = at_.room[k] * at_.force[k] - gap;
      if (predicted != nullptr) excess[k] += predicted->room[k] * predicted->force[k];
      const double pull = (excess[k] - at_.force[k] * missing_[k]) / at_.room[k];
      for (int a = 0; a < conditions[k].num_terms; ++a) {
        right_side[conditions[k].unknowns[a]] += conditions[k].factors[a] * pull;
      }
    }
    Iterate step;
    step.x = factors.Solve(right_side);
    for (size_t k = 0; k < conditions.size(); ++k) {
      step.room.push_back(-missing_[k] - Left(conditions[k], step.x));
      step.force.push_back(-(excess[k] + at_.force[k] * step.room[k]) / at_.room[k]);
    }
    return step;
  }

  // As far as room and force stay positive.
  static void Move(const Iterate& step, Iterate& at) {
    double fraction = 1 / kStepToEdge;
    for (size_t k = 0; k < at.room.size(); ++k) {
      if (step.room[k] < 0) fraction = std::min(fraction, -at.room[k] / step.room[k]);
      if (step.force[k] < 0) fraction = std::min(fraction, -at.force[k] / step.force[k]);
    }
    fraction *= kStepToEdge;
    for (size_t i = 0; i < at.x.size(); ++i) at.x[i] += fraction * step.x[i];
    for (size_t k = 0; k < at.room.size(); ++k) {
      at.room[k] += fraction * step.room[k];
      at.force[k] += fraction * step.force[k];
    }
  }

  const LocalQp& problem_;
  double scale_;
  Iterate at_;
  Vector unbalanced_;  // [unknowns] of goal and forces
  Vector missing_;     // [conditions] by which left side and room miss the limit
};

}  // namespace

BandMatrix::BandMatrix(const Chain& chain)
    : size_(chain.size()),
      width_(chain.unknowns_per_station * (chain.is_ring ? 6 : 3) + chain.unknowns_per_station - 1),
      stride_(width_ + 1),
      entries_(static_cast<size_t>(size_) * stride_, 0.0) {
  LAPFORGE_ASSERT(chain.num_stations >= 7, "stations three apart would be the same");
  const int n = chain.num_stations;
  for (int station = 0; station < n; ++station) {
    int place = station;
    if (chain.is_ring) place = station < n - station ? 2 * station : 2 * (n - 1 - station) + 1;
    for (int k = 0; k < chain.unknowns_per_station; ++k) {
      place_.push_back(place * chain.unknowns_per_station + k);
    }
  }
}

void BandMatrix::AddScaled(const BandMatrix& other, double factor) {
  for (size_t k = 0; k < entries_.size(); ++k) entries_[k] += factor * other.entries_[k];
}

std::vector<double> BandMatrix::Times(const std::vector<double>& x) const {
  Vector placed(size_), product(size_, 0.0), result(size_);
  for (int i = 0; i < size_; ++i) placed[Place(i)] = x[i];
  for (int row = 0; row < size_; ++row) {
    const double* entry = &entries_[row * stride_];
    product[row] += entry[0] * placed[row];
    for (int k = 1; k <= std::min(width_, row); ++k) {
      product[row] += entry[k] * placed[row - k];
      product[row - k] += entry[k] * placed[row];
    }
  }
  for (int i = 0; i < size_; ++i) result[i] = product[Place(i)];
  return result;
}

void BandMatrix::Factorise() {
  constexpr double kTiny = 1e-300;  // a pivot that rounding made zero must not divide
  Vector scaled(stride_);           // L D of the row
  for (int row = 0; row < size_; ++row) {
    double* entry = &entries_[row * stride_];
    const int reach = std::min(width_, row);
    for (int k = reach; k >= 1; --k) {
      const int column = row - k;
      const double* other = &entries_[column * stride_];
      double sum = entry[k];
      for (int m = 1; m <= std::min({width_, column, reach - k}); ++m) {
        sum -= scaled[k + m] * other[m];
      }
      scaled[k] = sum;
    }
    for (int k = 1; k <= reach; ++k) {
      entry[k] = scaled[k] / entries_[(row - k) * stride_];
      entry[0] -= scaled[k] * entry[k];
    }
    entry[0] = std::max(entry[0], kTiny);
  }
}

std::vector<double> BandMatrix::Solve(const std::vector<double>& right_side) const {
  Vector y(size_), x(size_);
  for (int i = 0; i < size_; ++i) y[Place(i)] = right_side[i];
  for (int row = 0; row < size_; ++row) {
    const double* entry = &entries_[row * stride_];
    for (int k = 1; k <= std::min(width_, row); ++k) y[row] -= entry[k] * y[row - k];
  }
  for (int row = 0; row < size_; ++row) y[row] /= entries_[row * stride_];
  for (int row = size_ - 1; row >= 0; --row) {
    const double* entry = &entries_[row * stride_];
    for (int k = 1; k <= std::min(width_, row); ++k) y[row - k] -= entry[k] * y[row];
  }
  for (int i = 0; i < size_; ++i) x[i] = y[Place(i)];
  return x;
}

std::vector<double> Solve(const LocalQp& problem) {
  Search search(problem);
  for (int step = 0; step < kMaxSteps && search.Improve(); ++step) continue;
  return search.x();
}

}  // namespace lapforge::tracks
