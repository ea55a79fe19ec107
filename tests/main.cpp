// The main function of every test executable.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

// Tells the leak sanitizer of memory that outside libraries keep until the process ends. Without
// the sanitizer nobody calls it. libcrypto: Python's hashes; .cpython-3: numpy.
extern "C" const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() {
  return "leak:libpython3\nleak:.cpython-3\nleak:libcrypto\nleak:libprotobuf\n";
}

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
