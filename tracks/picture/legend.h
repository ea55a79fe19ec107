// The words around a track's picture, and the colours of driven lines.
#pragma once

#include <span>
#include <string>

#include "tracks/canvas.h"
#include "tracks/picture/layout.h"
#include "tracks/track_picture.h"

namespace lapforge::tracks {

// Blue for the smallest value of all lines, over green and yellow to red for the largest.
class ColorScale {
 public:
  explicit ColorScale(std::span<const DrivenLine> lines);

  double low() const { return low_; }
  double high() const { return high_; }
  Color ColorOf(double value) const;

 private:
  double low_ = 0;
  double high_ = 0;
};

// Above the track: title, and below it length, direction and width.
void DrawTitle(const Track& track, const std::string& title, const Layout& layout, Canvas& canvas);

// The same with any words below the title.
void DrawTitle(const std::string& title, const std::string& facts, const Layout& layout,
               Canvas& canvas);

// Below the track, on the left.
void DrawScaleBar(const Layout& layout, Canvas& canvas);

// Below the track, on the right.
void DrawColorScale(const ColorScale& scale, const std::string& label, const Layout& layout,
                    Canvas& canvas);

}  // namespace lapforge::tracks
