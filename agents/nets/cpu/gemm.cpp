#include "agents/nets/cpu/gemm.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>

#include <type_traits>

#include "agents/nets/torch_thread.h"

namespace lapforge::agents {
namespace {

// libtorch never frees or resizes what is borrowed.
template <class T>
at::Tensor ViewOf(const Matrix<T>& matrix) {
  constexpr bool kIsFloat = std::is_same_v<std::remove_const_t<T>, float>;
  auto* const data = const_cast<std::remove_const_t<T>*>(matrix.data);
  const at::Tensor view =
      at::from_blob(data, {matrix.rows, matrix.columns}, kIsFloat ? at::kFloat : at::kBFloat16);
  return matrix.is_transposed ? view.t() : view;
}

}  // namespace

template <class T>
void Multiply(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& result) {
  UseOneTorchThread();
  const c10::InferenceMode no_autograd;
  at::Tensor to = ViewOf(result);
  at::mm_out(to, ViewOf(a), ViewOf(b));
}

void AddProduct(const Matrix<const float>& a, const Matrix<const float>& b,
                const Matrix<float>& result) {
  UseOneTorchThread();
  const c10::InferenceMode no_autograd;
  at::Tensor to = ViewOf(result);
  at::addmm_out(to, to, ViewOf(a), ViewOf(b));
}

template void Multiply(const Matrix<const float>&, const Matrix<const float>&,
                       const Matrix<float>&);
template void Multiply(const Matrix<const BFloat16>&, const Matrix<const BFloat16>&,
                       const Matrix<BFloat16>&);

}  // namespace lapforge::agents
