"""Tests `lapforge track raceline`: its lap times, its files, and what it refuses."""

import json
import math
import unittest

from program import ProgramTest


class Raceline(ProgramTest):
    def lap(self, *arguments):
        result = self.run_well("track", "raceline", *arguments, "--json")
        return json.loads(result.stdout)

    def test_the_racing_line_beats_the_others_and_keeps_the_car_s_limits(self):
        lap = self.lap("oval")
        line = lap["racing_line"]
        self.assertEqual((lap["track"], lap["car"], lap["margin_m"]), ("oval", "rc_1_18", 0.05))
        self.assertLess(line["lap_time_s"], lap["centerline"]["lap_time_s"])
        self.assertLess(line["lap_time_s"], lap["shortest_path"]["lap_time_s"])
        self.assertLess(line["length_m"], lap["centerline"]["length_m"])
        # full steering of the 1/18 car: wheelbase 0.164 m, 30 degrees; its top speed is 4 m/s
        self.assertGreater(line["min_radius_m"], 0.99 * 0.164 / math.tan(math.radians(30)))
        self.assertLessEqual(line["top_speed_mps"], 4)

    def test_more_room_is_faster_and_both_directions_are_alike(self):
        times = [self.lap("oval", "--margin", margin)["racing_line"]["lap_time_s"]
                 for margin in (0.1, 0, -0.05)]
        self.assertEqual(times, sorted(times, reverse=True))
        both = [self.lap("oval", *extra)["racing_line"]["lap_time_s"]
                for extra in ([], ["--reversed"])]
        self.assertAlmostEqual(both[0], both[1], delta=0.05)

    def test_the_file_has_the_line_and_the_picture_is_drawn(self):
        result = self.run_well("track", "raceline", "oval", "-o", "line.csv", "--picture",
                               "line.png")
        self.assertIn("racing line", result.stdout)
        self.assertTrue((self.folder / "line.png").read_bytes().startswith(b"\x89PNG"))
        rows = (self.folder / "line.csv").read_text().splitlines()
        self.assertEqual(rows[2], "# s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2")
        points = [[float(cell) for cell in row.split(";")] for row in rows[3:]]
        self.assertEqual(points[0][1:], points[-1][1:])
        for (s, x, y, psi, *_), (next_s, next_x, next_y, *_) in zip(points, points[1:]):
            self.assertAlmostEqual(math.hypot(next_x - x, next_y - y), next_s - s, delta=1e-5)
            # psi is 0 to the north, counter-clockwise
            ahead = -math.sin(psi) * (next_x - x) + math.cos(psi) * (next_y - y)
            self.assertGreater(ahead, 0.98 * (next_s - s))

    def test_bad_input_is_one_line(self):
        def refused(*arguments, expect):
            self.assert_refused("track", "raceline", *arguments, expect=expect)
        refused(expect="'track' is missing")
        refused("ovall", expect="oval")
        refused("oval", "--car", "rc_1_8", expect="rc_1_18")
        refused("oval", "--margin", "0.5", "-o", "line.csv", expect="the road is")
        refused("oval", "--margin", "-0.2", expect="margin_m -0.2 is out of range")
        refused("oval", "--margin", "nan", expect="--margin nan: expected a number")
        refused("oval", "-o", "no/folder/line.csv", expect="no/folder/line.csv")


if __name__ == "__main__":
    unittest.main()
