// Feeds any bytes to the reader of .npy files.
#include "tests/fuzz/outcome.h"
#include "tracks/track_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lapforge::tracks;
  CheckOutcome(ParseNpyTrack(TextOfInput(data, size), "input"));
  return 0;
}
