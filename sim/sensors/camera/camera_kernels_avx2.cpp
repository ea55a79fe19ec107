// Compiled for AVX2: nothing here may run on a processor without it but the table's function.
#include <immintrin.h>

#include "sim/sensors/camera/camera_kernel.inl"
#include "sim/sensors/camera/camera_kernels.h"

namespace lapforge::sim {
namespace {

typedef float FloatLanes8 __attribute__((vector_size(32)));
typedef int IntLanes8 __attribute__((vector_size(32)));

struct Avx2Lanes {
  using F = FloatLanes8;
  using I = IntLanes8;
  using M = IntLanes8;
  static constexpr int kCount = 8;

  static F Float(float value) { return F(_mm256_set1_ps(value)); }
  static I Int(int value) { return I(_mm256_set1_epi32(value)); }
  static F Load(const float* from) { return F(_mm256_loadu_ps(from)); }
  static M Less(F a, F b) { return a < b; }
  static int Bits(M mask) { return _mm256_movemask_ps(reinterpret_cast<__m256>(mask)); }
  static bool Any(M mask) { return Bits(mask) != 0; }
  static bool All(M mask) { return Bits(mask) == 0xFF; }
  template <class T>
  static T Select(M mask, T yes, T no) {
    return mask ? yes : no;
  }
  static I Truncate(F value) { return I(_mm256_cvttps_epi32(__m256(value))); }
  static F Min(F a, F b) { return F(_mm256_min_ps(__m256(a), __m256(b))); }
  static F Max(F a, F b) { return F(_mm256_max_ps(__m256(b), __m256(a))); }
  static I Gather(const uint16_t* base, I index) {
    return I(_mm256_i32gather_epi32(reinterpret_cast<const int*>(base), __m256i(index), 2));
  }
  static I MulBytes(I a, I b) { return I(_mm256_maddubs_epi16(__m256i(a), __m256i(b))); }
  static I MulPairs(I a, I b) { return I(_mm256_madd_epi16(__m256i(a), __m256i(b))); }
  static I LoadBytes(const uint8_t* from) {
    return I(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
  }
  static void StoreBytes(uint8_t* to, I values) {
    const __m256i words = _mm256_packus_epi32(__m256i(values), __m256i(values));
    const __m256i bytes = _mm256_packus_epi16(words, words);
    const __m256i ordered =
        _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 0, 4, 0, 4, 0, 4));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(ordered));
  }
};

}  // namespace

CameraKernels Avx2CameraKernels() {
  using Kernel = CameraKernel<Avx2Lanes>;
  return {"avx2", Kernel::PaintImage, Kernel::PaintBox};
}

}  // namespace lapforge::sim
