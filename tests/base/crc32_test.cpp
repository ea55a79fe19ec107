// Tests CRC-32C against the check value and the iSCSI examples of RFC 3720, appendix B.4.
#include "sim/base/crc32.h"

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

namespace lapforge {
namespace {

TEST_CASE("CRC-32C gives the published values") {
  const std::string_view digits = "123456789";
  CHECK(Crc32c(std::as_bytes(std::span<const char>(digits))) == 0xE3069283);
  CHECK(Crc32c({}) == 0);

  std::vector<std::byte> bytes(32);
  CHECK(Crc32c(bytes) == 0x8A9136AA);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  CHECK(Crc32c(bytes) == 0x46DD794E);
  bytes.assign(32, std::byte{0xFF});
  CHECK(Crc32c(bytes) == 0x62A8AB43);
}

}  // namespace
}  // namespace lapforge
