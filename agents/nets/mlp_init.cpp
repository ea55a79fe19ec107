#include <cmath>

#include "agents/nets/mlp.h"
#include "sim/base/assert.h"

namespace lapforge::agents {
namespace {

// `count` orthonormal vectors of `size` >= count numbers, from normal ones by Gram-Schmidt (in
// double, twice, so that rounding does not spoil the right angles).
std::vector<std::vector<double>> OrthonormalVectors(int count, int size, RngStream& random) {
  std::vector<std::vector<double>> vectors;
  while (static_cast<int>(vectors.size()) < count) {
    std::vector<double> vector(static_cast<size_t>(size));
    for (double& value : vector) value = random.Normal();
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& other : vectors) {
        double dot = 0;
        for (size_t i = 0; i < vector.size(); ++i) dot += vector[i] * other[i];
        for (size_t i = 0; i < vector.size(); ++i) vector[i] -= dot * other[i];
      }
    }
    double squares = 0;
    for (const double value : vector) squares += value * value;
    for (double& value : vector) value /= std::sqrt(squares);
    vectors.push_back(std::move(vector));
  }
  return vectors;
}

}  // namespace

LayerPlace PlaceOfLayer(const MlpShape& shape, int layer) {
  LayerPlace place;
  for (int i = 0; i <= layer; ++i) {
    place.weight = i == 0 ? 0 : place.bias + static_cast<size_t>(shape.outputs_of(i - 1));
    place.bias = place.weight +
                 static_cast<size_t>(shape.outputs_of(i)) * static_cast<size_t>(shape.inputs_of(i));
  }
  return place;
}

size_t NumParameters(const MlpShape& shape) {
  return PlaceOfLayer(shape, shape.num_layers() - 1).bias + static_cast<size_t>(shape.num_outputs);
}

void InitMlp(const MlpShape& shape, double last_gain, RngStream& random,
             std::span<float> parameters) {
  LAPFORGE_ASSERT(parameters.size() == NumParameters(shape), "parameters fit the shape");
  for (int layer = 0; layer < shape.num_layers(); ++layer) {
    const int rows = shape.outputs_of(layer);
    const int columns = shape.inputs_of(layer);
    const double gain = layer + 1 == shape.num_layers() ? last_gain : std::sqrt(2.0);
    const bool is_tall = rows > columns;
    const auto vectors = is_tall ? OrthonormalVectors(columns, rows, random)
                                 : OrthonormalVectors(rows, columns, random);
    const LayerPlace place = PlaceOfLayer(shape, layer);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const double value =
            is_tall ? vectors[size_t(column)][size_t(row)] : vectors[size_t(row)][size_t(column)];
        parameters[place.weight + size_t(row) * size_t(columns) + size_t(column)] =
            static_cast<float>(gain * value);
      }
      parameters[place.bias + size_t(row)] = 0;
    }
  }
}

}  // namespace lapforge::agents
