"""Tests `lapforge track check`, and what training says of tracks that it refuses or doubts."""

import json
import math
import unittest

from bad_input_test import npy
from program import BAD_INPUT, SMALL_RUN, ProgramTest


def road(points, width):
    """Rows of a ring: borders half the width to the left (inner) and to the right (outer)."""
    rows = []
    for i, (x, y) in enumerate(points):
        ahead, behind = points[(i + 1) % len(points)], points[i - 1]
        along = (ahead[0] - behind[0], ahead[1] - behind[1])
        scale = 0.5 * width / math.hypot(*along)
        side = (-along[1] * scale, along[0] * scale)
        rows.append([x, y, x + side[0], y + side[1], x - side[0], y - side[1]])
    return rows + rows[:1]


def oval(size=1.0, width=1.0, count=160):
    """An ellipse of 8 m by 5 m, begun in the middle of a long side."""
    angles = [2 * math.pi * (i / count - 0.25) for i in range(count)]
    return road([(4 * size * math.cos(a), 2.5 * size * math.sin(a)) for a in angles], width)


def eight(width=0.8, count=161):
    angles = [2 * math.pi * (i / count + 0.25) for i in range(count)]
    return road([(4 * math.sin(a), 2 * math.sin(2 * a)) for a in angles], width)


class Report(ProgramTest):
    def check(self, rows, *arguments, code=0):
        result = self.run_program("track", "check", self.write("t.npy", npy(rows)), *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout

    def test_sound_track(self):
        self.assertRegex(self.run_well("track", "check", "oval").stdout,
                         r"^oval: no findings; 17\.82 m, 1\.07 m wide, tightest radius 1\.50 m, "
                         r"120 rows, counter-clockwise\n$")
        self.assertIn("no findings", self.check(oval()))

    def test_one_line_a_finding(self):
        rows = oval()
        rows[20][0] = math.nan
        rows[60], rows[61] = rows[61], rows[60]
        output = self.check(rows, code=BAD_INPUT)
        lines = output.splitlines()
        self.assertTrue(lines[0].startswith("t: 1 error, 1 warning; "), output)
        self.assertRegex(lines[1], r"^error 1: row 20 holds .*; --fix: dropped$")
        self.assertRegex(lines[2], r"^warning 2: rows 60 and 61 are swapped \(x .*; --fix: put in")
        self.assertEqual(len(lines), 3)

    def test_strict(self):
        rows = oval()
        rows[60], rows[61] = rows[61], rows[60]
        self.check(rows)
        self.check(rows, "--strict", code=BAD_INPUT)

    def test_json(self):
        report = json.loads(self.check(eight(), "--json", code=BAD_INPUT))
        finding = report["findings"][0]
        self.assertEqual((finding["severity"], finding["kind"]), ("error", "crossing"))
        self.assertLess(math.hypot(finding["x_m"], finding["y_m"]), 1e-3)
        self.assertEqual(len(finding["other_rows"]), 2)
        self.assertIs(report["is_closed"], True)

    def test_picture(self):
        rows = eight()
        rows[3] = [math.nan] * 6
        rows[5] = [1e300] * 6
        self.check(rows, "--picture", "p.png", code=BAD_INPUT)
        self.assertTrue((self.folder / "p.png").read_bytes().startswith(b"\x89PNG"))

    def test_another_car(self):
        car = self.write("wide.textproto", 'name: "wide"\nbody_width_m: 0.28\n')
        result = self.run_program("track", "check", "oval", "--car", car)
        self.assertIn(result.returncode, (0, BAD_INPUT))
        self.assertNotEqual(result.stdout + result.stderr, "")

    def test_refusals(self):
        good = self.write("g.npy", npy(oval()))
        self.assert_refused("track", "check", "absent.npy", expect="absent.npy")
        self.assert_refused("track", "check", good, "--spacing", "0.2", expect="--fix")
        self.assert_refused("track", "check", good, "--fix", "m.npy", "--scale", "0",
                            expect="--scale")
        self.assert_refused("track", "check", good, "--car", "rc_1_81",
                            expect="did you mean 'rc_1_18'")
        self.assert_refused("track", "check", good, "--picture", "no/folder/p.png",
                            expect="no/folder")
        self.assert_refused("track", "check", self.write("e.npy", npy(eight())), "--fix", "m.npy",
                            expect=["m.npy", "crosses itself", "by hand"])
        self.assert_refused("track", "check", good, "--fix", "m.xyz", expect=["m.xyz", ".npy"])


class Fix(ProgramTest):
    def mend(self, rows, *arguments):
        path = self.write("broken.npy", npy(rows))
        output = self.run_well("track", "check", path, "--fix", "mended.npy", *arguments).stdout
        self.run_well("track", "check", "mended.npy", "--strict")
        return output

    def test_faults_together(self):
        rows = oval()
        rows = [row[:2] + row[4:] + row[2:4] for row in rows]
        rows[100:110] = rows[100:110][::-1]
        rows.insert(40, rows[39])
        rows[30][5] = math.inf
        output = self.mend(rows[:-1])
        for text in ["exchanged", "put in order", "dropped", "closed"]:
            self.assertIn(text, output)
        shown = json.loads(self.run_well("track", "show", "mended.npy", "--json").stdout)
        self.assertAlmostEqual(shown["length_m"], 20.69, places=1)
        self.assertEqual(shown["waypoints"], 160)

    def test_units_and_spacing(self):
        output = self.mend(oval(size=100, width=100), "--scale", "0.01", "--spacing", "0.25")
        self.assertIn("scaled by 0.01", output)
        shown = json.loads(self.run_well("track", "show", "mended.npy", "--json").stdout)
        self.assertEqual(shown["waypoints"], 84)

    def test_nothing_to_mend(self):
        self.assertIn("nothing", self.mend(oval()))


class Training(ProgramTest):
    def refuse(self, rows, expect):
        path = self.write("t.npy", npy(rows))
        self.assert_refused("train", "--track", path,
                            expect=[expect, f"see 'lapforge track check {path}'"])

    def test_impossible_tracks_are_refused(self):
        self.refuse(eight(), "crosses itself")
        self.refuse(oval(width=0.15), "narrower than the car")
        self.refuse(oval(size=0.01, width=0.01), "--scale")
        rows = oval()
        rows[20][0] = math.nan
        self.refuse(rows, "row 20")

    def test_doubtful_tracks_warn_once(self):
        path = self.write("t.npy", npy(oval(width=0.3)))
        result = self.run_well("train", "--track", path, "--run", "run", "--steps", "2048",
                               *SMALL_RUN[2:])
        warnings = [line for line in result.stderr.splitlines() if "warning" in line]
        self.assertEqual(len(warnings), 1, result.stderr)
        self.assertIn("narrow", warnings[0])
        self.assertIn(f"see 'lapforge track check {path}'", warnings[0])

    def test_sound_tracks_are_silent(self):
        path = self.write("t.npy", npy(oval()))
        result = self.run_well("train", "--track", path, "--run", "run", "--steps", "2048",
                               *SMALL_RUN[2:])
        self.assertEqual(result.stderr, "")


if __name__ == "__main__":
    unittest.main()
