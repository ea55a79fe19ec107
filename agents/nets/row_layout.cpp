#include "agents/nets/row_layout.h"

#include <algorithm>
#include <cstring>

#include "sim/base/assert.h"

namespace lapforge::agents {

sim::SensorOptions PrivilegedSensors(const sim::SimOptions& options) {
  sim::SensorOptions sensors = options.sensors;
  sensors.kinds = {"track_state"};
  if (options.objects.count > 0) sensors.kinds.push_back("objects_ahead");
  return sensors;
}

sim::SensorOptions JoinSensors(const sim::SensorOptions& policy, const sim::SensorOptions& other) {
  sim::SensorOptions joined = policy;
  for (const std::string& kind : other.kinds) {
    const bool is_there =
        std::find(joined.kinds.begin(), joined.kinds.end(), kind) != joined.kinds.end();
    if (!is_there) joined.kinds.push_back(kind);
  }
  return joined;
}

RowView::RowView(const sim::SensorOptions& reader, const sim::SensorOptions& carried)
    : RowView(sim::ObservationSpecOf(reader), sim::ObservationSpecOf(carried)) {}

RowView::RowView(const sim::ObservationSpec& own, const sim::ObservationSpec& all)
    : row_bytes_(own.row_bytes), carried_row_bytes_(all.row_bytes) {
  for (const sim::SensorSpec& sensor : own.sensors) {
    const auto found =
        std::find_if(all.sensors.begin(), all.sensors.end(),
                     [&](const sim::SensorSpec& other) { return other.name == sensor.name; });
    LAPFORGE_ASSERT(found != all.sensors.end() && found->size_bytes == sensor.size_bytes,
                    "a reader's sensors are carried");
    pieces_.push_back({found->offset_bytes, sensor.offset_bytes, sensor.size_bytes});
  }
}

void RowView::Gather(std::span<const std::byte> carried, std::span<std::byte> own) const {
  const size_t num_rows = own.size() / row_bytes_;
  for (size_t row = 0; row < num_rows; ++row) {
    for (const Piece& piece : pieces_) {
      std::memcpy(&own[row * row_bytes_ + piece.to],
                  &carried[row * carried_row_bytes_ + piece.from], piece.size);
    }
  }
}

}  // namespace lapforge::agents
