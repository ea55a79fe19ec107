// SHA-256 (FIPS 180-4), by OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace lapforge::storage {

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

}  // namespace lapforge::storage
