// Tests the nets for images: sizes, forward against plain loops, gradients against differences,
// bits on any thread, first weights, what is refused.
#include "agents/nets/conv_network.h"

#include <cmath>
#include <cstring>
#include <iostream>
#include <thread>

#include "agents/nets/make_network.h"
#include "tests/agents/agents_fixture.h"

namespace lapforge::agents {
namespace {

struct Rows {
  sim::ObservationSpec spec;
  std::vector<std::byte> bytes;  // [num_rows, spec.row_bytes]
  int num_rows = 0;
};

sim::SensorOptions CameraOf(int width_px, int height_px) {
  sim::SensorOptions sensors;
  sensors.kinds = {"camera"};
  sensors.camera.width_px = width_px;
  sensors.camera.height_px = height_px;
  return sensors;
}

Rows RandomRows(const sim::SensorOptions& sensors, int num_rows) {
  Rows rows;
  rows.num_rows = num_rows;
  rows.spec = sim::ObservationSpecOf(sensors);
  rows.bytes.resize(rows.spec.row_bytes * size_t(num_rows));
  RngStream random(3, 0, 0, RngPurpose::kTest);
  for (int row = 0; row < num_rows; ++row) {
    for (const sim::SensorSpec& sensor : rows.spec.sensors) {
      std::byte* const at = &rows.bytes[size_t(row) * rows.spec.row_bytes + sensor.offset_bytes];
      if (sensor.type == sim::ObservationType::kUint8) {
        for (size_t i = 0; i < sensor.size_bytes; ++i) at[i] = std::byte(random.Below(256));
      } else {
        for (size_t i = 0; i < sensor.size_bytes; i += sizeof(float)) {
          const float number = static_cast<float>(random.Normal());
          std::memcpy(at + i, &number, sizeof(float));
        }
      }
    }
  }
  return rows;
}

NetOptions OptionsOf(NetKind kind, NetPrecision precision = NetPrecision::kFloat32) {
  NetOptions options;
  options.kind = kind;
  options.precision = precision;
  return options;
}

size_t SizeOf(NetKind kind, const sim::SensorOptions& sensors, int num_outputs) {
  return ValueOf(MakeNetwork(OptionsOf(kind), sim::ObservationSpecOf(sensors), num_outputs))
      ->num_parameters();
}

size_t Convolution(size_t inputs, size_t filters, size_t kernel) {
  return filters * (inputs * kernel * kernel + 1);
}
size_t Dense(size_t inputs, size_t outputs) { return outputs * (inputs + 1); }

TEST_CASE("parameters are those of the layers") {
  // sides after each layer: (side - kernel) / stride + 1, rounded down
  CHECK(SizeOf(NetKind::kNano, CameraOf(64, 48), 2) ==
        Convolution(1, 16, 8) + Convolution(16, 32, 4) + Dense(32 * 6 * 4, 64) + Dense(64, 2));
  CHECK(SizeOf(NetKind::kAuto, CameraOf(64, 48), 2) == SizeOf(NetKind::kNano, CameraOf(64, 48), 2));
  CHECK(SizeOf(NetKind::kSlim80, CameraOf(80, 60), 2) ==
        Convolution(1, 16, 8) + Convolution(16, 32, 4) + Dense(32 * 8 * 6, 128) + Dense(128, 2));
  CHECK(SizeOf(NetKind::kAuto, CameraOf(160, 120), 2) ==
        Convolution(1, 16, 8) + Convolution(16, 32, 4) + Convolution(32, 32, 3) +
            Dense(32 * 8 * 6, 128) + Dense(128, 2));
  CHECK(SizeOf(NetKind::kDeepracerShallow, CameraOf(160, 120), 21) ==
        Convolution(1, 32, 8) + Convolution(32, 64, 4) + Convolution(64, 64, 3) +
            Dense(64 * 16 * 11, 512) + Dense(512, 21));
  CHECK(SizeOf(NetKind::kDeepracer, CameraOf(160, 120), 5) ==
        Convolution(1, 32, 5) + Convolution(32, 32, 3) + Convolution(32, 64, 3) +
            Convolution(64, 64, 3) + Dense(64 * 35 * 25, 64) + Dense(64, 512) + Dense(512, 5));
  CHECK(SizeOf(NetKind::kDeepracerDeep, CameraOf(160, 120), 5) ==
        Convolution(1, 32, 8) + Convolution(32, 32, 4) + Convolution(32, 64, 4) +
            Convolution(64, 64, 3) + Dense(64 * 6 * 3, 512) + Dense(512, 512) + Dense(512, 256) +
            Dense(256, 128) + Dense(128, 5));
}

TEST_CASE("two cameras and a lidar have embedders of their own") {
  sim::SensorOptions sensors = CameraOf(160, 120);
  sensors.camera.stereo = true;
  const size_t stereo = Convolution(2, 32, 3) + Convolution(32, 64, 3) + Convolution(64, 64, 3) +
                        Convolution(64, 128, 3) + Convolution(128, 128, 3);
  CHECK(SizeOf(NetKind::kDeepracer, sensors, 5) ==
        stereo + Dense(128 * 35 * 25, 512) + Dense(512, 5));

  sensors.camera.stereo = false;
  sensors.kinds = {"camera", "lidar"};
  const size_t lidar = Dense(64, 256) + Dense(256, 256);
  CHECK(SizeOf(NetKind::kDeepracerShallow, sensors, 5) ==
        Convolution(1, 32, 8) + Convolution(32, 64, 4) + Convolution(64, 64, 3) + lidar +
            Dense(64 * 16 * 11 + 256, 512) + Dense(512, 5));
  sensors.kinds = {"lidar"};
  CHECK(SizeOf(NetKind::kDeepracerShallow, sensors, 5) == lidar + Dense(256, 512) + Dense(512, 5));
}

// One layer by its definition.
std::vector<double> PlainLayer(const LayerPlan& layer, const std::vector<double>& parameters,
                               const std::vector<double>& in, std::vector<int>& shape) {
  if (layer.is_dense()) shape = {static_cast<int>(in.size()), 1, 1};
  const int kernel = layer.is_dense() ? 1 : layer.kernel;
  const int stride = layer.is_dense() ? 1 : layer.stride;
  const int height = (shape[1] - kernel) / stride + 1;
  const int width = (shape[2] - kernel) / stride + 1;
  std::vector<double> out;
  for (int filter = 0; filter < layer.num_outputs; ++filter) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        double sum = parameters[layer.bias + size_t(filter)];
        size_t weight = layer.weight + size_t(filter * layer.num_weights());
        for (int channel = 0; channel < shape[0]; ++channel) {
          for (int ky = 0; ky < kernel; ++ky) {
            for (int kx = 0; kx < kernel; ++kx, ++weight) {
              const int row = channel * shape[1] + y * stride + ky;
              sum += parameters[weight] * in[size_t(row * shape[2] + x * stride + kx)];
            }
          }
        }
        out.push_back(sum);
      }
    }
  }
  shape = {layer.num_outputs, height, width};
  return out;
}

