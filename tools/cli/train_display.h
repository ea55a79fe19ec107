// What a person sees while a car learns: a live line on a terminal, plain lines in a pipe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "agents/training_run.h"

namespace lapforge::cli {

// "1,234,567"
std::string WithThousands(int64_t number);

class TrainDisplay : public agents::TrainingObserver {
 public:
  // Takes over the log so that messages do not run into the live line, until destroyed.
  TrainDisplay(const agents::TrainOptions& options, bool is_quiet);
  ~TrainDisplay() override;

  void OnIteration(const agents::IterationStats& stats, double train_s) override;
  void OnEvaluation(const agents::EvaluationPoint& point) override;
  // Removes the live line; call before printing anything else.
  void ClearLine();

 private:
  using Clock = std::chrono::steady_clock;

  std::string LiveLine(const agents::IterationStats& stats, double train_s) const;

  const char* PhaseText(agents::LearningPhase phase) const;

  const agents::RunOptions run_;
  const bool is_distilled_;
  const bool is_quiet_;
  const bool is_terminal_;
  bool has_line_ = false;
  double best_lap_time_s_ = 0;
  int64_t session_start_env_steps_ = -1;  // for the rate of this session
  double session_start_s_ = 0;
  Clock::time_point last_draw_{};
  Clock::time_point last_line_{};
};

}  // namespace lapforge::cli
