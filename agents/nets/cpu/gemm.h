// Matrix products by the BLAS that libtorch carries, on borrowed arrays.
#pragma once

#include <cstdint>

#include "agents/nets/cpu/numbers.h"

namespace lapforge::agents {

// Borrowed, row-major: [rows, columns], or the transposed of that.
template <class T>
struct Matrix {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  bool is_transposed = false;

  Matrix Transposed() const { return {data, rows, columns, !is_transposed}; }
};

// result = a b, in the calling thread alone. T is float or BFloat16, which is summed up in float.
template <class T>
void Multiply(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& result);

// result += a b
void AddProduct(const Matrix<const float>& a, const Matrix<const float>& b,
                const Matrix<float>& result);

extern template void Multiply(const Matrix<const float>&, const Matrix<const float>&,
                              const Matrix<float>&);
extern template void Multiply(const Matrix<const BFloat16>&, const Matrix<const BFloat16>&,
                              const Matrix<BFloat16>&);

}  // namespace lapforge::agents
