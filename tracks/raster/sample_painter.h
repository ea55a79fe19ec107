// Paints patches on a grid of samples several times finer than the texture, a few rows at a time.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "tracks/raster/patches.h"

namespace lapforge::tracks {

class SamplePainter {
 public:
  // `patches` in the order of painting. Sample (0, 0) begins at `origin_m`.
  SamplePainter(const std::vector<Patch>& patches, Vec2 origin_m, double sample_m);

  // Fills `samples` [rows][samples of a row] with the paints of the rows from `first_row` on.
  void PaintRows(int first_row, cv::Mat1b& samples);

 private:
  struct Shape {
    Paint paint;
    std::vector<cv::Point> outline;  // in fractions of a sample
    int first_row = 0;               // a row outside the shape on either side of it
    int last_row = 0;
  };

  void Fill(const Shape& shape, int first_row, cv::Mat1b& samples) const;

  std::vector<Shape> shapes_;
  cv::Mat1b border_;  // scratch: where the pieces of the border are
};

}  // namespace lapforge::tracks
