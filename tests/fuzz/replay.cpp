// Runs a fuzzed reader once on each file of a folder: replay FOLDER.
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "sim/base/file_io.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 1;
  }
  int num_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    const lapforge::Result<std::string> bytes = lapforge::ReadFile(entry.path());
    if (!bytes.ok()) {
      std::fprintf(stderr, "%s\n", bytes.error().message.c_str());
      return 1;
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size());
    ++num_files;
  }
  std::printf("%d files\n", num_files);
  return num_files > 0 ? 0 : 1;
}
