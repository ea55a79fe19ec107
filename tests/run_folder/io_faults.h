// Faults below the code under test: the linker sends its calls of the system here (--wrap, see
// CMakeLists.txt), so that any of them can fail or be the last that the process makes.
#pragma once

namespace lapforge::io_faults {

enum class Fault {
  kNone,
  kFailOnce,  // one call fails with EIO, as from a bad sector
  kFailOn,    // it and all later ones fail with ENOSPC, as on a full disk
  kKill,      // the process ends there, half of a write done
  kPowerCut,  // the same, and bytes that were not flushed are gone
};

/// What exits by kKill or kPowerCut exits with this.
inline constexpr int kKilledStatus = 77;

/// From now on the call number `call_index` (from 0) meets `fault`. Counting starts anew.
void Arm(Fault fault, int call_index);

/// Back to normal; returns the number of calls since Arm.
int Disarm();

}  // namespace lapforge::io_faults
