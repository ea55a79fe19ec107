// hyperparameters.json (spec/deepracer.md section 3).
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "agents/deepracer/files/file_readers.h"
#include "agents/deepracer/files/json_object.h"
#include "sim/base/strings.h"

namespace lapforge::agents {
namespace {

// A number that is ours under another name. `usual` is what DeepRacer's forms allow.
struct NumberRule {
  std::string_view key;
  std::string_view option;
  bool is_whole;
  Range usual;
};

constexpr std::array<NumberRule, 4> kNumbers = {{
    {"batch_size", "ppo.minibatch_size", true, {}},
    {"num_epochs", "ppo.num_epochs", true, {3, 10}},
    {"beta_entropy", "ppo.entropy_coef", false, {0, 1}},
    {"discount_factor", "ppo.discount", false, {0, 1}},
}};
constexpr NumberRule kLearningRate = {"lr", "ppo.learning_rate", false, {1e-8, 1e-3}};

struct IgnoredRule {
  std::string_view key;
  std::string_view reason;
};

constexpr std::array<IgnoredRule, 6> kIgnored = {{
    {"e_greedy_value", "it belongs to e-greedy exploration; PPO explores by its own probabilities"},
    {"epsilon_steps", "it belongs to e-greedy exploration; PPO explores by its own probabilities"},
    {"term_cond_avg_score", "DeepRacer does not use it either; see run.patience_evaluations"},
    {"sac_alpha", "it belongs to SAC, and the learner is PPO"},
    {"max_sample_count", "it belongs to DeepRacer's sample collector"},
    {"sampling_frequency", "it belongs to DeepRacer's sample collector"},
}};

constexpr char kEpisodes[] = "num_episodes_between_training";
constexpr char kIterations[] = "term_cond_max_episodes";
constexpr int kStepsPerEpisode = 150;  // ten seconds of driving: about a lap of a short track
constexpr int kMinHorizon = 16;        // shorter ones tell nothing about what an action led to

class Hyperparameters {
 public:
  Hyperparameters(const JsonObject& object, int max_rollout_steps, DeepRacerSettings& settings)
      : object_(object), max_rollout_steps_(max_rollout_steps), keys_(object, settings) {}

  Result<void> Read() {
    for (const NumberRule& rule : kNumbers) LAPFORGE_CHECK_OK(ReadNumber(rule));
    LAPFORGE_CHECK_OK(ReadNumber(kLearningRate));
    LAPFORGE_CHECK_OK(ReadLoss());
    LAPFORGE_CHECK_OK(ReadExploration());
    LAPFORGE_CHECK_OK(ReadEpisodes());
    LAPFORGE_CHECK_OK(ReadIterations());
    LAPFORGE_CHECK_OK(ReadStack());
    for (const IgnoredRule& rule : kIgnored) {
      const std::string key(rule.key);
      if (object_.Find(key) != nullptr) keys_.Ignore(key, std::string(rule.reason));
    }
    keys_.WarnOfUnknown("", object_.root, KnownKeys());
    return {};
  }

 private:
  static std::vector<std::string> KnownKeys() {
    std::vector<std::string> keys = {"lr",      "loss_type", "exploration_type",
                                     kEpisodes, kIterations, "stack_size"};
    for (const NumberRule& rule : kNumbers) keys.emplace_back(rule.key);
    for (const IgnoredRule& rule : kIgnored) keys.emplace_back(rule.key);
    return keys;
  }

  // The number of a key that is there.
  Result<double> NumberOf(const std::string& key, bool is_whole) const {
    const Json& value = *object_.Find(key);
    const std::optional<double> number = NumberIn(value);
    const char* wanted = is_whole ? "expected a whole number" : "expected a number";
    if (!number) return object_.At(key, "is ", ShortText(value), "; ", wanted);
    if (is_whole && (*number != std::floor(*number) || std::abs(*number) > 1e15)) {
      return object_.At(key, "is ", ShortText(value), "; ", wanted);
    }
    return *number;
  }

  // A whole number of at least one.
  Result<int64_t> CountOf(const std::string& key) const {
    LAPFORGE_TRY(const double number, NumberOf(key, true));
    if (number < 1) return object_.At(key, "is ", number, "; expected at least 1");
    return static_cast<int64_t>(number);
  }

  Result<void> ReadNumber(const NumberRule& rule) {
    const std::string key(rule.key);
    if (object_.Find(key) == nullptr) return {};
    LAPFORGE_TRY(const double number, NumberOf(key, rule.is_whole));
    std::vector<OptionSetting> settings = {{std::string(rule.option), StrCat(number)}};
    if (rule.is_whole) settings[0].text = StrCat(static_cast<int64_t>(number));
    if (rule.key == kLearningRate.key) settings.push_back({"ppo.schedule", "constant"});

    // what no learner could use is said with the key's own name
    TrainOptions scratch;
    if (const auto set = SetOption(scratch, rule.option, settings[0].text); !set.ok()) {
      return object_.At(key, "is out of range: ", set.error().message);
    }
    if (number < rule.usual.low || number > rule.usual.high) {
      keys_.Warn(key, StrCat("is ", number, ", outside DeepRacer's ", rule.usual.low, " .. ",
                             rule.usual.high, "; taken as it is"));
    }
    keys_.Set(key, std::move(settings));
    return {};
  }

