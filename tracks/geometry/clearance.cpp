#include "tracks/geometry/clearance.h"

#include <algorithm>
#include <array>

namespace lapforge::tracks {
namespace {

constexpr double kRounding_m = 1e-9;
constexpr std::array kHeights_m = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, kMaxClearance_m};

struct Chord {
  Vec2 from_m;
  Vec2 to_m;
};

double DistanceSquared(Vec2 point_m, const Chord& chord) {
  const Vec2 along = chord.to_m - chord.from_m;
  const Vec2 from_start = point_m - chord.from_m;
  const double length_sq = Dot(along, along);
  const double share = length_sq > 0 ? Clamp(Dot(from_start, along) / length_sq, 0.0, 1.0) : 0;
  const Vec2 offset = from_start - share * along;
  return Dot(offset, offset);
}

bool AreCrossing(const Chord& a, const Chord& b) {
  const auto are_apart = [](const Chord& line, const Chord& ends) {
    const Vec2 along = line.to_m - line.from_m;
    return Cross(along, ends.from_m - line.from_m) * Cross(along, ends.to_m - line.from_m) > 0;
  };
  return !are_apart(a, b) && !are_apart(b, a);
}

bool AreWithin(const Chord& a, const Chord& b, double distance_m) {
  const double least_sq = std::min({DistanceSquared(a.from_m, b), DistanceSquared(a.to_m, b),
                                    DistanceSquared(b.from_m, a), DistanceSquared(b.to_m, a)});
  return least_sq <= distance_m * distance_m || AreCrossing(a, b);
}

// Where two segments meet, seen from one side.
struct Bend {
  double sine = 0;  // of the angle, positive where the line turns to this side
  double cosine = 0;
  double TangentOfHalf() const { return sine / (1 + cosine); }
  double CosineOfHalf() const { return std::sqrt(0.5 * (1 + cosine)); }
};

// The places of all points within a distance of some chords.
class Region {
 public:
  void Add(const Chord& chord, double radius_m) {
    parts_[num_parts_++] = {chord, Lerp(chord.from_m, chord.to_m, 0.5),
                            0.5 * Length(chord.to_m - chord.from_m) + radius_m, radius_m};
  }

  bool IsReachedBy(const Chord& other) const {
    const Vec2 middle_m = Lerp(other.from_m, other.to_m, 0.5);
    const double half_m = 0.5 * Length(other.to_m - other.from_m);
    return std::any_of(parts_.begin(), parts_.begin() + num_parts_, [&](const Part& part) {
      const double reach_m = part.reach_m + half_m;
      const Vec2 between = middle_m - part.middle_m;
      return Dot(between, between) <= reach_m * reach_m &&
             AreWithin(other, part.chord, part.radius_m);
    });
  }

 private:
  struct Part {
    Chord chord;
    Vec2 middle_m;
    double reach_m = 0;  // from the middle
    double radius_m = 0;
  };
  std::array<Part, 2> parts_;
  int num_parts_ = 0;
};

// A segment seen from one side. A point whose nearest segment it is lies at some height straight
// above it or, where the line turns away, above its end, in the fan between the two normals. The
// disc around the point that touches the segment holds all that is nearer. A disc holds the smaller
// ones with the same foot, so one height stands for all below.
class Side {
 public:
  Side(const Polyline& line, int segment, LineSide side)
      : line_(line), segment_(segment), sign_(side == LineSide::kLeft ? 1 : -1) {
    before_ = BendOf(segment - 1);
    behind_ = BendOf(segment);
  }

  // Sharp bends and vertices that coincide are left to the search.
  bool IsSimple() const {
    for (int i = segment_ - 1; i <= segment_ + 1; ++i) {
      if (!(LengthOf(i) > 0)) return false;
    }
    return before_.cosine > 0.1 && behind_.cosine > 0.1;
  }

  // All discs around points between the two heights.
  Region Discs(double from_m, double to_m) const {
    Region region;
    const double begin_m = Unreachable(before_, from_m, to_m, segment_ - 1);
    const double end_m = LengthOf(segment_) - Unreachable(behind_, from_m, to_m, segment_ + 1);
    if (begin_m <= end_m) {
      const Vec2 along = DirectionOf(segment_);
      const Vec2 start_m = line_.vertex(segment_) + to_m * NormalOf(segment_);
      region.Add({start_m + begin_m * along, start_m + end_m * along}, to_m + kRounding_m);
    }
    AddFan(to_m, region);
    return region;
  }

 private:
  double LengthOf(int i) const { return line_.arc_m(i + 1) - line_.arc_m(i); }
  Vec2 DirectionOf(int i) const { return line_.direction(i) / Length(line_.direction(i)); }
  Vec2 NormalOf(int i) const { return sign_ * LeftNormal(DirectionOf(i)); }

  Bend BendOf(int first) const {
    const Vec2 a = DirectionOf(first);
    const Vec2 b = DirectionOf(first + 1);
    return {sign_ * Cross(a, b), Dot(a, b)};
  }

  // How much of the segment's end no point above `from_m` can have as its foot, since the neighbour
  // on the other side of the bend's bisector is nearer. A tenth is for rounding.
  double Unreachable(const Bend& bend, double from_m, double to_m, int neighbour) const {
    constexpr double kLeastSine = 1e-3;
    if (bend.sine < kLeastSine || to_m * bend.sine > LengthOf(neighbour)) return 0;
    return 0.9 * from_m * bend.TangentOfHalf();
  }

  // Of the vertex before, the segment before is the first of two equals.
  void AddFan(double height_m, Region& region) const {
    if (behind_.sine > 0) return;
    const Vec2 center_m = line_.vertex(segment_ + 1);
    const double bulge_m = height_m * (1 - behind_.CosineOfHalf());  // of the arc over its chord
    region.Add(
        {center_m + height_m * NormalOf(segment_), center_m + height_m * NormalOf(segment_ + 1)},
        height_m + bulge_m + kRounding_m);
  }

  const Polyline& line_;
  int segment_;
  double sign_;
  Bend before_, behind_;
};

}  // namespace

double ClearanceOf(const Polyline& line, int segment, LineSide side, std::span<const int> others) {
  const Side view(line, segment, side);
  if (!view.IsSimple()) return 0;

  // what does not reach the largest discs reaches none
  std::vector<Chord> reaching;
  const Region all = view.Discs(0, kMaxClearance_m);
  for (const int j : others) {
    const Chord other = {line.vertex(j), line.vertex(j + 1)};
    if (all.IsReachedBy(other)) reaching.push_back(other);
  }
  if (reaching.empty()) return kMaxClearance_m;

  double clear_m = 0;
  for (const double height_m : kHeights_m) {
    const Region discs = view.Discs(clear_m, height_m);
    const auto is_reached = [&](const Chord& other) { return discs.IsReachedBy(other); };
    if (std::any_of(reaching.begin(), reaching.end(), is_reached)) break;
    clear_m = height_m;
  }
  return clear_m;
}

}  // namespace lapforge::tracks
