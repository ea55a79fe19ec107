#include "agents/nets/net_plan.h"

#include <algorithm>

#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

struct Convolution {
  int filters;
  int kernel;
  int stride;
};

// A kind of net: layers of each embedder, then of the trunk without its output.
struct KindPlan {
  std::vector<Convolution> mono;
  std::vector<Convolution> stereo;  // empty: as mono
  std::vector<int> mono_dense;
  std::vector<int> lidar_dense;
  std::vector<int> trunk;
  bool needs_camera = true;
  float image_scale = 1 / 127.5f;  // spec of our own nets: pixel / 127.5 - 0.5
  float image_shift = -0.5f;
};

// DeepRacer's: pixels / 255, an embedder for every lidar, one for cameras in pairs.
KindPlan DeepRacerPlan(std::vector<Convolution> mono, std::vector<Convolution> stereo) {
  KindPlan plan;
  plan.mono = std::move(mono);
  plan.stereo = std::move(stereo);
  plan.lidar_dense = {256, 256};
  plan.trunk = {512};
  plan.needs_camera = false;
  plan.image_scale = 1 / 255.0f;
  plan.image_shift = 0;
  return plan;
}

// spec: our nets for cars and microcontrollers; the three that DeepRacer calls
// DEEP_CONVOLUTIONAL_NETWORK_SHALLOW, DEEP_CONVOLUTIONAL_NETWORK and .._DEEP.
KindPlan PlanOfKind(NetKind kind) {
  const std::vector<Convolution> stereo = {
      {32, 3, 1}, {64, 3, 2}, {64, 3, 1}, {128, 3, 2}, {128, 3, 1}};
  KindPlan plan;
  switch (kind) {
    case NetKind::kAuto:
    case NetKind::kMlp:
      break;
    case NetKind::kNano:
      plan.mono = {{16, 8, 4}, {32, 4, 2}};
      plan.trunk = {64};
      break;
    case NetKind::kSlim80:
      plan.mono = {{16, 8, 4}, {32, 4, 2}};
      plan.trunk = {128};
      break;
    case NetKind::kSlim160:
      plan.mono = {{16, 8, 4}, {32, 4, 2}, {32, 3, 2}};
      plan.trunk = {128};
      break;
    case NetKind::kDeepracerShallow:
      plan = DeepRacerPlan({{32, 8, 4}, {64, 4, 2}, {64, 3, 1}}, {});
      break;
    case NetKind::kDeepracer:
      plan = DeepRacerPlan({{32, 5, 2}, {32, 3, 1}, {64, 3, 2}, {64, 3, 1}}, stereo);
      plan.mono_dense = {64};
      break;
    case NetKind::kDeepracerDeep:
      plan = DeepRacerPlan({{32, 8, 4}, {32, 4, 2}, {64, 4, 2}, {64, 3, 1}}, stereo);
      plan.mono_dense = {512, 512};
      plan.trunk = {256, 128};
      break;
  }
  return plan;
}

// The least width and height that leave one pixel after all convolutions.
int SmallestSide(const std::vector<Convolution>& convolutions) {
  int side = 1;
  for (auto it = convolutions.rbegin(); it != convolutions.rend(); ++it) {
    side = (side - 1) * it->stride + it->kernel;
  }
  return side;
}

void AddLayer(LayerPlan layer, NetPlan& plan, std::vector<LayerPlan>& layers) {
  layer.weight = plan.num_parameters;
  layer.bias = layer.weight + size_t(layer.num_outputs) * size_t(layer.num_weights());
  plan.num_parameters = layer.bias + size_t(layer.num_outputs);
  layers.push_back(std::move(layer));
}

void AddDenseLayers(const std::string& prefix, const std::vector<int>& units, NetPlan& plan,
                    EmbedderPlan& embedder) {
  for (const int count : units) {
    AddLayer({StrCat(prefix, ".", embedder.layers.size()), embedder.num_outputs, count}, plan,
             embedder.layers);
    embedder.num_outputs = count;
  }
}

