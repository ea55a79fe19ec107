// The Python reward of this process: params of each env to the user's function, results checked.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reward/python/batch_params.h"
#include "reward/python/interpreter.h"
#include "reward/python/params_dict.h"
#include "reward/reward_function.h"

namespace lapforge::reward {

/// What LoadPythonReward makes. One thread at a time; takes the interpreter's lock itself.
class PythonReward : public RewardFunction {
 public:
  struct Settings {
    std::string path = "";
    std::string log_file = "";   // what the file prints is appended; empty: it is not kept
    bool mutes_loading = false;  // another process shows what the file prints while it loads
    std::optional<std::string> source =
        std::nullopt;  // what the file holds, where that has been read already
  };
  static Result<std::unique_ptr<PythonReward>> Load(const Settings& settings,
                                                    std::span<const tracks::Track> tracks);
  ~PythonReward() override;

  /// True where the file has a reward_batch, which sees all envs at once.
  bool is_batch() const { return !batches_.empty(); }

  Result<void> Evaluate(std::span<const sim::StepFacts> facts, std::span<float> rewards) override;
  Result<void> EvaluateEach(std::span<const sim::StepFacts> facts, std::span<float> rewards,
                            RewardFailures& failures) override;

 private:
  PythonReward() = default;

  Error Describe(const char* method, const PyRef& subject) const;
  Error DescribeRaised();
  Result<float> RewardOf(const PyRef& result);
  Result<PyObject*> FunctionOf(int32_t env_index);
  Result<float> Call(const sim::StepFacts& facts);
  void CallEach(std::span<const sim::StepFacts> facts, std::span<float> rewards,
                RewardFailures& failures);
  void CallBatch(std::span<const sim::StepFacts> facts, std::span<float> rewards,
                 RewardFailures& failures);
  void CallBatchOnView(const BatchSteps& steps, BatchParams& params, std::span<float> rewards,
                       RewardFailures& failures);
  Result<PyRef> BatchResult(const BatchSteps& steps, BatchParams& params);

  std::string path_;                  // of the file
  PyRef user_file_;                   // support.UserFile
  PyRef interrupted_;                 // the exception of an interruption
  std::vector<PyRef> functions_;      // one per env, null before its first step; batch: the first
  std::vector<ParamsDict> params_;    // one per view of the tracks; none for a batch form
  std::vector<BatchParams> batches_;  // the same where the file has one
  bool is_interrupted_ = false;       // by InterruptPython, in the call before
};

}  // namespace lapforge::reward
