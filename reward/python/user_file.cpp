#include "reward/python/user_file.h"

#include "reward/reward_keys.h"
#include "sim/base/assert.h"
#include "sim/base/file_io.h"

namespace lapforge::reward {

Result<PyRef> OpenUserFile(const std::string& path) {
  constexpr size_t kMaxSourceBytes = size_t{16} << 20;
  LAPFORGE_TRY(const std::string source, ReadFile(path, kMaxSourceBytes));
  LAPFORGE_TRY(PyObject * support, StartPython());

  const PythonLock lock;
  const PyRef name(PyUnicode_DecodeFSDefault(path.c_str()));
  PyRef user_file(PyObject_CallMethod(support, "UserFile", "Oy#", name.get(), source.data(),
                                      static_cast<Py_ssize_t>(source.size())));
  LAPFORGE_ASSERT(user_file, "UserFile only stores its arguments");
  return user_file;
}

ParamKeySet KeySetFor(const PyRef& user_file) {
  const PyRef text(PyObject_GetAttrString(user_file.get(), "text"));
  LAPFORGE_ASSERT(text, "UserFile keeps its text");
  return NamesExtraKey(TextOf(text.get())) ? ParamKeySet::kAll : ParamKeySet::kDeepracer;
}

}  // namespace lapforge::reward
