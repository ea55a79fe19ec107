// Large pages for memory that is read all over.
#pragma once

namespace lapforge {

/// Asks the system to put what lies from `begin` to `end` on pages of 2 MB, which it then finds
/// faster. Values and addresses stay. Costs as much as a copy; does nothing where the system has no
/// such pages or the memory is less than one.
void UseHugePages(const void* begin, const void* end);

}  // namespace lapforge
