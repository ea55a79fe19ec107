// CRC-32C, the checksum inside TensorBoard event files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lapforge {

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78, as iSCSI uses it) of `bytes`.
uint32_t Crc32c(std::span<const std::byte> bytes);

}  // namespace lapforge
