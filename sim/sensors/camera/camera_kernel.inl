// The camera's arithmetic for a few pixels at a time. `Lanes` says how many and how: one (the
// scalar reference, a GPU thread), eight (AVX2) or sixteen (AVX-512). Every operation is exact or
// rounded alike in all of them, so that all give the same bytes.
#pragma once

#include "sim/sensors/camera/camera_job.h"

#ifndef LAPFORGE_DEVICE
#define LAPFORGE_DEVICE
#endif

namespace lapforge::sim {
namespace {

// Rays that fall less than this a metre see sky: they meet the ground beyond every track.
constexpr float kMinFall = 1e-4f;
// How much of the way to the zenith's colour a ray goes a unit of its height.
constexpr float kSkyGradient = 1.5f;

template <class Lanes>
struct CameraKernel {
  using F = typename Lanes::F;
  using I = typename Lanes::I;
  using M = typename Lanes::M;

  struct Direction {
    F x, y, z;
  };

  LAPFORGE_DEVICE static F Min(F a, F b) { return Lanes::Min(a, b); }
  LAPFORGE_DEVICE static F Max(F a, F b) { return Lanes::Max(a, b); }
  LAPFORGE_DEVICE static F Clamp0(F value, float high) {
    return Min(Max(value, Lanes::Float(0)), Lanes::Float(high));
  }

  LAPFORGE_DEVICE static Direction Turn(const float rotation[9], const Direction& ray) {
    const auto row = [&](int i) {
      return Lanes::Float(rotation[i]) * ray.x + Lanes::Float(rotation[i + 1]) * ray.y +
             Lanes::Float(rotation[i + 2]) * ray.z;
    };
    return {row(0), row(3), row(6)};
  }

  LAPFORGE_DEVICE static Direction RayOf(const CameraJob& job, int pixel) {
    return {Lanes::Load(job.ray_x + pixel), Lanes::Load(job.ray_y + pixel),
            Lanes::Load(job.ray_z + pixel)};
  }

  // Weights of a texel and of the next along an axis, as halves of a word.
  LAPFORGE_DEVICE static I Weights(I fraction) {
    return (fraction << 16) + (Lanes::Int(kWeightOne) - fraction);
  }

  // The same as the bytes of both halves.
  LAPFORGE_DEVICE static I ByteWeights(I fraction) {
    const I pair = (fraction << 8) + (Lanes::Int(kWeightOne) - fraction);
    return pair | (pair << 16);
  }

  // Grey levels of the ground where the rays meet it, one for each plane.
  template <int kPlanes>
  LAPFORGE_DEVICE static void SampleGround(const CameraLevel& level, F reach_u, F reach_v,
                                           I values[kPlanes]) {
    const I u = Lanes::Truncate(Clamp0(Lanes::Float(level.camera_u) + reach_u, level.max_u));
    const I v = Lanes::Truncate(Clamp0(Lanes::Float(level.camera_v) + reach_v, level.max_v));
    const I fraction = Lanes::Int(kWeightOne - 1);
    const I weights_u = Weights(u & fraction);
    const I weights_v = ByteWeights(v & fraction);
    const I texel = (v >> kWeightBits) * Lanes::Int(level.row_texels) + (u >> kWeightBits);
    const I rounding = Lanes::Int((kTexelShift << 2 * kWeightBits) + (1 << (2 * kWeightBits - 1)));
    for (int plane = 0; plane < kPlanes; ++plane) {
      const I four = Lanes::Gather(level.texels + plane * level.plane_texels, texel);
      const I two = Lanes::MulBytes(weights_v, four);
      values[plane] = (Lanes::MulPairs(two, weights_u) + rounding) >> (2 * kWeightBits);
    }
  }

