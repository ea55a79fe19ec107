// Who reads which bytes of an observation row: while a policy learns, the simulator carries its
// sensors and, behind them, what only a teacher or a critic may know.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/sensors.h"
#include "sim/sim_options.h"

namespace lapforge::agents {

// The sensors of a teacher or critic of any policy in this simulation: the track state and,
// where there are any, the objects ahead.
sim::SensorOptions PrivilegedSensors(const sim::SimOptions& options);

// What a simulator carries for two readers: the kinds of `policy`, then those of `other` that are
// not among them, so that a row begins with the policy's own row.
sim::SensorOptions JoinSensors(const sim::SensorOptions& policy, const sim::SensorOptions& other);

// One reader's rows in rows that carry more.
class RowView {
 public:
  // All sensors of `reader` are among those of `carried`, with the same shapes.
  RowView(const sim::ObservationSpec& reader, const sim::ObservationSpec& carried);
  RowView(const sim::SensorOptions& reader, const sim::SensorOptions& carried);

  size_t row_bytes() const { return row_bytes_; }                  // of the reader
  size_t carried_row_bytes() const { return carried_row_bytes_; }  // of the simulator
  // Copies what the reader sees: `carried` [num_rows, carried_row_bytes] to `own` [num_rows,
  // row_bytes].
  void Gather(std::span<const std::byte> carried, std::span<std::byte> own) const;

 private:
  struct Piece {
    size_t from = 0;
    size_t to = 0;
    size_t size = 0;
  };

  size_t row_bytes_ = 0;
  size_t carried_row_bytes_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace lapforge::agents
