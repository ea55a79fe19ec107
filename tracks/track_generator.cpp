#include "tracks/track_generator.h"

#include <algorithm>
#include <cmath>

#include "sim/base/assert.h"
#include "tracks/generate/outline_text.h"
#include "tracks/generate/sound_outline.h"
#include "tracks/generate/tour.h"
#include "tracks/track_files.h"

namespace lapforge::tracks {
namespace {

// Replaces the zeros that stand for other values.
GeneratorOptions Resolve(GeneratorOptions options) {
  if (options.min_radius_m == 0) options.min_radius_m = std::max(0.5, 0.7 * options.width_m);
  if (options.gap_m == 0) options.gap_m = std::max(0.3, 0.3 * options.width_m);
  if (options.name.empty()) options.name = StrCat("generated_", options.seed);
  return options;
}

RoadLimits LimitsOf(const GeneratorOptions& options) {
  const double pitch_m = options.width_m + options.gap_m;
  return {options.length_m, std::max(options.min_radius_m, 0.5 * pitch_m), pitch_m};
}

// A rounded square of the tightest bends with some straight between them.
double ShortestLength(const RoadLimits& limits) { return 10.5 * limits.min_radius_m; }

Result<void> Validate(const GeneratorOptions& options) {
  LAPFORGE_CHECK_OK(ValidateOptions(options));
  if (options.min_radius_m < 0.55 * options.width_m) {
    return ErrorOf("min_radius_m = ", options.min_radius_m, " is too small for a road ",
                   options.width_m, " m wide; expected at least ",
                   FormatFixed(0.55 * options.width_m, 3));
  }
  const RoadLimits limits = LimitsOf(options);
  const double shortest_m = ShortestLength(limits);
  if (options.length_m >= shortest_m) return {};
  return ErrorOf("length_m = ", options.length_m, " is too short for a road ", options.width_m,
                 " m wide whose bends have a radius of ", FormatFixed(limits.min_radius_m, 2),
                 " m; expected at least ", FormatFixed(shortest_m + 0.005, 2));
}

// How many corners to begin with: from few, whatever the length, to as many as there is room for.
int NumCorners(const GeneratorOptions& options, const RoadLimits& limits) {
  constexpr double kMaxCorners = 120;  // of a track file, which takes four segments each
  const double most = Clamp(options.length_m / (1.6 * limits.pitch_m), 4.0, kMaxCorners);
  const double fewest = std::max(4.0, std::pow(most, 0.55));
  return static_cast<int>(std::lround(fewest * std::pow(most / fewest, options.difficulty)));
}

// Random corners; the harder the track, the nearer bends come to the tightest.
std::vector<Corner> RandomCorners(const GeneratorOptions& options, int num_corners,
                                  RngStream& rng) {
  std::vector<Corner> corners = RandomTour(num_corners, rng);
  for (Corner& corner : corners) {
    corner.width_frac = 1 - options.difficulty * (1 - corner.width_frac);
  }
  return corners;
}

// A square with the tightest bends that fit: what is always possible.
std::vector<Corner> SquareCorners() { return {{{0, 0}, 0}, {{1, 0}, 0}, {{1, 1}, 0}, {{0, 1}, 0}}; }

// How much a road winds, in millionths, so that all convex roads are equal.
long Winding(const std::vector<Bend>& bends) {
  double turn_rad = 0;
  for (const Bend& bend : bends) turn_rad += std::abs(bend.turn_rad);
  return std::lround(1e6 * turn_rad);
}

// Of a few sound roads one that winds as much as the difficulty asks: the most winding at 1, one of
// the lesser ones at 0.
std::vector<Bend> FindOutline(const GeneratorOptions& options, const RoadLimits& limits) {
  constexpr size_t kNumCandidates = 8;
  constexpr uint32_t kMaxAttempts = 32;
  const int num_corners = NumCorners(options, limits);
  std::vector<std::vector<Bend>> candidates;
  for (uint32_t i = 0; i < kMaxAttempts && candidates.size() < kNumCandidates; ++i) {
    RngStream rng(options.seed, i, 0, RngPurpose::kTrackShape);
    std::vector<Bend> bends = SoundOutline(RandomCorners(options, num_corners, rng), limits);
    if (!bends.empty()) candidates.push_back(std::move(bends));
  }
  if (candidates.empty()) return SoundOutline(SquareCorners(), limits);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return Winding(a) < Winding(b); });
  const double rank = Lerp(0.1, 1.0, options.difficulty) * (candidates.size() - 1.0);
  return candidates[static_cast<size_t>(std::lround(rank))];
}

}  // namespace

void VisitFields(GeneratorOptions& options, FieldVisitor& visitor) {
  visitor.Uint64("seed", options.seed);
  visitor.Double("length_m", options.length_m, {8, 500});
  visitor.Double("width_m", options.width_m, {0.5, 3});
  visitor.Double("difficulty", options.difficulty, {0, 1});
  visitor.Double("min_radius_m", options.min_radius_m, {0, 40});
  visitor.Double("gap_m", options.gap_m, {0, 20});
  visitor.Bool("is_clockwise", options.is_clockwise);
  visitor.String("name", options.name);
}

Result<GeneratedTrack> GenerateTrack(const GeneratorOptions& wanted) {
  const GeneratorOptions options = Resolve(wanted);
  LAPFORGE_CHECK_OK(Validate(options));
  const std::vector<Bend> bends = FindOutline(options, LimitsOf(options));
  LAPFORGE_ASSERT(!bends.empty(), "a square of the shortest length is sound");
  const std::string text = OutlineText(options, bends);
  LAPFORGE_TRY(const Track track, ParseTextprotoTrack(text, options.name));
  double min_radius_m = bends.front().radius_m;
  for (const Bend& bend : bends) min_radius_m = std::min(min_radius_m, bend.radius_m);
  return GeneratedTrack{track, text, static_cast<int>(bends.size()), min_radius_m};
}

Result<GeneratorOptions> ParseGeneratorOptions(std::string_view text) {
  GeneratorOptions options;
  for (const std::string_view part : Split(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      return ErrorOf("generate: expected key=value, as in seed=7, not '", part, "'");
    }
    const Result<void> set =
        SetOption(options, Trim(part.substr(0, equals)), Trim(part.substr(equals + 1)));
    if (!set.ok()) return ErrorOf("generate: ", set.error().message);
  }
  return options;
}

}  // namespace lapforge::tracks