  // Ground and sky of the pixels from `pixel` on.
  template <int kPlanes>
  LAPFORGE_DEVICE static void PaintPixels(const CameraJob& job, const CameraLevel& level,
                                          int pixel) {
    const Direction ray = Turn(job.rotation, RayOf(job, pixel));
    const M is_ground = Lanes::Less(ray.z, Lanes::Float(-kMinFall));
    I values[kPlanes] = {};
    if (Lanes::Any(is_ground)) {
      const F fall = Max(Lanes::Float(0) - ray.z, Lanes::Float(kMinFall));
      const F reach = Lanes::Float(job.camera_height_m * level.steps_per_m) / fall;
      SampleGround<kPlanes>(level, reach * ray.x, reach * ray.y, values);
    }
    if (!Lanes::All(is_ground)) {
      const F rise = Clamp0(ray.z * Lanes::Float(kSkyGradient), 1);
      for (int plane = 0; plane < kPlanes; ++plane) {
        const float way = job.zenith[plane] - job.horizon[plane];
        const F sky = Lanes::Float(job.horizon[plane]) + rise * Lanes::Float(way);
        values[plane] = Lanes::Select(is_ground, values[plane], Lanes::Truncate(sky));
      }
    }
    for (int plane = 0; plane < kPlanes; ++plane) {
      Lanes::StoreBytes(job.image + plane * job.num_pixels + pixel, values[plane]);
    }
  }

  // On a copy of the job, which no byte of the image can change, so that what all pixels share is
  // computed once.
  template <int kPlanes>
  __attribute__((flatten)) static void PaintBlocks(const CameraJob& shared_job) {
    const CameraJob job = shared_job;
    for (int block = 0; block < job.num_pixels / kPixelBlock; ++block) {
      const CameraLevel& level = job.levels[job.block_level[block]];
      for (int lane = 0; lane < kPixelBlock; lane += Lanes::kCount) {
        PaintPixels<kPlanes>(job, level, block * kPixelBlock + lane);
      }
    }
  }

  // The whole image without boxes.
  static void PaintImage(const CameraJob& job) {
    if (job.num_planes == 1) {
      PaintBlocks<1>(job);
    } else {
      PaintBlocks<kMaxImagePlanes>(job);
    }
  }

  // Where the rays enter and leave the box across one axis.
  LAPFORGE_DEVICE static void ClipToFaces(F direction, float from_m, float half_m, F& enter,
                                          F& leave) {
    const F inverse = Lanes::Float(1) / direction;
    const F first = Lanes::Float(-half_m - from_m) * inverse;
    const F last = Lanes::Float(half_m - from_m) * inverse;
    enter = Min(first, last);
    leave = Max(first, last);
  }

  // The box over the pixels from `pixel` on.
  LAPFORGE_DEVICE static void PaintBoxPixels(const CameraJob& job, const CameraBoxJob& box,
                                             int pixel) {
    const Direction ray = Turn(box.rotation, RayOf(job, pixel));
    F enter[3];
    F leave[3];
    ClipToFaces(ray.x, box.camera_m[0], box.half_m[0], enter[0], leave[0]);
    ClipToFaces(ray.y, box.camera_m[1], box.half_m[1], enter[1], leave[1]);
    ClipToFaces(ray.z, box.camera_m[2], box.half_m[2], enter[2], leave[2]);
    const F last_enter = Max(Max(enter[0], enter[1]), enter[2]);
    const F first_leave = Min(Min(leave[0], leave[1]), leave[2]);
    const M is_hit = Lanes::Less(Max(last_enter, Lanes::Float(0)), first_leave);
    if (!Lanes::Any(is_hit)) return;
    const M is_not_x = Lanes::Less(enter[0], last_enter);
    const M is_not_y = Lanes::Less(enter[1], last_enter);
    for (int plane = 0; plane < job.num_planes; ++plane) {
      const I other =
          Lanes::Select(is_not_y, Lanes::Int(box.shade[2][plane]), Lanes::Int(box.shade[1][plane]));
      const I face = Lanes::Select(is_not_x, other, Lanes::Int(box.shade[0][plane]));
      uint8_t* const bytes = job.image + plane * job.num_pixels + pixel;
      Lanes::StoreBytes(bytes, Lanes::Select(is_hit, face, Lanes::LoadBytes(bytes)));
    }
  }

  __attribute__((flatten)) static void PaintBox(const CameraJob& shared_job,
                                                const CameraBoxJob& shared_box) {
    const CameraJob job = shared_job;
    const CameraBoxJob box = shared_box;
    for (int row = box.first_row; row <= box.last_row; ++row) {
      const int first = (row * box.width_px + box.first_column) / kPixelBlock * kPixelBlock;
      const int end =
          (row * box.width_px + box.last_column) / kPixelBlock * kPixelBlock + kPixelBlock;
      for (int pixel = first; pixel < end; pixel += Lanes::kCount) {
        PaintBoxPixels(job, box, pixel);
      }
    }
  }
};

}  // namespace
}  // namespace lapforge::sim
