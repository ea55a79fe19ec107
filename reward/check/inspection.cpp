#include "reward/check/inspection.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "reward/check/check_files.h"
#include "reward/guarded_run.h"
#include "reward/python/interpreter.h"
#include "reward/python/params_dict.h"
#include "reward/python/user_file.h"
#include "reward/reward_function.h"
#include "reward/user_code.h"
#include "sim/base/assert.h"
#include "sim/base/strings.h"

namespace lapforge::reward {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostFailures = 10;           // different ones
constexpr std::chrono::seconds kMostTime{60};  // of all calls
// beyond what the watchdog of inspector.py allows, which cannot interrupt native code
constexpr double kCallLimitS = 10;
constexpr double kLoadLimitS = 30;

// Owns the Python objects of one inspection. The lock must be held.
class Inspector {
 public:
  static Result<Inspector> Open(const std::string& python_file) {
    LAPFORGE_TRY(PyRef user_file, OpenUserFile(python_file));
    const PyRef module = ImportCheckFile("inspector.py");
    Inspector inspector;
    inspector.object_ = PyRef(PyObject_CallMethod(module.get(), "Inspector", "O", user_file.get()));
    LAPFORGE_ASSERT(inspector.object_, "Inspector only stores its argument");
    inspector.path_ = python_file;
    inspector.user_file_ = std::move(user_file);
    return inspector;
  }

  Result<void> Load() const {
    const WatchedCall call(kLoadLimitS, "the file outside of its function");
    const PyRef done(PyObject_CallMethod(object_.get(), "load", nullptr));
    EndForkedCopy();
    if (!done) return DescribeRaised();
    return {};
  }

  Result<double> Call(const PyRef& params) const {
    const PyRef reward(PyObject_CallMethod(object_.get(), "call", "O", params.get()));
    EndForkedCopy();
    if (!reward) return DescribeRaised();
    return PyFloat_AsDouble(reward.get());
  }

  Clock::time_point deadline() const { return deadline_; }
  ParamKeySet key_set() const { return KeySetFor(user_file_); }

  // True after a call that did not end: more would take as long.
  bool IsOvertime() const {
    const PyRef flag(PyObject_GetAttrString(object_.get(), "is_overtime"));
    return flag.get() == Py_True;
  }

  nlohmann::json Report() const {
    const PyRef text(PyObject_CallMethod(object_.get(), "report", nullptr));
    LAPFORGE_ASSERT(text, "the report of a file that parses");
    return nlohmann::json::parse(TextOf(text.get()));
  }

 private:
  Error DescribeRaised() const {
    const PyRef error = TakePythonError();
    return Error{TextFrom({object_.get(), "describe", path_.c_str()}, error)};
  }

  std::string path_;
  PyRef user_file_;
  PyRef object_;
  Clock::time_point deadline_ = Clock::now() + kMostTime;
};

void Count(const std::string& message, int drive, int step, std::vector<FailedCall>& failures) {
  for (FailedCall& failure : failures) {
    if (failure.message != message) continue;
    ++failure.count;
    return;
  }
  if (failures.size() < kMostFailures) failures.push_back({message, drive, step});
}

std::vector<SourceRemark> RemarksOf(const nlohmann::json& pairs) {
  std::vector<SourceRemark> remarks;
  for (const auto& pair : pairs) remarks.push_back({pair[0], pair[1]});
  return remarks;
}

void TakeReport(const nlohmann::json& report, Inspection& inspection) {
  for (const auto& branch : report["branches"]) {
    inspection.branches.push_back({branch["line"], branch["text"], branch["share"]});
  }
  for (const auto& pair : report["keys_in_source"]) {
    inspection.keys_in_source.push_back({pair[0], pair[1]});
  }
  inspection.keys_read = report["keys_read"];
  inspection.never_true = RemarksOf(report["never_true"]);
  inspection.remarks = RemarksOf(report["remarks"]);
  inspection.is_params_changed = report["is_params_changed"];
  inspection.num_printed_lines = report["num_printed_lines"];
}

void ShowDrive(const Inspector& inspector, const Drive& drive, int number, Inspection& inspection) {
  std::vector<ParamsDict> params;
  for (const tracks::Track& view : drive.views) params.emplace_back(view, inspector.key_set());
  std::vector<double>& rewards = inspection.rewards.emplace_back();
  for (const sim::StepFacts& facts : drive.facts) {
    inspection.is_cut_short |= inspector.IsOvertime() || Clock::now() > inspector.deadline();
    if (inspection.is_cut_short) break;
    const PyRef dict = params[size_t(facts.track_index)].Make(facts);
    const WatchedCall call(kCallLimitS,
                           StrCat("step ", rewards.size() + 1, " of the drive '", drive.name, "'"));
    const Result<double> reward = inspector.Call(dict);
    if (!reward.ok()) {
      Count(reward.error().message, number, int(rewards.size()), inspection.failures);
    }
    rewards.push_back(reward.ok() ? *reward : 0);
    ++inspection.num_calls;
  }
  rewards.resize(drive.facts.size());
}

}  // namespace

Result<Inspection> Inspect(const std::string& python_file, const std::vector<Drive>& drives) {
  LAPFORGE_CHECK_OK(StartPython());
  const PythonLock lock;
  LAPFORGE_TRY(const Inspector inspector, Inspector::Open(python_file));
  const UserTurn turn;
  Inspection inspection;
  for (size_t number = 0; number < drives.size(); ++number) {
    if (!inspection.is_cut_short) LAPFORGE_CHECK_OK(inspector.Load());
    ShowDrive(inspector, drives[number], int(number), inspection);
  }
  TakeReport(inspector.Report(), inspection);
  return inspection;
}

double MeasureCall(const std::string& python_file, const Drive& drive) {
  const auto reward = LoadPythonReward(python_file, drive.views);
  if (!reward.ok()) return 0;
  std::vector<float> rewards(drive.facts.size());
  const UserTurn turn;
  const auto start = std::chrono::steady_clock::now();
  if (!(*reward)->Evaluate(drive.facts, rewards).ok()) return 0;
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  return time.count() / double(drive.facts.size());
}

}  // namespace lapforge::reward
