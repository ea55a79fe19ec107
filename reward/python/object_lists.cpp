#include "reward/python/object_lists.h"

#include "sim/base/assert.h"

namespace lapforge::reward {

PyRef MakeObjectList(const ObjectKey& key, const sim::StepFacts& facts) {
  PyRef list(PyList_New(facts.num_objects));
  LAPFORGE_ASSERT(list, "Python is out of memory");
  for (int i = 0; i < facts.num_objects; ++i) {
    PyList_SET_ITEM(list.get(), i, key.value(facts.objects[static_cast<size_t>(i)]));
  }
  return list;
}

}  // namespace lapforge::reward
