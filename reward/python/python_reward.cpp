// The Python reward: params of each env to the user's function, its result checked.
#include <cmath>
#include <string>
#include <vector>

#include "reward/python/interpreter.h"
#include "reward/python/params_dict.h"
#include "reward/python/user_file.h"
#include "reward/reward_function.h"
#include "sim/base/assert.h"

namespace lapforge::reward {
namespace {

constexpr double kMaxReward = 1e5;  // spec/deepracer.md 1.5, inclusive

// What the interpreter owns of a loaded file. The lock must be held.
struct LoadedFile {
  PyRef user_file;                 // support.UserFile
  std::vector<PyRef> functions;    // one per env, null before its first step
  std::vector<ParamsDict> params;  // one per view of the tracks
};

// Calls a method of support.UserFile that words an error.
Error Describe(const LoadedFile& file, const char* method, const PyRef& subject) {
  const PyRef text(PyObject_CallMethod(file.user_file.get(), method, "O", subject.get()));
  if (text) return Error{TextOf(text.get())};
  PyErr_Clear();
  return Error{"the reward function failed in a way that Python cannot describe"};
}

Error DescribeRaised(const LoadedFile& file) {
  return Describe(file, "describe_error", TakePythonError());
}

// float(result), as DeepRacer does: takes whole numbers, numpy scalars and numeric texts.
Result<float> RewardOf(const LoadedFile& file, const PyRef& result) {
  const PyRef number(PyNumber_Float(result.get()));
  if (!number) {
    // lines of the user's own, in a __float__, are to blame for what they raised
    PyRef error = TakePythonError();
    const PyRef traceback(PyException_GetTraceback(error.get()));
    return traceback ? Describe(file, "describe_error", error)
                     : Describe(file, "describe_result", result);
  }
  const double value = PyFloat_AS_DOUBLE(number.get());
  const bool is_in_range = std::abs(value) <= kMaxReward;  // false for NaN
  if (!is_in_range) return Describe(file, "describe_result", result);
  return static_cast<float>(value);
}

// The env's own copy of the function: users keep in globals what their one car did a step ago.
Result<PyObject*> FunctionOf(LoadedFile& file, int32_t env_index) {
  const auto index = static_cast<size_t>(env_index);
  if (index >= file.functions.size()) file.functions.resize(index + 1);
  PyRef& function = file.functions[index];
  if (!function) function = PyRef(PyObject_CallMethod(file.user_file.get(), "load", nullptr));
  if (!function) return DescribeRaised(file);
  return function.get();
}

Result<float> CallUser(LoadedFile& file, const sim::StepFacts& facts) {
  if (facts.reason == sim::EndReason::kFault) return 0.0F;
  LAPFORGE_TRY(PyObject * function, FunctionOf(file, facts.env_index));
  const auto view_index = static_cast<size_t>(facts.track_index);
  LAPFORGE_ASSERT(view_index < file.params.size(), "facts of a track that was not given");
  const PyRef params = file.params[view_index].Make(facts);
  const PyRef result(PyObject_CallOneArg(function, params.get()));
  if (!result) return DescribeRaised(file);
  return RewardOf(file, result);
}

void Unload(const LoadedFile& file) {
  const PyRef done(PyObject_CallMethod(file.user_file.get(), "unload", nullptr));
  PyErr_Clear();
}

class PythonReward : public RewardFunction {
 public:
  explicit PythonReward(LoadedFile file) : file_(std::move(file)) {}

  ~PythonReward() override {
    const PythonLock lock;
    Unload(file_);
    file_ = {};
  }

  Result<void> Evaluate(std::span<const sim::StepFacts> facts, std::span<float> rewards) override {
    LAPFORGE_ASSERT(rewards.size() == facts.size(), "one reward for each env");
    const PythonLock lock;
    const UserCode runs;
    for (size_t i = 0; i < facts.size(); ++i) {
      LAPFORGE_TRY(rewards[i], CallUser(file_, facts[i]));
    }
    return {};
  }

 private:
  LoadedFile file_;
};

}  // namespace

Result<std::unique_ptr<RewardFunction>> LoadPythonReward(const std::string& path,
                                                         std::span<const tracks::Track> tracks) {
  LAPFORGE_TRY(PyRef user_file, OpenUserFile(path));
  const PythonLock lock;
  LoadedFile file;
  file.user_file = std::move(user_file);
  const UserCode runs;
  if (const auto function = FunctionOf(file, 0); !function.ok()) {
    Unload(file);
    return function.error();
  }
  const ParamKeySet key_set = KeySetFor(file.user_file);
  for (const tracks::Track& view : tracks) file.params.emplace_back(view, key_set);
  return std::unique_ptr<RewardFunction>(std::make_unique<PythonReward>(std::move(file)));
}

}  // namespace lapforge::reward
