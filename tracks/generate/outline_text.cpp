#include "tracks/generate/outline_text.h"

#include <algorithm>

#include "sim/base/strings.h"

namespace lapforge::tracks {
namespace {

std::string Number(double value) { return FormatFixed(value, 6); }

std::string StraightText(double length_m) {
  return StrCat("segment { straight { length_m: ", Number(length_m), " } }\n");
}

std::string BendText(const Bend& bend) {
  const std::string transition =
      StrCat("segment { transition { length_m: ", Number(bend.transition_m), " } }\n");
  return StrCat(transition, "segment { arc { radius_m: ", Number(bend.radius_m),
                " angle_deg: ", Number(DegFromRad(bend.arc_rad)), " } }\n", transition);
}

std::vector<Bend> Clockwise(std::vector<Bend> bends) {
  for (Bend& bend : bends) {
    bend.turn_rad = -bend.turn_rad;
    bend.arc_rad = -bend.arc_rad;
  }
  return bends;
}

// Puts the bend after the longest straight first, and so that straight last.
void BeginAfterLongestStraight(std::vector<Bend>& bends) {
  const auto is_shorter = [](const Bend& a, const Bend& b) { return a.straight_m < b.straight_m; };
  const auto longest = std::max_element(bends.begin(), bends.end(), is_shorter);
  std::rotate(bends.begin(), longest + 1, bends.end());
}

// Rows near enough for the tightest bend to keep its shape, on wide roads as sparse as they may be.
double SpacingFor(double min_radius_m) { return Clamp(0.25 * min_radius_m, 0.1, 0.3); }

}  // namespace

std::string OutlineText(const GeneratorOptions& options, std::vector<Bend> bends) {
  if (options.is_clockwise) bends = Clockwise(std::move(bends));
  BeginAfterLongestStraight(bends);
  std::string text =
      StrCat("name: ", QuoteText(options.name), "\ndescription: \"generated from seed ",
             options.seed, ", difficulty ", options.difficulty, "\"\nwidth_m: ", options.width_m,
             "\nspacing_m: ", FormatFixed(SpacingFor(options.min_radius_m), 3), "\n\n");
  const double half_straight_m = bends.back().straight_m / 2;
  bends.back().straight_m = half_straight_m;
  text += StraightText(half_straight_m);
  for (const Bend& bend : bends) text += BendText(bend) + StraightText(bend.straight_m);
  return text;
}

}  // namespace lapforge::tracks
