// Tests which name is suggested for a wrong one, and that none is when nothing is near.
#include <catch2/catch.hpp>

#include "sim/base/strings.h"

namespace lapforge {
namespace {

const std::vector<std::string> kPaths = {
    "seed",      "ppo.learning_rate",     "ppo.num_epochs", "ppo.value_coef",  "sim.num_envs",
    "sim.walls", "sim.episode.max_steps", "reward.path",    "net.hidden_units"};
const std::vector<std::string> kTracks = {"hairpins", "oval", "reinvent_base", "reinvent_2019"};

TEST_CASE("Slips of the fingers find the name") {
  CHECK(NearestName("ovel", kTracks) == "oval");
  CHECK(NearestName("Oval", kTracks) == "oval");
  CHECK(NearestName("ovla", kTracks) == "oval");
  CHECK(NearestName("ova", kTracks) == "oval");
  CHECK(NearestName("ppo.learnign_rate", kPaths) == "ppo.learning_rate");
  CHECK(NearestName("learnign_rate", kPaths) == "ppo.learning_rate");
  CHECK(NearestName("sim.num_env", kPaths) == "sim.num_envs");
  CHECK(NearestName("oval", kTracks) == "oval");
}

TEST_CASE("A name in the wrong group or without its group finds the full path") {
  CHECK(NearestName("learning_rate", kPaths) == "ppo.learning_rate");
  CHECK(NearestName("max_steps", kPaths) == "sim.episode.max_steps");
  CHECK(NearestName("sim.learning_rate", kPaths) == "ppo.learning_rate");
}

TEST_CASE("A beginning, an end or initials count when only one name has them") {
  CHECK(NearestName("hair", kTracks) == "hairpins");
  CHECK(NearestName("2019", kTracks) == "reinvent_2019");
  CHECK(NearestName("reinvent", kTracks) == std::nullopt);
  CHECK(NearestName("lr", kPaths) == "ppo.learning_rate");
  CHECK(NearestName("ppo.lr", kPaths) == "ppo.learning_rate");
  CHECK(NearestName("net.lr", kPaths) == std::nullopt);
}

TEST_CASE("Far, empty and endless texts find nothing") {
  CHECK(NearestName("", kTracks) == std::nullopt);
  CHECK(NearestName("x", kTracks) == std::nullopt);
  CHECK(NearestName("suzuka", kTracks) == std::nullopt);
  CHECK(NearestName(std::string(100000, 'o'), kTracks) == std::nullopt);
  CHECK(NearestName("oval", {}) == std::nullopt);
}

TEST_CASE("DidYouMean ends a message") {
  CHECK(DidYouMean("ovel", kTracks) == " (did you mean 'oval'?)");
  CHECK(DidYouMean("suzuka", kTracks) == "");
}

}  // namespace
}  // namespace lapforge
