#include "reward/python/interpreter.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include <csignal>

#include <atomic>
#include <string>
#include <vector>

#include "reward/python/reward_python.h"
#include "reward/reward_function.h"
#include "reward/reward_keys.h"
#include "reward/workers/interruption.h"
#include "sim/base/assert.h"
#include "sim/base/log.h"

namespace lapforge::reward {
namespace {

std::atomic<bool> runs_user_code = false;
std::atomic<bool> is_forked_copy = false;
int crash_trace_fd = -1;
pthread_t python_thread{};  // that runs the user's code

// In the new process of a fork: it may do its work, and ends with us at the latest. What it turns
// into keeps that. Nobody waits here for the signals that the program waits for.
void AfterFork() {
  is_forked_copy = true;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

// How this thread rounds, and whether it takes tiny numbers for 0; not the flags of what happened.
unsigned FloatMode() {
#if defined(__SSE__)
  return _mm_getcsr() & ~static_cast<unsigned>(_MM_EXCEPT_MASK);
#else
  return 0;
#endif
}

void SetFloatMode([[maybe_unused]] unsigned mode) {
#if defined(__SSE__)
  _mm_setcsr(mode);
#endif
}

PyObject* LogLine(PyObject*, PyObject* line) {
  LogInfo("reward: ", TextOf(line));
  Py_RETURN_NONE;
}

// did_you_mean(wanted, names): the end of an error message.
PyObject* DidYouMeanText(PyObject*, PyObject* arguments) {
  PyObject* wanted = nullptr;
  PyObject* names = nullptr;
  if (!PyArg_ParseTuple(arguments, "UO!", &wanted, &PyList_Type, &names)) return nullptr;
  std::vector<std::string> texts;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names); ++i) {
    texts.push_back(TextOf(PyList_GET_ITEM(names, i)));
  }
  return PyUnicode_FromString(DidYouMean(TextOf(wanted), texts).c_str());
}

PyObject* KeyList(bool are_extra) {
  PyRef keys(PyList_New(0));
  for (const RewardKey& key : RewardKeys()) {
    if (key.is_extra != are_extra) continue;
    const PyRef text(PyUnicode_FromString(key.name));
    if (!keys || !text || PyList_Append(keys.get(), text.get()) != 0) return nullptr;
  }
  return keys.release();
}

// param_keys(), extra_keys(): the keys of the params as a list of str.
PyObject* ParamKeyList(PyObject*, PyObject*) { return KeyList(false); }
PyObject* ExtraKeyList(PyObject*, PyObject*) { return KeyList(true); }

// What support.py imports as `_lapforge`.
PyObject* MakeProgramModule() {
  static PyMethodDef functions[] = {
      {"log", LogLine, METH_O, nullptr},
      {"did_you_mean", DidYouMeanText, METH_VARARGS, nullptr},
      {"param_keys", ParamKeyList, METH_NOARGS, nullptr},
      {"extra_keys", ExtraKeyList, METH_NOARGS, nullptr},
      {nullptr, nullptr, 0, nullptr},
  };
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "_lapforge",
                                   nullptr,
                                   -1,
                                   functions,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  return PyModule_Create(&definition);
}

PyStatus Initialize() {
  // UTF-8 whatever the locale, which stays the program's own
  PyPreConfig pre_config;
  PyPreConfig_InitIsolatedConfig(&pre_config);
  pre_config.utf8_mode = 1;
  PyStatus status = Py_PreInitialize(&pre_config);
  if (PyStatus_Exception(status)) return status;

  // a fixed hash seed: a user's loop over a set gives the same order in every run
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.install_signal_handlers = 0;
  config.write_bytecode = 0;
  config.use_hash_seed = 1;
  config.hash_seed = 0;
  status = PyConfig_SetString(&config, &config.executable, LAPFORGE_PYTHON_EXECUTABLE);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  return status;
}

// Tells Python what to do when it is interrupted. That works in its own thread only, and a signal
// ends calls that wait. Nobody else uses this one, which is ignored where its handler is lost.
void InstallInterrupt(PyObject* guards) {
  const PyRef done(PyObject_CallMethod(guards, "install_interrupt", nullptr));
  PyErr_Clear();
  struct sigaction wake {};
  wake.sa_handler = [](int) {
    if (runs_user_code) PyErr_SetInterrupt();
  };
  sigaction(SIGURG, &wake, nullptr);
  python_thread = pthread_self();
}

void WriteTraceOnCrash() {
  if (crash_trace_fd < 0) return;
  const PyRef module(PyImport_ImportModule("faulthandler"));
  const PyRef done(module
                       ? PyObject_CallMethod(module.get(), "enable", "iO", crash_trace_fd, Py_False)
                       : nullptr);
  PyErr_Clear();
}

// Python takes Ctrl-C as soon as its signal module is imported; it stays the program's.
class KeepInterruptHandler {
 public:
  KeepInterruptHandler() { sigaction(SIGINT, nullptr, &ours_); }
  ~KeepInterruptHandler() { sigaction(SIGINT, &ours_, nullptr); }
  KeepInterruptHandler(const KeepInterruptHandler&) = delete;
  KeepInterruptHandler& operator=(const KeepInterruptHandler&) = delete;