std::vector<double> PlainChain(const std::vector<LayerPlan>& layers,
                               const std::vector<double>& parameters, std::vector<double> numbers,
                               std::vector<int> shape) {
  for (const LayerPlan& layer : layers) {
    numbers = PlainLayer(layer, parameters, numbers, shape);
    if (layer.name == "output") continue;
    for (double& number : numbers) number = std::max(number, 0.0);
  }
  return numbers;
}

std::vector<double> PlainForward(const NetPlan& plan, const std::vector<double>& parameters,
                                 const Rows& rows) {
  std::vector<double> outputs;
  for (int row = 0; row < rows.num_rows; ++row) {
    std::vector<double> joined;
    for (const EmbedderPlan& embedder : plan.embedders) {
      const std::byte* const at = &rows.bytes[size_t(row) * plan.row_bytes + embedder.offset_bytes];
      size_t count = 1;
      for (const int length : embedder.shape) count *= size_t(length);
      std::vector<double> numbers;
      for (size_t i = 0; i < count; ++i) {
        float number = 0;
        if (!embedder.is_image) std::memcpy(&number, at + i * sizeof(float), sizeof(float));
        numbers.push_back(embedder.is_image ? double(at[i]) * plan.image_scale + plan.image_shift
                                            : double(number));
      }
      const auto result = PlainChain(embedder.layers, parameters, numbers, embedder.shape);
      joined.insert(joined.end(), result.begin(), result.end());
    }
    const auto result = PlainChain(plan.trunk, parameters, joined, {});
    outputs.insert(outputs.end(), result.begin(), result.end());
  }
  return outputs;
}