Result<void> AddCameraLayers(const KindPlan& kind, NetPlan& plan, EmbedderPlan& embedder) {
  const bool is_stereo = embedder.shape[0] % 2 == 0;
  const bool has_own = is_stereo && !kind.stereo.empty();
  const std::vector<Convolution>& convolutions = has_own ? kind.stereo : kind.mono;
  int channels = embedder.shape[0];
  int height = embedder.shape[1];
  int width = embedder.shape[2];
  if (const int side = SmallestSide(convolutions); std::min(height, width) < side) {
    return ErrorOf("net.kind needs images of at least ", side, " x ", side,
                   " pixels; sim.sensors.camera gives ", width, " x ", height);
  }
  for (const Convolution& convolution : convolutions) {
    AddLayer({StrCat("camera.", embedder.layers.size()), channels, convolution.filters,
              convolution.kernel, convolution.stride},
             plan, embedder.layers);
    channels = convolution.filters;
    height = (height - convolution.kernel) / convolution.stride + 1;
    width = (width - convolution.kernel) / convolution.stride + 1;
  }
  embedder.num_outputs = channels * height * width;
  if (!has_own) AddDenseLayers("camera", kind.mono_dense, plan, embedder);
  return {};
}

int CountOf(const std::vector<int>& shape) {
  int count = 1;
  for (const int length : shape) count *= length;
  return count;
}

bool HasImage(const sim::ObservationSpec& row) { return !row.is_all_float(); }

int NumPixels(const sim::ObservationSpec& row) {
  for (const sim::SensorSpec& sensor : row.sensors) {
    if (sensor.type == sim::ObservationType::kUint8) return sensor.shape[1] * sensor.shape[2];
  }
  return 0;
}

}  // namespace

std::vector<const LayerPlan*> NetPlan::layers() const {
  std::vector<const LayerPlan*> all;
  for (const EmbedderPlan& embedder : embedders) {
    for (const LayerPlan& layer : embedder.layers) all.push_back(&layer);
  }
  for (const LayerPlan& layer : trunk) all.push_back(&layer);
  return all;
}

NetKind ResolveNetKind(NetKind kind, const sim::ObservationSpec& row) {
  if (kind != NetKind::kAuto) return kind;
  if (!HasImage(row)) return NetKind::kMlp;
  if (NumPixels(row) <= 64 * 48) return NetKind::kNano;
  return NumPixels(row) <= 80 * 60 ? NetKind::kSlim80 : NetKind::kSlim160;
}

Result<NetPlan> MakeNetPlan(NetKind kind, const sim::ObservationSpec& row, int num_outputs) {
  const KindPlan kind_plan = PlanOfKind(kind);
  if (kind_plan.needs_camera && !HasImage(row)) {
    return ErrorOf("net.kind is a net for images, but sim.sensors.kinds has no camera; ",
                   "expected mlp or auto");
  }
  NetPlan plan;
  plan.row_bytes = row.row_bytes;
  plan.image_scale = kind_plan.image_scale;
  plan.image_shift = kind_plan.image_shift;

  int num_joined = 0;
  for (const sim::SensorSpec& sensor : row.sensors) {
    EmbedderPlan embedder;
    embedder.offset_bytes = sensor.offset_bytes;
    embedder.is_image = sensor.type == sim::ObservationType::kUint8;
    embedder.shape = sensor.shape;
    embedder.num_outputs = CountOf(sensor.shape);
    if (embedder.is_image) LAPFORGE_CHECK_OK(AddCameraLayers(kind_plan, plan, embedder));
    if (sensor.name == "lidar") {
      AddDenseLayers(sensor.name, kind_plan.lidar_dense, plan, embedder);
    }
    num_joined += embedder.num_outputs;
    plan.embedders.push_back(std::move(embedder));
  }

  for (const int units : kind_plan.trunk) {
    AddLayer({StrCat("trunk.", plan.trunk.size()), num_joined, units}, plan, plan.trunk);
    num_joined = units;
  }
  AddLayer({"output", num_joined, num_outputs}, plan, plan.trunk);
  return plan;
}

}  // namespace lapforge::agents
