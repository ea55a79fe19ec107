#include "agents/storage/sha256.h"

#include <openssl/evp.h>

#include "sim/base/assert.h"

namespace lapforge::storage {

std::string Sha256Hex(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  LAPFORGE_ASSERT(done == 1 && size == 32, "OpenSSL offers SHA-256");

  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

}  // namespace lapforge::storage