struct Outcome {
  std::vector<float> outputs;
  std::vector<float> gradients;
};

// Gradients are those of the sum of weights times outputs.
Outcome Compute(NetworkWorkspace& work, std::span<const float> parameters, const Rows& rows,
                std::span<const float> weights) {
  std::memcpy(work.inputs().data(), rows.bytes.data(), rows.bytes.size());
  const auto outputs = work.Forward(parameters, rows.num_rows);
  Outcome outcome{{outputs.begin(), outputs.end()}, std::vector<float>(parameters.size(), 77)};
  work.Backward(parameters, weights, rows.num_rows, outcome.gradients);
  return outcome;
}

std::vector<float> FirstParameters(const Network& network) {
  std::vector<float> parameters(network.num_parameters());
  RngStream random(9, 0, 0, RngPurpose::kNetInit);
  network.Init(1, random, parameters);
  // biases of zero would hide mistakes with them
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == 0) parameters[i] = 0.01f * static_cast<float>(i % 7);
  }
  return parameters;
}

void CheckAgainstPlainLoops(NetKind kind, const sim::SensorOptions& sensors) {
  const Rows rows = RandomRows(sensors, 3);
  const NetPlan plan = ValueOf(MakeNetPlan(kind, rows.spec, 2));
  const auto network = MakeConvNetwork(plan);
  const std::vector<float> parameters = FirstParameters(*network);
  const std::vector<float> weights = RandomNumbers<float>(6, 4);
  const auto work = network->MakeWorkspace(5);  // more room than rows
  const Outcome outcome = Compute(*work, parameters, rows, weights);

  std::vector<double> exact(parameters.begin(), parameters.end());
  const std::vector<double> expected = PlainForward(plan, exact, rows);
  REQUIRE(outcome.outputs.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(outcome.outputs[i] == Approx(expected[i]).epsilon(1e-4).margin(1e-4));
  }

  // some parameters of every layer; a kink of a ReLU inside the step spoils a few
  constexpr double kStep = 1e-6;
  RngStream random(5, 0, 0, RngPurpose::kTest);
  const auto loss = [&] {
    const std::vector<double> outputs = PlainForward(plan, exact, rows);
    double sum = 0;
    for (size_t i = 0; i < outputs.size(); ++i) sum += double(weights[i]) * outputs[i];
    return sum;
  };
  for (const ParameterTensor& tensor : network->tensors()) {
    CAPTURE(tensor.name);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const size_t index = tensor.offset + random.Below(uint32_t(tensor.size()));
      const double middle = exact[index];
      exact[index] = middle + kStep;
      const double above = loss();
      exact[index] = middle - kStep;
      const double slope = (above - loss()) / (2 * kStep);
      exact[index] = middle;
      CHECK(outcome.gradients[index] == Approx(slope).epsilon(1e-3).margin(1e-3));
    }
  }
}

TEST_CASE("forward and gradients equal plain loops and finite differences") {
  CheckAgainstPlainLoops(NetKind::kNano, CameraOf(64, 48));
  CheckAgainstPlainLoops(NetKind::kSlim160, CameraOf(52, 36));
  CheckAgainstPlainLoops(NetKind::kDeepracerShallow, CameraOf(40, 36));
  CheckAgainstPlainLoops(NetKind::kDeepracer, CameraOf(24, 24));
}

TEST_CASE("colours, pairs of cameras and other sensors go into the same net") {
  sim::SensorOptions sensors = CameraOf(32, 28);
  sensors.camera.color = sim::CameraColor::kRgb;
  sensors.kinds = {"track_state", "camera", "imu"};
  CheckAgainstPlainLoops(NetKind::kNano, sensors);
  sensors.camera.color = sim::CameraColor::kGray;
  sensors.camera.stereo = true;
  sensors.kinds = {"lidar", "camera", "wheel_speed"};
  CheckAgainstPlainLoops(NetKind::kDeepracer, sensors);
  sensors.kinds = {"lidar"};
  CheckAgainstPlainLoops(NetKind::kDeepracerDeep, sensors);
}

