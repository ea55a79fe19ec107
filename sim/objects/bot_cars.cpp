#include "sim/objects/bot_cars.h"

#include <algorithm>
#include <cmath>

#include "sim/base/rng.h"
#include "sim/objects/boxes.h"

namespace lapforge::sim {
namespace {

// A lane change is refused where another bot is within this much more than its length.
constexpr double kChangeRoomM = 0.5;
// Draws of one bot: enough for a day of lane changes.
constexpr uint64_t kWordsPerBot = uint64_t{1} << 20;

Vec2 LaneVertex(const tracks::Track& driven, int index, double lane) {
  const tracks::Waypoint waypoint = driven.waypoint(index);
  const bool is_left = driven.inner_is_left() == (lane > 0);
  return Lerp(waypoint.center_m, is_left ? waypoint.left_m : waypoint.right_m, std::abs(lane) / 2);
}

// The neighbour of a vertex; on a closed track the last vertex repeats the first.
int NextVertex(const tracks::Track& driven, int index) {
  if (index < driven.num_segments()) return index + 1;
  return driven.is_closed() ? 1 : index;
}
int PreviousVertex(const tracks::Track& driven, int index) {
  if (index > 0) return index - 1;
  return driven.is_closed() ? driven.num_segments() - 1 : index;
}

Vec2 UnitOf(Vec2 v) {
  const double length = Length(v);
  return length > 0 ? v / length : Vec2{1, 0};
}

Vec2 VertexDirection(const tracks::Track& driven, int index, double lane) {
  return UnitOf(LaneVertex(driven, NextVertex(driven, index), lane) -
                LaneVertex(driven, PreviousVertex(driven, index), lane));
}

// Along the lane, turning evenly from vertex to vertex as a spline through them does.
Vec2 LaneDirection(const tracks::Track& driven, const BotState& bot) {
  return UnitOf(Lerp(VertexDirection(driven, bot.segment_index, bot.lane),
                     VertexDirection(driven, bot.segment_index + 1, bot.lane), bot.segment_frac));
}

Vec2 PointOf(const tracks::Track& driven, const BotState& bot) {
  return LanePointAt(driven, bot.segment_index, bot.segment_frac, bot.lane);
}

// Follows the bot's lane. On an open track its end is the end.
void Walk(const tracks::Track& driven, double distance_m, BotState& bot) {
  for (int i = 0; i <= driven.num_segments(); ++i) {
    const double segment_m = Length(LaneVertex(driven, bot.segment_index + 1, bot.lane) -
                                    LaneVertex(driven, bot.segment_index, bot.lane));
    const double left_m = (1 - bot.segment_frac) * segment_m;
    if (distance_m < left_m) {
      bot.segment_frac += distance_m / segment_m;
      return;
    }
    distance_m -= left_m;
    if (!driven.is_closed() && bot.segment_index + 1 == driven.num_segments()) {
      bot.segment_frac = 1;
      return;
    }
    bot.segment_index = (bot.segment_index + 1) % driven.num_segments();
    bot.segment_frac = 0;
  }
}

double DrawWait(const BotRoad& road, size_t bot_index, BotState& bot) {
  RngStream random(road.options.seed, road.env_index, road.episode_index, RngPurpose::kBotLanes);
  random.Seek(bot_index * kWordsPerBot + 2 * static_cast<uint64_t>(bot.num_waits));
  ++bot.num_waits;
  const ObjectOptions& options = road.options.objects;
  return random.Uniform(options.lane_change_low_s, options.lane_change_high_s);
}

bool HasRoom(const BotRoad& road, size_t bot_index, std::span<const BotState> bots) {
  const double room_m = road.options.objects.lane_change_distance_m + kChangeRoomM;
  for (size_t i = 0; i < bots.size(); ++i) {
    const Vec2 away_m = bots[i].motion.middle_m - bots[bot_index].motion.middle_m;
    if (i != bot_index && Length(away_m) < room_m) return false;
  }
  return true;
}

// The lane that the bot is on after this substep.
double NextLane(const BotRoad& road, double substep_s, size_t bot_index, std::span<BotState> bots) {
  const ObjectOptions& options = road.options.objects;
  BotState& bot = bots[bot_index];
  if (bot.change_m < options.lane_change_distance_m) {
    bot.change_m += options.bot_speed_mps * substep_s;
    const double frac = std::min(bot.change_m / options.lane_change_distance_m, 1.0);
    return Lerp(bot.old_lane, bot.new_lane,
                frac * frac * (3 - 2 * frac));  // a cubic, level at both ends
  }
  if (!options.lane_changes) return bot.lane;
  bot.wait_s -= substep_s;
  if (bot.wait_s > 0) return bot.lane;
  bot.wait_s = DrawWait(road, bot_index, bot);
  if (!HasRoom(road, bot_index, bots)) return bot.lane;
  bot.old_lane = bot.lane;
  bot.new_lane = -bot.lane;
  bot.change_m = 0;
  return bot.lane;
}

void AdvanceBot(const BotRoad& road, double substep_s, size_t bot_index, std::span<BotState> bots) {
  BotState& bot = bots[bot_index];
  const double distance_m = road.options.objects.bot_speed_mps * substep_s;
  const double next_lane = NextLane(road, substep_s, bot_index, bots);
  const Vec2 across_m = LanePointAt(road.driven, bot.segment_index, bot.segment_frac, next_lane) -
                        PointOf(road.driven, bot);
  bot.lane = next_lane;
  // so far along the lane that both ways together are the distance
  const Vec2 segment = LaneVertex(road.driven, bot.segment_index + 1, bot.lane) -
                       LaneVertex(road.driven, bot.segment_index, bot.lane);
  const double slant_m = Dot(UnitOf(segment), across_m);
  const double along_m =
      std::sqrt(
          std::max(distance_m * distance_m - Dot(across_m, across_m) + slant_m * slant_m, 0.0)) -
      slant_m;
  Walk(road.driven, std::max(along_m, 0.0), bot);

  const BoxMotion before = bot.motion;
  bot.motion.middle_m = PointOf(road.driven, bot);
  const Vec2 heading = LaneDirection(road.driven, bot) * along_m + across_m;
  if (Dot(heading, heading) > 0) bot.motion.yaw_rad = std::atan2(heading.y, heading.x);
  bot.motion.velocity_mps = (bot.motion.middle_m - before.middle_m) / substep_s;
  bot.motion.yaw_rate_radps = WrapAngle(bot.motion.yaw_rad - before.yaw_rad) / substep_s;
}

}  // namespace

Vec2 LanePointAt(const tracks::Track& driven, int segment_index, double segment_frac, double lane) {
  return Lerp(LaneVertex(driven, segment_index, lane), LaneVertex(driven, segment_index + 1, lane),
              segment_frac);
}

void PlaceBots(const BotRoad& road, const tracks::Track& forward, const StepFacts& episode,
               std::span<BotState> bots) {
  const ObjectOptions& options = road.options.objects;
  const tracks::Track& driven = road.driven;
  const ObjectPlaces places = ChoosePlaces(road.options, forward.length_m(), episode);
  for (size_t i = 0; i < bots.size(); ++i) {
    const double arc_m = forward.WrapArcLength(forward.start_m() + places[i].distance_m);
    const tracks::TrackPosition position = driven.Project(forward.CenterAt(arc_m));
    BotState& bot = bots[i];
    bot = {};
    bot.segment_index = position.segment_index;
    const double begin_m = driven.waypoint_arc_length_m(bot.segment_index);
    const Vec2 segment = driven.waypoint(bot.segment_index + 1).center_m -
                         driven.waypoint(bot.segment_index).center_m;
    bot.segment_frac = Clamp((position.arc_length_m - begin_m) / Length(segment), 0.0, 1.0);
    bot.lane = bot.old_lane = bot.new_lane = places[i].lane;
    bot.change_m = options.lane_change_distance_m;
    bot.wait_s = DrawWait(road, i, bot);
    const Vec2 heading = LaneDirection(driven, bot);
    bot.motion = {PointOf(driven, bot), std::atan2(heading.y, heading.x),
                  options.bot_speed_mps * heading, 0};
  }
}

void AdvanceBots(const BotRoad& road, double substep_s, std::span<BotState> bots) {
  for (size_t i = 0; i < bots.size(); ++i) AdvanceBot(road, substep_s, i, bots);
}

ObjectFacts DescribeBot(const tracks::Track& driven, const BotState& bot, const CarSpec& car,
                        double height_m) {
  const tracks::TrackPosition position = driven.ProjectNear(bot.motion.middle_m, bot.segment_index);
  return {bot.motion.middle_m,
          bot.motion.yaw_rad,
          Length(bot.motion.velocity_mps),
          position.arc_length_m,
          position.lateral_offset_m,
          static_cast<float>(car.body_length_m),
          static_cast<float>(car.body_width_m),
          static_cast<float>(height_m),
          ObjectKind::kBot};
}

}  // namespace lapforge::sim
