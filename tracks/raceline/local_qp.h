// Quadratic programs as they come of lines over a road: the unknowns belong to stations along it,
// and no term or condition joins stations more than three apart.
#pragma once

#include <array>
#include <vector>

namespace lapforge::tracks {

// Stations in a row, or in a ring where the first ones follow the last; seven or more.
struct Chain {
  int num_stations = 0;
  int unknowns_per_station = 1;
  bool is_ring = false;

  int size() const { return num_stations * unknowns_per_station; }
};

// A symmetric matrix with entries between unknowns of stations at most three apart.
class BandMatrix {
 public:
  explicit BandMatrix(const Chain& chain);

  // Adds a value to the entries (i, j) and (j, i).
  void Add(int i, int j, double value) { Entry(Place(i), Place(j)) += value; }
  double Diagonal(int i) const { return entries_[Place(i) * stride_]; }
  void AddScaled(const BandMatrix& other, double factor);
  std::vector<double> Times(const std::vector<double>& x) const;

  // Replaces the matrix, which must be positive definite, by its factors L D L'.
  void Factorise();
  // After that: the solution of matrix * x = right_side.
  std::vector<double> Solve(const std::vector<double>& right_side) const;

 private:
  // A ring is folded like a belt: stations 0, n - 1, 1, n - 2, ... so that stations three
  // apart are at most six places apart, and the matrix a band.
  int Place(int i) const { return place_[i]; }
  double& Entry(int row, int column) {
    return row >= column ? entries_[row * stride_ + row - column]
                         : entries_[column * stride_ + column - row];
  }

  int size_;
  int width_;                    // entries beside the diagonal
  int stride_;                   // width + 1
  std::vector<int> place_;       // [size]
  std::vector<double> entries_;  // [size, stride]: row by row, from the diagonal to the left
};

// factors[k] * x[unknowns[k]], summed, is at most `limit`.
struct Condition {
  std::array<int, 6> unknowns{};
  std::array<double, 6> factors{};
  int num_terms = 0;
  double limit = 0;

  void Add(int unknown, double factor) {
    for (int k = 0; k < num_terms; ++k) {
      if (unknowns[k] == unknown) {
        factors[k] += factor;
        return;
      }
    }
    unknowns[num_terms] = unknown;
    factors[num_terms++] = factor;
  }
};

// minimise x' H x / 2 + g' x under conditions
struct LocalQp {
  explicit LocalQp(const Chain& chain) : hessian(chain), gradient(chain.size(), 0.0) {}

  BandMatrix hessian;  // positive definite
  std::vector<double> gradient;
  std::vector<Condition> conditions;
};

// The minimum, or what is near it after 50 steps; conditions hold within 1e-6 or so. Each step is
// linear in the number of stations.
std::vector<double> Solve(const LocalQp& problem);

}  // namespace lapforge::tracks
