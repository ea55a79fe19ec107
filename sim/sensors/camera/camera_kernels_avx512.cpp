// Compiled for AVX-512 (F, BW): nothing here may run on a processor without it but the table's
// function.
#include <immintrin.h>

#include "sim/sensors/camera/camera_kernel.inl"
#include "sim/sensors/camera/camera_kernels.h"

namespace lapforge::sim {
namespace {

typedef float FloatLanes16 __attribute__((vector_size(64)));
typedef int IntLanes16 __attribute__((vector_size(64)));

struct Avx512Lanes {
  using F = FloatLanes16;
  using I = IntLanes16;
  using M = __mmask16;
  static constexpr int kCount = 16;

  static F Float(float value) { return F(_mm512_set1_ps(value)); }
  static I Int(int value) { return I(_mm512_set1_epi32(value)); }
  static F Load(const float* from) { return F(_mm512_loadu_ps(from)); }
  static M Less(F a, F b) { return _mm512_cmp_ps_mask(__m512(a), __m512(b), _CMP_LT_OQ); }
  static bool Any(M mask) { return mask != 0; }
  static bool All(M mask) { return mask == 0xFFFF; }
  static F Select(M mask, F yes, F no) {
    return F(_mm512_mask_blend_ps(mask, __m512(no), __m512(yes)));
  }
  static I Select(M mask, I yes, I no) {
    return I(_mm512_mask_blend_epi32(mask, __m512i(no), __m512i(yes)));
  }
  static I Truncate(F value) { return I(_mm512_cvttps_epi32(__m512(value))); }
  static F Min(F a, F b) { return F(_mm512_min_ps(__m512(a), __m512(b))); }
  static F Max(F a, F b) { return F(_mm512_max_ps(__m512(b), __m512(a))); }
  static I Gather(const uint16_t* base, I index) {
    return I(_mm512_i32gather_epi32(__m512i(index), base, 2));
  }
  static I MulBytes(I a, I b) { return I(_mm512_maddubs_epi16(__m512i(a), __m512i(b))); }
  static I MulPairs(I a, I b) { return I(_mm512_madd_epi16(__m512i(a), __m512i(b))); }
  static I LoadBytes(const uint8_t* from) {
    return I(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
  }
  static void StoreBytes(uint8_t* to, I values) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(__m512i(values)));
  }
};

}  // namespace

CameraKernels Avx512CameraKernels() {
  using Kernel = CameraKernel<Avx512Lanes>;
  return {"avx512", Kernel::PaintImage, Kernel::PaintBox};
}

}  // namespace lapforge::sim
