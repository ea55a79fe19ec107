// Tests who reads which bytes of a row: policy first, privileged sensors behind, nothing twice.
#include "agents/nets/row_layout.h"

#include <catch2/catch.hpp>

namespace lapforge::agents {
namespace {

constexpr size_t kTrackStateBytes = 29 * 4;
constexpr size_t kLidarBytes = 64 * 4;
constexpr size_t kImuBytes = 6 * 4;

sim::SensorOptions SensorsOf(std::vector<std::string> kinds) {
  sim::SensorOptions sensors;
  sensors.kinds = std::move(kinds);
  return sensors;
}

// Bytes that say where they are.
std::vector<std::byte> CountedBytes(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  return bytes;
}

TEST_CASE("privileged sensors stand behind the policy's, once") {
  sim::SimOptions options;
  options.sensors = SensorsOf({"lidar", "imu"});
  const sim::SensorOptions privileged = PrivilegedSensors(options);
  using Kinds = std::vector<std::string>;
  CHECK(privileged.kinds == Kinds{"track_state"});
  CHECK(JoinSensors(options.sensors, privileged).kinds == Kinds{"lidar", "imu", "track_state"});
  const auto seeing = SensorsOf({"track_state", "lidar"});
  CHECK(JoinSensors(seeing, privileged).kinds == Kinds{"track_state", "lidar"});
}

TEST_CASE("each reader gets its own bytes, in its own order") {
  const sim::SensorOptions carried = SensorsOf({"lidar", "imu", "track_state"});
  const std::vector<std::byte> rows =
      CountedBytes(2 * (kLidarBytes + kImuBytes + kTrackStateBytes));
  const size_t row_bytes = rows.size() / 2;
  const auto part = [&](size_t row, size_t begin, size_t size) {
    const auto at = rows.begin() + std::ptrdiff_t(row * row_bytes + begin);
    return std::vector<std::byte>(at, at + std::ptrdiff_t(size));
  };

  const RowView teacher(SensorsOf({"track_state"}), carried);
  REQUIRE(teacher.row_bytes() == kTrackStateBytes);
  REQUIRE(teacher.carried_row_bytes() == row_bytes);
  std::vector<std::byte> own(2 * teacher.row_bytes());
  teacher.Gather(rows, own);
  for (const size_t row : {0, 1}) {
    const auto begin = own.begin() + std::ptrdiff_t(row * kTrackStateBytes);
    CHECK((std::vector(begin, begin + kTrackStateBytes) ==
           part(row, kLidarBytes + kImuBytes, kTrackStateBytes)));
  }

  // another order, with a gap between
  const RowView other(SensorsOf({"track_state", "lidar"}), carried);
  own.assign(2 * other.row_bytes(), std::byte{0});
  other.Gather(rows, own);
  std::vector<std::byte> expected;
  for (const size_t row : {0, 1}) {
    for (const auto& bytes :
         {part(row, kLidarBytes + kImuBytes, kTrackStateBytes), part(row, 0, kLidarBytes)}) {
      expected.insert(expected.end(), bytes.begin(), bytes.end());
    }
  }
  CHECK((own == expected));
}

}  // namespace
}  // namespace lapforge::agents
