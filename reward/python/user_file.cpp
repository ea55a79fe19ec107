#include "reward/python/user_file.h"

#include "reward/reward_function.h"
#include "reward/reward_keys.h"
#include "sim/base/assert.h"
#include "sim/base/file_io.h"
#include "sim/base/strings.h"

namespace lapforge::reward {

// The bytes of a file's name.
static std::string PathOf(PyObject* text) {
  const PyRef bytes(PyUnicode_EncodeFSDefault(text));
  LAPFORGE_ASSERT(bytes, "names come from the file system");
  return PyBytes_AS_STRING(bytes.get());
}

Result<PyRef> OpenUserFile(const std::string& path, const std::string& log_file) {
  constexpr size_t kMaxSourceBytes = size_t{16} << 20;
  LAPFORGE_TRY(const std::string source, ReadFile(path, kMaxSourceBytes));
  return MakeUserFile(path, source, log_file);
}

Result<PyRef> MakeUserFile(const std::string& path, const std::string& source,
                           const std::string& log_file) {
  if (!log_file.empty()) LAPFORGE_CHECK_OK(AppendFile::Open(log_file));
  LAPFORGE_TRY(PyObject * support, StartPython());

  const PythonLock lock;
  const PyRef name(PyUnicode_DecodeFSDefault(path.c_str()));
  const PyRef log_name(PyUnicode_DecodeFSDefault(log_file.c_str()));
  PyRef user_file(PyObject_CallMethod(support, "UserFile", "Oy#O", name.get(), source.data(),
                                      static_cast<Py_ssize_t>(source.size()), log_name.get()));
  LAPFORGE_ASSERT(user_file, "UserFile only stores its arguments");
  return user_file;
}

Result<std::vector<RewardModule>> FindRewardModules(const std::string& python_file) {
  LAPFORGE_CHECK_OK(StartPython());
  const PythonLock lock;
  LAPFORGE_TRY(const PyRef user_file, OpenUserFile(python_file));
  const PyRef pairs(PyObject_CallMethod(user_file.get(), "modules", nullptr));
  if (!pairs) {
    PyErr_Clear();
    return ErrorOf(python_file, ": the modules that it imports cannot be read");
  }
  std::vector<RewardModule> modules;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pairs.get()); ++i) {
    PyObject* const pair = PyList_GET_ITEM(pairs.get(), i);
    modules.push_back({StrCat("reward_modules/", PathOf(PyTuple_GET_ITEM(pair, 0))),
                       PathOf(PyTuple_GET_ITEM(pair, 1))});
  }
  return modules;
}

std::string TextFrom(const Wording& wording, const PyRef& subject) {
  const PyRef text(PyObject_CallMethod(wording.object, wording.method, "O", subject.get()));
  if (text) return TextOf(text.get());
  PyErr_Clear();
  return StrCat(wording.path, ": failed with ", Py_TYPE(subject.get())->tp_name,
                "; what it changed in Python's modules hides where");
}

ParamKeySet KeySetFor(const PyRef& user_file) {
  const PyRef text(PyObject_GetAttrString(user_file.get(), "text"));
  LAPFORGE_ASSERT(text, "UserFile keeps its text");
  return NamesExtraKey(TextOf(text.get())) ? ParamKeySet::kAll : ParamKeySet::kDeepracer;
}

}  // namespace lapforge::reward
