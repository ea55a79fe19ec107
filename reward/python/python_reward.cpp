#include "reward/python/python_reward.h"

#include <algorithm>
#include <cmath>

#include "reward/python/user_file.h"
#include "reward/user_code.h"
#include "sim/base/assert.h"

namespace lapforge::reward {
namespace {

constexpr double kMaxReward = 1e5;  // spec/deepracer.md 1.5, inclusive

// False for NaN.
bool IsReward(double value) { return std::abs(value) <= kMaxReward; }

// The steps on one view but for faults, which users do not see.
BatchSteps StepsOnView(std::span<const sim::StepFacts> facts, size_t view_index) {
  BatchSteps steps;
  for (size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].reason == sim::EndReason::kFault) continue;
    if (static_cast<size_t>(facts[i].track_index) == view_index) steps.push_back({i, &facts[i]});
  }
  return steps;
}

}  // namespace

// Calls a method of support.UserFile that words an error.
Error PythonReward::Describe(const char* method, const PyRef& subject) const {
  return Error{TextFrom({user_file_.get(), method, path_.c_str()}, subject)};
}

Error PythonReward::DescribeRaised() {
  const PyRef error = TakePythonError();
  is_interrupted_ |= PyErr_GivenExceptionMatches(error.get(), interrupted_.get()) != 0;
  return Describe("describe_error", error);
}

// float(result), as DeepRacer does: takes whole numbers, numpy scalars and numeric texts.
Result<float> PythonReward::RewardOf(const PyRef& result) {
  const PyRef number(PyNumber_Float(result.get()));
  if (!number) {
    // lines of the user's own, in a __float__, are to blame for what they raised
    const PyRef error = TakePythonError();
    const PyRef traceback(PyException_GetTraceback(error.get()));
    return traceback ? Describe("describe_error", error) : Describe("describe_result", result);
  }
  const double value = PyFloat_AS_DOUBLE(number.get());
  if (!IsReward(value)) return Describe("describe_result", result);
  return static_cast<float>(value);
}

// The env's own copy of the function: users keep in globals what their one car did a step ago.
Result<PyObject*> PythonReward::FunctionOf(int32_t env_index) {
  const auto index = static_cast<size_t>(env_index);
  if (index >= functions_.size()) functions_.resize(index + 1);
  PyRef& function = functions_[index];
  if (!function) function = PyRef(PyObject_CallMethod(user_file_.get(), "load", nullptr));
  EndForkedCopy();
  if (!function) return DescribeRaised();
  return function.get();
}

Result<float> PythonReward::Call(const sim::StepFacts& facts) {
  if (facts.reason == sim::EndReason::kFault) return 0.0F;
  LAPFORGE_TRY(PyObject * function, FunctionOf(facts.env_index));
  const auto view_index = static_cast<size_t>(facts.track_index);
  LAPFORGE_ASSERT(view_index < params_.size(), "facts of a track that was not given");
  const PyRef params = params_[view_index].Make(facts);
  const PyRef result(PyObject_CallOneArg(function, params.get()));
  EndForkedCopy();
  if (!result) return DescribeRaised();
  return RewardOf(result);
}

void PythonReward::CallEach(std::span<const sim::StepFacts> facts, std::span<float> rewards,
                            RewardFailures& failures) {
  for (size_t i = 0; i < facts.size() && failures.list.size() < failures.enough; ++i) {
    const Result<float> reward = Call(facts[i]);
    rewards[i] = reward.ok() ? *reward : 0;
    if (!reward.ok()) failures.list.push_back({i, reward.error().message});
    if (is_interrupted_) return;
  }
}

// The rewards of `steps` as an array of float64.
Result<PyRef> PythonReward::BatchResult(const BatchSteps& steps, BatchParams& params) {
  const PyRef batch = params.Make(steps);
  const PyRef result(PyObject_CallOneArg(functions_.front().get(), batch.get()));
  EndForkedCopy();
  if (!result) return DescribeRaised();
  PyRef array(PyObject_CallMethod(user_file_.get(), "batch_rewards", "On", result.get(),
                                  static_cast<Py_ssize_t>(steps.size())));
  if (!array) return DescribeRaised();
  return array;
}