  // One of `words`; the error lists them.
  Result<std::string> WordOf(const std::string& key, const std::vector<std::string>& words) const {
    const Json& value = *object_.Find(key);
    if (!value.is_string()) {
      return object_.At(key, "is ", KindText(value), "; expected one of ", Join(words, ", "));
    }
    std::string word = value.get<std::string>();
    if (std::count(words.begin(), words.end(), word) == 0) {
      return object_.At(key, "is '", word, "'; expected one of ", Join(words, ", "),
                        DidYouMean(word, words));
    }
    return word;
  }

  Result<void> ReadLoss() {
    if (object_.Find("loss_type") == nullptr) return {};
    LAPFORGE_TRY(const std::string word,
                 WordOf("loss_type", {"huber", "mean squared error", "mean_squared_error"}));
    keys_.Set("loss_type", {{"ppo.value_loss", word == "huber" ? "huber" : "squared"}});
    return {};
  }

  Result<void> ReadExploration() {
    if (object_.Find("exploration_type") == nullptr) return {};
    LAPFORGE_TRY(const std::string word,
                 WordOf("exploration_type", {"categorical", "e-greedy", "additive_noise"}));
    if (word == "categorical") {
      keys_.Set("exploration_type", {}, "as here: actions by their probabilities");
    } else {
      keys_.Ignore("exploration_type",
                   "PPO explores by its own probabilities, which is 'categorical'");
    }
    return {};
  }

  // A rollout of the same size, from many cars at once.
  Result<void> ReadEpisodes() {
    const TrainOptions defaults;
    rollout_steps_ = int64_t{defaults.ppo.horizon} * defaults.sim.num_envs;
    if (object_.Find(kEpisodes) == nullptr) return {};
    LAPFORGE_TRY(const int64_t num_episodes, CountOf(kEpisodes));
    if (num_episodes > 100) {
      keys_.Warn(kEpisodes, StrCat("is ", num_episodes, ", outside DeepRacer's 1 .. 100"));
    }
    const int num_envs = defaults.sim.num_envs;
    const int64_t wanted_steps = std::min<int64_t>(
        std::min<int64_t>(num_episodes, 1000) * kStepsPerEpisode, max_rollout_steps_);
    const int64_t horizon =
        std::max<int64_t>(kMinHorizon, (wanted_steps + num_envs - 1) / num_envs);
    rollout_steps_ = horizon * num_envs;
    const int64_t tree_episodes = std::min<int64_t>(num_episodes, 1000);
    keys_.Set(kEpisodes,
              {{"ppo.horizon", StrCat(horizon)}, {"run.deepracer_episodes", StrCat(tree_episodes)}},
              StrCat("ppo.horizon ", horizon, ": ", num_envs, " cars x ", horizon, " = ",
                     rollout_steps_, " steps a rollout (", kStepsPerEpisode, " an episode, ",
                     max_rollout_steps_, " at most)"));
    return {};
  }

  // The name says episodes; DeepRacer counts training iterations.
  Result<void> ReadIterations() {
    if (object_.Find(kIterations) == nullptr) return {};
    LAPFORGE_TRY(const int64_t iterations, CountOf(kIterations));
    const int64_t max_iterations = kMaxEnvSteps / rollout_steps_;
    if (iterations > max_iterations) {
      return object_.At(kIterations, "is ", iterations, "; expected at most ", max_iterations,
                        " iterations of ", rollout_steps_, " steps");
    }
    const int64_t env_steps = iterations * rollout_steps_;
    keys_.Set(kIterations, {{"run.total_env_steps", StrCat(env_steps)}},
              StrCat("run.total_env_steps ", env_steps, ": iterations, as in DeepRacer, of ",
                     rollout_steps_, " steps"));
    return {};
  }

  Result<void> ReadStack() {
    if (object_.Find("stack_size") == nullptr) return {};
    LAPFORGE_TRY(const int64_t size, CountOf("stack_size"));
    if (size == 1) {
      keys_.Set("stack_size", {}, "as here: one image");
    } else {
      keys_.Ignore("stack_size", "DeepRacer, too, always takes 1 image");
    }
    return {};
  }

  const JsonObject& object_;
  const int max_rollout_steps_;
  KeyCollector keys_;
  int64_t rollout_steps_ = 0;
};

}  // namespace

Result<void> ReadHyperparameters(const std::string& path, int max_rollout_steps,
                                 DeepRacerSettings& settings) {
  LAPFORGE_TRY(const JsonObject object, ReadJsonObject(path));
  return Hyperparameters(object, max_rollout_steps, settings).Read();
}

}  // namespace lapforge::agents
