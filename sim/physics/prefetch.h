// Hints to the processor about memory that is needed soon.
#pragma once

#include <cstddef>

namespace lapforge::sim {

// Starts loading these objects into the cache; changes nothing else.
template <class Object>
void PrefetchArray(const Object* objects, size_t count) {
  constexpr size_t kCacheLineBytes = 64;
  const char* const bytes = reinterpret_cast<const char*>(objects);
  for (size_t i = 0; i < count * sizeof(Object); i += kCacheLineBytes)
    __builtin_prefetch(bytes + i);
}

template <class Object>
void PrefetchObject(const Object& object) {
  PrefetchArray(&object, 1);
}

// The same for an object that will be overwritten.
template <class Object>
void PrefetchToWrite(Object& object) {
  constexpr size_t kCacheLineBytes = 64;
  char* const bytes = reinterpret_cast<char*>(&object);
  for (size_t i = 0; i < sizeof(Object); i += kCacheLineBytes) __builtin_prefetch(bytes + i, 1);
}

}  // namespace lapforge::sim
