// Tracks as CSV: a line with widths, a line alone, or centerline and borders.
#pragma once

#include <string>

#include "sim/base/result.h"
#include "tracks/io/csv_table.h"
#include "tracks/track.h"

namespace lapforge::tracks {

// The columns used, by their names or else by their number: x_m, y_m, w_tr_right_m, w_tr_left_m
// (4); center_x, center_y, inner_x, inner_y, outer_x, outer_y (6); x_m, y_m (2), or those of a
// racing line (7), which have no widths: the road is then `width_m` wide around the line. 0: not
// given. Whether the track is closed follows from its ends, see EndsOf. Errors begin with
// "source:line: ".
Result<TrackRows> RowsFromCsv(const CsvTable& table, double width_m, const std::string& source);

// The file's text with columns x_m, y_m, w_tr_right_m, w_tr_left_m. A closed track does not repeat
// its first row. The widths are those at right angles to the line through a row's neighbours, where
// the reader puts the borders.
std::string CsvFromTrack(const Track& track);

}  // namespace lapforge::tracks