 private:
  struct sigaction ours_ {};
};

Result<PyObject*> Start() {
  const KeepInterruptHandler keep;
  pthread_atfork(nullptr, nullptr, AfterFork);
  PyImport_AppendInittab("_lapforge", MakeProgramModule);
  const PyStatus status = Initialize();
  if (PyStatus_Exception(status)) {
    return ErrorOf("Python does not start: ", status.err_msg ? status.err_msg : "unknown reason");
  }
  const PyRef guards = ImportProgramFile("guards.py");
  PyRef support = guards ? ImportProgramFile("support.py") : PyRef();
  std::string reason;
  if (!support) {
    const PyRef error = TakePythonError();
    const PyRef text(PyObject_Str(error.get()));
    reason = TextOf(text.get());
  }
  if (support) InstallInterrupt(guards.get());
  WriteTraceOnCrash();
  PyEval_SaveThread();
  if (!support) return ErrorOf("Python starts without its standard library: ", reason);
  return support.release();
}

}  // namespace

Result<PyObject*> StartPython() {
  static const Result<PyObject*> support = Start();
  return support;
}

PyRef ImportProgramFile(std::string_view name) {
  for (const EmbeddedFile& file : RewardPythonFiles()) {
    if (file.name != name) continue;
    const std::string source(file.text);
    const std::string place = "<lapforge>/" + std::string(name);
    const std::string module = "lapforge_" + std::string(name.substr(0, name.find('.')));
    const PyRef code(Py_CompileString(source.c_str(), place.c_str(), Py_file_input));
    return PyRef(code ? PyImport_ExecCodeModule(module.c_str(), code.get()) : nullptr);
  }
  LAPFORGE_ASSERT(false, "a file that CMakeLists.txt embeds");
  return {};
}

void SetCrashTrace(int fd) { crash_trace_fd = fd; }

UserCode::UserCode() : float_mode_(FloatMode()) { runs_user_code = true; }

UserCode::~UserCode() {
  runs_user_code = false;
  if (FloatMode() != float_mode_) SetFloatMode(float_mode_);
}

bool RunsUserCode() { return runs_user_code; }

void EndForkedCopy() {
  if (is_forked_copy) _exit(0);
}

void InterruptPython() {
  workers_interrupted = true;
  if (runs_user_code) pthread_kill(python_thread, SIGURG);
}

PyRef TakePythonError() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value && traceback) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return PyRef(value);
}

std::string TextOf(PyObject* text) {
  const PyRef bytes(text && PyUnicode_Check(text)
                        ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace")
                        : nullptr);
  if (bytes) return PyBytes_AS_STRING(bytes.get());
  PyErr_Clear();
  return "";
}

}  // namespace lapforge::reward