void PythonReward::CallBatchOnView(const BatchSteps& steps, BatchParams& params,
                                   std::span<float> rewards, RewardFailures& failures) {
  const Result<PyRef> array = BatchResult(steps, params);
  if (!array.ok()) {
    for (const BatchStep& step : steps)
      failures.list.push_back({step.index, array.error().message});
    return;
  }
  const std::vector<double> values = NumbersOf(*array);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (IsReward(values[i])) {
      rewards[steps[i].index] = static_cast<float>(values[i]);
      continue;
    }
    const PyRef text(PyObject_CallMethod(user_file_.get(), "describe_batch_value", "di", values[i],
                                         int{steps[i].facts->env_index}));
    failures.list.push_back({steps[i].index, TextOf(text.get())});
  }
}

void PythonReward::CallBatch(std::span<const sim::StepFacts> facts, std::span<float> rewards,
                             RewardFailures& failures) {
  std::fill(rewards.begin(), rewards.end(), 0.0F);
  for (size_t view_index = 0; view_index < batches_.size(); ++view_index) {
    const BatchSteps steps = StepsOnView(facts, view_index);
    if (!steps.empty()) CallBatchOnView(steps, batches_[view_index], rewards, failures);
  }
  std::sort(failures.list.begin(), failures.list.end(),
            [](const auto& a, const auto& b) { return a.index < b.index; });
}

PythonReward::~PythonReward() {
  const PythonLock lock;
  const PyRef done(PyObject_CallMethod(user_file_.get(), "unload", nullptr));
  PyErr_Clear();
  batches_.clear();
  params_.clear();
  functions_.clear();
  interrupted_ = {};
  user_file_ = {};
}

Result<void> PythonReward::Evaluate(std::span<const sim::StepFacts> facts,
                                    std::span<float> rewards) {
  RewardFailures failures;
  failures.enough = 1;
  LAPFORGE_CHECK_OK(EvaluateEach(facts, rewards, failures));
  if (!failures.list.empty()) return Error{failures.list.front().message};
  return {};
}

Result<void> PythonReward::EvaluateEach(std::span<const sim::StepFacts> facts,
                                        std::span<float> rewards, RewardFailures& failures) {
  LAPFORGE_ASSERT(rewards.size() == facts.size(), "one reward for each env");
  const PythonLock lock;
  const UserCode runs;
  is_interrupted_ = false;
  if (is_batch()) {
    CallBatch(facts, rewards, failures);
  } else {
    CallEach(facts, rewards, failures);
  }
  if (is_interrupted_) return Error{failures.list.back().message};
  return {};
}

Result<std::unique_ptr<PythonReward>> PythonReward::Load(const Settings& settings,
                                                         std::span<const tracks::Track> tracks) {
  LAPFORGE_TRY(PyRef user_file,
               settings.source ? MakeUserFile(settings.path, *settings.source, settings.log_file)
                               : OpenUserFile(settings.path, settings.log_file));
  LAPFORGE_TRY(PyObject * support, StartPython());
  std::unique_ptr<PythonReward> reward(new PythonReward);
  const PythonLock lock;
  reward->path_ = settings.path;
  NoteUserFile(settings.path);
  reward->user_file_ = std::move(user_file);
  reward->interrupted_ = PyRef(PyObject_GetAttrString(support, "Interrupted"));
  PyObject_SetAttrString(reward->user_file_.get(), "mutes_loading",
                         settings.mutes_loading ? Py_True : Py_False);
  const UserTurn turn;
  const UserCode runs;
  LAPFORGE_CHECK_OK(reward->FunctionOf(0));
  const ParamKeySet key_set = KeySetFor(reward->user_file_);
  const PyRef is_batch(PyObject_GetAttrString(reward->user_file_.get(), "is_batch"));
  for (const tracks::Track& view : tracks) {
    if (is_batch.get() == Py_True) {
      reward->batches_.emplace_back(view, key_set);
    } else {
      reward->params_.emplace_back(view, key_set);
    }
  }
  return reward;
}

Result<std::unique_ptr<RewardFunction>> LoadPythonReward(const std::string& path,
                                                         std::span<const tracks::Track> tracks) {
  LAPFORGE_TRY(std::unique_ptr<PythonReward> reward, PythonReward::Load({path, ""}, tracks));
  return std::unique_ptr<RewardFunction>(std::move(reward));
}

}  // namespace lapforge::reward