TEST_CASE("the same rows give the same bits, whichever thread, workspace or batch before") {
  for (const NetPrecision precision : {NetPrecision::kFloat32, NetPrecision::kBfloat16}) {
    const Rows rows = RandomRows(CameraOf(64, 48), 24);
    const auto network = ValueOf(MakeNetwork(OptionsOf(NetKind::kNano, precision), rows.spec, 2));
    const std::vector<float> parameters = FirstParameters(*network);
    const std::vector<float> weights = RandomNumbers<float>(48, 4);
    const auto work = network->MakeWorkspace(24);
    const Outcome expected = Compute(*work, parameters, rows, weights);

    Rows fewer = rows;
    fewer.num_rows = 5;
    fewer.bytes.resize(5 * rows.spec.row_bytes);
    Compute(*work, parameters, fewer, weights);
    const Outcome again = Compute(*work, parameters, rows, weights);
    CHECK(again.outputs == expected.outputs);
    CHECK(again.gradients == expected.gradients);

    Outcome elsewhere;
    std::thread([&] {
      const std::vector<float> moved(parameters);
      const auto other = network->MakeWorkspace(31);
      elsewhere = Compute(*other, moved, rows, weights);
    }).join();
    CHECK(elsewhere.outputs == expected.outputs);
    CHECK(elsewhere.gradients == expected.gradients);
  }
}

// Its numbers have 8 bits; gradients differ more, where a ReLU falls on the other side of zero.
TEST_CASE("rows that become numbers on the device give what the host reads") {
  sim::SensorOptions sensors = CameraOf(64, 48);
  sensors.kinds = {"wheel_speed", "camera", "lidar"};
  const Rows rows = RandomRows(sensors, 5);
  NetPlan plan = ValueOf(MakeNetPlan(NetKind::kDeepracerShallow, rows.spec, 2));
  const auto on_host = MakeConvNetwork(plan);
  plan.reads_on_device = true;
  const auto on_device = MakeConvNetwork(plan);
  const std::vector<float> parameters = FirstParameters(*on_host);
  const std::vector<float> weights = RandomNumbers<float>(10, 4);
  const Outcome expected = Compute(*on_host->MakeWorkspace(8), parameters, rows, weights);
  const Outcome actual = Compute(*on_device->MakeWorkspace(8), parameters, rows, weights);
  for (size_t i = 0; i < expected.outputs.size(); ++i) {
    CHECK(actual.outputs[i] == Approx(expected.outputs[i]).epsilon(1e-5).margin(1e-5));
  }
  for (size_t i = 0; i < expected.gradients.size(); ++i) {
    const float expected_slope = expected.gradients[i];
    if (std::abs(actual.gradients[i] - expected_slope) <= 1e-4f * (1 + std::abs(expected_slope)))
      continue;
    FAIL_CHECK("gradient " << i << ": " << actual.gradients[i] << ", not " << expected_slope);
  }
}

TEST_CASE("a GPU computes what the CPU does, or says why it cannot") {
  const Rows rows = RandomRows(CameraOf(64, 48), 7);
  NetOptions options = OptionsOf(NetKind::kNano);
  const auto cpu = ValueOf(MakeNetwork(options, rows.spec, 2));
  options.device = NetDevice::kCuda;
  const auto gpu = MakeNetwork(options, rows.spec, 2);
  if (!gpu.ok()) {
    std::cout << "SKIPPED: " << gpu.error().message << "\n";
    CHECK(gpu.error().message.find("net.device cuda: ") == 0);
    CHECK(gpu.error().message.find('\n') == std::string::npos);
    return;
  }
  const std::vector<float> parameters = FirstParameters(*cpu);
  const std::vector<float> weights = RandomNumbers<float>(14, 4);
  const Outcome expected = Compute(*cpu->MakeWorkspace(8), parameters, rows, weights);
  const auto workspace = (*gpu)->MakeWorkspace(8);
  const Outcome actual = Compute(*workspace, parameters, rows, weights);
  const Outcome again = Compute(*workspace, parameters, rows, weights);
  CHECK((actual.outputs == again.outputs && actual.gradients == again.gradients));
  for (size_t i = 0; i < expected.outputs.size(); ++i) {
    CHECK(actual.outputs[i] == Approx(expected.outputs[i]).epsilon(1e-3).margin(1e-3));
  }
  for (size_t i = 0; i < expected.gradients.size(); ++i) {
    const float expected_slope = expected.gradients[i];
    if (std::abs(actual.gradients[i] - expected_slope) <= 1e-2f * (1 + std::abs(expected_slope)))
      continue;
    FAIL_CHECK("gradient " << i << ": " << actual.gradients[i] << ", not " << expected_slope);
  }
}

