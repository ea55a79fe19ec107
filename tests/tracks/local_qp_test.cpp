// Tests the quadratic program of racing lines by its optimality conditions and a closed form.
#include "tracks/raceline/local_qp.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/base/rng.h"

namespace lapforge::tracks {
namespace {

// A random program: convex, its stations joined to both neighbours, unknowns kept in [-1, 1].
LocalQp RandomQp(const Chain& chain, uint64_t seed) {
  RngStream rng(seed, 0, 0, RngPurpose::kTest);
  const auto random = [&] { return rng.Uniform(-1, 1); };
  LocalQp qp(chain);
  const int n = chain.size(), m = chain.unknowns_per_station;
  for (int i = 0; i < n; ++i) {
    qp.gradient[i] = random();
    qp.hessian.Add(i, i, 0.01);
    for (const double side : {1.0, -1.0}) {
      Condition bound;
      bound.Add(i, side);
      bound.limit = 1;
      qp.conditions.push_back(bound);
    }
  }
  const int last = chain.is_ring ? chain.num_stations : chain.num_stations - 2;
  for (int station = 0; station < last; ++station) {
    // the square of a random sum over three stations
    Condition sum;
    for (int k = 0; k < 3; ++k) sum.Add((station + k) % chain.num_stations * m, random());
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b <= a; ++b) {
        qp.hessian.Add(sum.unknowns[a], sum.unknowns[b], sum.factors[a] * sum.factors[b]);
      }
    }
    sum.limit = 0.2;
    qp.conditions.push_back(sum);
  }
  return qp;
}

double Value(const LocalQp& qp, const std::vector<double>& x) {
  const std::vector<double> product = qp.hessian.Times(x);
  double value = 0;
  for (size_t i = 0; i < x.size(); ++i) value += x[i] * (0.5 * product[i] + qp.gradient[i]);
  return value;
}

double Excess(const LocalQp& qp, const std::vector<double>& x) {
  double excess = -1e9;
  for (const Condition& condition : qp.conditions) {
    double sum = -condition.limit;
    for (int k = 0; k < condition.num_terms; ++k) {
      sum += condition.factors[k] * x[condition.unknowns[k]];
    }
    excess = std::max(excess, sum);
  }
  return excess;
}

TEST_CASE("no allowed change lowers the value that the quadratic program found") {
  for (const bool is_ring : {false, true}) {
    for (const int m : {1, 2}) {
      for (const int stations : {7, 8, 40}) {
        INFO(is_ring << " " << m << " " << stations);
        const LocalQp qp = RandomQp({stations, m, is_ring}, stations + m);
        const std::vector<double> best = Solve(qp);
        CHECK(Excess(qp, best) < 1e-6);
        const double value = Value(qp, best);
        RngStream rng(1, 0, 0, RngPurpose::kTest);
        for (int k = 0; k < 2000; ++k) {
          std::vector<double> other = best;
          const double size = std::pow(10, rng.Uniform(-4, 0));
          for (double& x : other) x += size * rng.Uniform(-1, 1);
          // back towards the best point, which is allowed, until the conditions hold
          for (int half = 0; half < 12 && Excess(qp, other) > 0; ++half) {
            for (size_t i = 0; i < other.size(); ++i) other[i] = 0.5 * (other[i] + best[i]);
          }
          if (Excess(qp, other) > 0) continue;
          CHECK(Value(qp, other) > value - 1e-6);
        }
      }
    }
  }
}

TEST_CASE("factors of a band matrix solve what the matrix multiplies") {
  for (const bool is_ring : {false, true}) {
    for (const int stations : {7, 8, 31}) {
      const LocalQp qp = RandomQp({stations, 2, is_ring}, 3);
      std::vector<double> x(qp.gradient.size());
      for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(3.0 * i);
      BandMatrix factors = qp.hessian;
      factors.Factorise();
      const std::vector<double> solved = factors.Solve(qp.hessian.Times(x));
      for (size_t i = 0; i < x.size(); ++i) CHECK(solved[i] == Approx(x[i]).margin(1e-8));
    }
  }
}

// A beam held at both ends of a ring and pressed against a ceiling has the ceiling's height there.
TEST_CASE("a stretched band is held down by a ceiling") {
  const Chain chain{20, 1, false};
  LocalQp qp(chain);
  for (int i = 0; i + 1 < 20; ++i) {
    qp.hessian.Add(i, i, 1);
    qp.hessian.Add(i + 1, i + 1, 1);
    qp.hessian.Add(i, i + 1, -1);
  }
  qp.hessian.Add(0, 0, 1e6);
  qp.gradient[19] = -1;  // pulled up at its end: without a ceiling x[i] = i
  for (int i = 0; i < 20; ++i) {
    Condition ceiling;
    ceiling.Add(i, 1);
    ceiling.limit = i == 10 ? 5 : 100;
    qp.conditions.push_back(ceiling);
  }
  const std::vector<double> x = Solve(qp);
  for (int i = 0; i < 20; ++i) {
    CHECK(x[i] == Approx(i <= 10 ? 0.5 * i : 5 + (i - 10)).margin(1e-4));
  }
}

}  // namespace
}  // namespace lapforge::tracks
