// Compiled rewards: built here with the system's compiler, in C and C++, good and bad.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "sim/base/strings.h"
#include "tests/reward/reward_fixture.h"

namespace lapforge::reward {
namespace {

enum class Language { kC, kCpp };

const char* CompilerOf(Language language) {
  return language == Language::kC ? "cc -std=c99 -pedantic -Wall -Wextra -Werror"
                                  : "c++ -std=c++17 -pedantic -Wall -Wextra -Werror -x c++";
}

// True where the system has the compiler; else says that the test is skipped.
bool HasCompiler(Language language) {
  const std::string command = language == Language::kC ? "cc" : "c++";
  if (std::system((command + " --version > /dev/null 2>&1").c_str()) == 0) return true;
  std::printf("SKIPPED: there is no %s to compile a reward with\n", command.c_str());
  return false;
}

class PluginFiles : public UserFiles {
 public:
  // Path of the library, compiled with the command of lapforge_reward.h.
  std::string Compile(const std::string& source, Language language = Language::kC) const {
    return CompileFile(Write("plugin.c", source), language);
  }
  std::string CompileFile(const std::filesystem::path& source, Language language) const {
    const std::string library = (folder() / "plugin.so").string();
    const std::string command =
        StrCat(CompilerOf(language), " -O2 -shared -fPIC -I '", LAPFORGE_SOURCE_DIR, "' '",
               source.string(), "' -o '", library, "' -lm");
    REQUIRE(std::system(command.c_str()) == 0);
    return library;
  }
  std::string LoadError(const std::string& library) const {
    const auto reward = LoadPluginReward(library, views());
    REQUIRE_FALSE(reward.ok());
    return reward.error().message;
  }
};

// A file whose create and evaluate have these bodies.
std::string PluginOf(const std::string& evaluate, const std::string& create = "return 0;",
                     const std::string& version = "LAPFORGE_REWARD_VERSION") {
  return StrCat(
      "#include \"reward/lapforge_reward.h\"\n"
      "uint32_t lapforge_reward_version(void) { return ",
      version,
      "; }\n"
      "void* lapforge_reward_create(const lapforge_reward_setup* setup, const char** error) {\n"
      "  (void)setup; (void)error; ",
      create,
      " }\n"
      "int lapforge_reward_evaluate(void* reward, const lapforge_reward_facts* facts,\n"
      "                             int32_t count, double* rewards) {\n"
      "  (void)reward; (void)facts; (void)count; (void)rewards; ",
      evaluate,
      " }\n"
      "void lapforge_reward_destroy(void* reward) { (void)reward; }\n");
}

TEST_CASE("The example compiles with its command and pays by its formula") {
  if (!HasCompiler(Language::kC)) return;
  const PluginFiles files;
  const std::string library =
      files.CompileFile(LAPFORGE_SOURCE_DIR "/reward/examples/get_ahead.c", Language::kC);
  const auto reward = LoadPluginReward(library, files.views());
  if (!reward.ok()) FAIL(reward.error().message);
  sim::StepFacts facts = files.Facts(1).front();
  facts.progress_delta_m = 0.25;
  facts.car.velocity_body_mps = {1, 1, 0};  // 45 degrees of slip
  CHECK(files.Call(**reward, facts) == Approx(0.4 * 0.25 - 0.02 * 0.785398));
  facts.is_off_track = true;
  CHECK(files.Call(**reward, facts) == Approx(0.4 * 0.25 - 0.02 * 0.785398 - 0.5));
}

TEST_CASE("Facts and tracks arrive in C and in C++") {
  const Language language = GENERATE(Language::kC, Language::kCpp);
  if (!HasCompiler(language)) return;
  const PluginFiles files;
  // a track's second number and waypoint count, and every kind of fact, in one number
  const std::string library = files.Compile(
      PluginOf("for (int32_t i = 0; i < count; ++i) {"
               "  const lapforge_reward_facts* f = facts + i;"
               "  rewards[i] = f->car + 10 * f->track + 100 * f->steps + f->lap_time_s"
               "    + f->action[0] + f->x_m + f->velocity_left_mps + f->slip_ratio[3]"
               "    + f->half_width_right_m + f->wheel_on_road[2]"
               "    + f->object_arc_length_m[1] + 1000 * *(const double*)reward; }"
               "return 0;",
               "static double length; length = setup->tracks[1].num_waypoints"
               " + setup->tracks[0].left_m[1] + setup->tracks[1].is_reversed + setup->num_tracks;"
               "return &length;"),
      language);
  const auto reward = LoadPluginReward(library, files.views());
  if (!reward.ok()) FAIL(reward.error().message);
  sim::StepFacts facts = files.Facts(1).front();
  facts.env_index = 3;
  facts.track_index = 1;
  facts.lap_time_us = 500'000;
  facts.action[0] = 0.25;
  facts.car.velocity_body_mps.y = 0.125;
  facts.car.slip_ratio[3] = 0.0625;
  facts.wheel_on_road[2] = true;
  facts.objects[1].arc_length_m = 7;
  // 33 waypoints; the inner border of a square of 4 m, 0.4 m inside
  const double setup = 33 + 0.4 + 1 + 2;
  const double expected = 3 + 10 + 200 + 0.5 + 0.25 + 1 + 0.125 + 0.0625 + 0.4 + 1 + 7;
  CHECK(files.Call(**reward, facts) == Approx(expected + 1000 * setup).epsilon(1e-6));
}

TEST_CASE("Steps that ended in a fault are worth 0 and not shown") {
  if (!HasCompiler(Language::kC)) return;
  const PluginFiles files;
  const auto reward = LoadPluginReward(
      files.Compile(PluginOf("for (int32_t i = 0; i < count; ++i) rewards[i] = count; return 0;")),
      files.views());
  if (!reward.ok()) FAIL(reward.error().message);
  std::vector<sim::StepFacts> facts = files.Facts(3);
  facts[1].reason = sim::EndReason::kFault;
  std::vector<float> rewards(3);
  REQUIRE((*reward)->Evaluate(facts, rewards).ok());
  CHECK(rewards == std::vector<float>{2, 0, 2});
}

TEST_CASE("Libraries that are no rewards are refused with one line") {
  const PluginFiles files;
  CHECK_THAT(files.LoadError("/nowhere/r.so"), Catch::Contains("cannot read '/nowhere/r.so'"));
  const std::string text = files.Write("text.so", "no library").string();
  CHECK_THAT(files.LoadError(text), Catch::StartsWith(text + " is no compiled reward: "));
  if (!HasCompiler(Language::kC)) return;
  CHECK_THAT(files.LoadError(files.Compile("int x;\n")),
             Catch::Contains("has no function lapforge_reward_version"));
  CHECK_THAT(
      files.LoadError(files.Compile("unsigned lapforge_reward_version(void);\n"
                                    "unsigned lapforge_reward_version(void) { return 1; }\n")),
      Catch::Contains("has no function lapforge_reward_create"));
  CHECK_THAT(files.LoadError(files.Compile(PluginOf("return 0;", "return 0;", "7"))),
             Catch::Contains("was compiled for version 7 of lapforge_reward.h"));
  CHECK_THAT(files.LoadError(files.Compile(
                 PluginOf("return 0;", "*error = \"wants\\nan oval\\n\"; return 0;"))),
             Catch::EndsWith("plugin.so: wants an oval"));
}

TEST_CASE("Bad values and failures in a call are errors") {
  if (!HasCompiler(Language::kC)) return;
  const PluginFiles files;
  const auto error = [&](const std::string& evaluate) {
    const auto reward = LoadPluginReward(files.Compile(PluginOf(evaluate)), files.views());
    if (!reward.ok()) FAIL(reward.error().message);
    std::array<float, 1> rewards{};
    return (*reward)->Evaluate(files.Facts(1), rewards).error().message;
  };
  CHECK_THAT(error("return 3;"), Catch::EndsWith("lapforge_reward_evaluate returned 3"));
  CHECK_THAT(error("rewards[0] = 1e6; return 0;"),
             Catch::Contains("a reward of 1000000 in step 2 of car 1"));
  CHECK_THAT(error("return 0;"), Catch::Contains("a reward of nan"));  // nothing was written
}

TEST_CASE("Options name one file, Python or compiled") {
  RewardOptions options;
  options.python_file = "a.py";
  options.plugin_file = "b.so";
  CHECK_THAT(MakeReward(options, UserFiles().views()).error().message, Catch::Contains("both set"));
}

}  // namespace
}  // namespace lapforge::reward
