// Feeds any bytes to the reader of .csv files.
#include "tests/fuzz/outcome.h"
#include "tracks/track_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lapforge::tracks;
  CheckOutcome(ParseCsvTrack(TextOfInput(data, size), "input", {0.5, ""}));
  return 0;
}