TEST_CASE("bfloat16 is near float32") {
  const Rows rows = RandomRows(CameraOf(64, 48), 16);
  const std::vector<float> weights = RandomNumbers<float>(32, 4);
  std::vector<Outcome> outcomes;
  for (const NetPrecision precision : {NetPrecision::kFloat32, NetPrecision::kBfloat16}) {
    const auto network = ValueOf(MakeNetwork(OptionsOf(NetKind::kNano, precision), rows.spec, 2));
    outcomes.push_back(
        Compute(*network->MakeWorkspace(16), FirstParameters(*network), rows, weights));
  }
  const auto relative_error = [](const std::vector<float>& exact, const std::vector<float>& near) {
    double squares = 0;
    double errors = 0;
    for (size_t i = 0; i < exact.size(); ++i) {
      squares += double(exact[i]) * exact[i];
      errors += double(near[i] - exact[i]) * (near[i] - exact[i]);
    }
    return std::sqrt(errors / squares);
  };
  CHECK(outcomes[0].outputs != outcomes[1].outputs);
  CHECK(relative_error(outcomes[0].outputs, outcomes[1].outputs) < 0.02);
  CHECK(relative_error(outcomes[0].gradients, outcomes[1].gradients) < 0.2);
}

TEST_CASE("first weights are orthogonal and biases zero") {
  const auto network =
      ValueOf(MakeNetwork(OptionsOf(NetKind::kNano), sim::ObservationSpecOf(CameraOf(64, 48)), 2));
  std::vector<float> parameters(network->num_parameters());
  RngStream random(9, 0, 0, RngPurpose::kNetInit);
  network->Init(0.01, random, parameters);
  for (const ParameterTensor& tensor : network->tensors()) {
    CAPTURE(tensor.name);
    const auto numbers = std::span(parameters).subspan(tensor.offset, tensor.size());
    if (tensor.shape.size() == 1) {
      for (const float bias : numbers) CHECK(bias == 0);
      continue;
    }
    const size_t columns = tensor.size() / size_t(tensor.shape[0]);
    const double gain = tensor.name == "output.weight" ? 0.01 : std::sqrt(2.0);
    for (size_t other = 0; other < size_t(tensor.shape[0]); ++other) {
      double dot = 0;
      for (size_t i = 0; i < columns; ++i) dot += numbers[i] * numbers[other * columns + i];
      CHECK(dot == Approx(other == 0 ? gain * gain : 0).margin(1e-5));
    }
  }
}

TEST_CASE("tensors cover the flat array") {
  for (const NetKind kind : {NetKind::kMlp, NetKind::kDeepracerShallow}) {
    sim::SensorOptions sensors;
    sensors.kinds = {"lidar", "imu"};
    const auto network = ValueOf(MakeNetwork(OptionsOf(kind), sim::ObservationSpecOf(sensors), 2));
    size_t next = 0;
    for (const ParameterTensor& tensor : network->tensors()) {
      CHECK(tensor.offset == next);
      next += tensor.size();
    }
    CHECK(next == network->num_parameters());
    CHECK(network->num_outputs() == 2);
    CHECK(network->row_bytes() == 70 * sizeof(float));
  }
}

std::string RefusalOf(NetKind kind, const sim::SensorOptions& sensors) {
  const auto network = MakeNetwork(OptionsOf(kind), sim::ObservationSpecOf(sensors), 2);
  REQUIRE_FALSE(network.ok());
  return network.error().message;
}

TEST_CASE("what a net cannot take is refused in one line") {
  CHECK(RefusalOf(NetKind::kNano, CameraOf(16, 16)) ==
        "net.kind needs images of at least 20 x 20 pixels; sim.sensors.camera gives 16 x 16");
  CHECK_THAT(RefusalOf(NetKind::kNano, sim::SensorOptions()), Catch::Contains("no camera"));
  CHECK_THAT(RefusalOf(NetKind::kMlp, CameraOf(64, 48)), Catch::Contains("cannot take images"));
}

}  // namespace
}  // namespace lapforge::agents
