"""Tests importing and exporting track files, with files made by NumPy where it is installed."""

import json
import math
import unittest

from program import ProgramTest, skip

try:
    import numpy
except ImportError:
    numpy = None


def circle_csv(count=60, radius=2.0, separator=","):
    """A circle in TUM's form: 0.5 m of road to the right, 0.3 m to the left."""
    lines = ["# x_m,y_m,w_tr_right_m,w_tr_left_m"]
    for index in range(count):
        angle = 2 * math.pi * index / count
        values = [radius * math.cos(angle), radius * math.sin(angle), 0.5, 0.3]
        lines.append(separator.join(repr(value) for value in values))
    return "\n".join(lines) + "\n"


def raceline_csv(count=60, radius=2.0):
    """The same circle as a racing line, which has no widths."""
    lines = ["# s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2"]
    for index in range(count + 1):
        angle = 2 * math.pi * index / count
        lines.append(f"{radius * angle}; {radius * math.cos(angle)}; {radius * math.sin(angle)}; "
                     f"{angle}; {1 / radius}; 3.0; 0.0")
    return "\n".join(lines) + "\n"


class Import(ProgramTest):
    def import_json(self, *arguments):
        return json.loads(self.run_well("track", "import", *arguments, "--json").stdout)

    def test_csv(self):
        self.write("ring.csv", circle_csv())
        told = self.import_json("ring.csv")
        self.assertEqual(told["files"], ["ring.textproto"])
        self.assertEqual(told["losses"], [])
        self.assertEqual(told["kind"], "closed, counter-clockwise")
        self.assertEqual(told["waypoints"], 61)
        self.assertAlmostEqual(told["length_m"], 120 * 2 * math.sin(math.pi / 60), places=9)
        self.assertAlmostEqual(told["min_width_m"], 0.8, places=9)
        # the result is a track like any other
        shown = json.loads(self.run_well("track", "show", "ring.textproto", "--json").stdout)
        self.assertEqual(shown["length_m"], told["length_m"])

    def test_raceline_needs_a_width(self):
        self.write("line.csv", raceline_csv())
        self.assert_refused("track", "import", "line.csv", expect=["line.csv:2", "--width"])
        told = self.import_json("line.csv", "--width", "0.7", "--name", "fast", "-o", "f.npy")
        self.assertEqual((told["name"], told["files"]), ("fast", ["f.npy"]))
        self.assertAlmostEqual(told["max_width_m"], 0.7, places=9)
        self.assert_refused("track", "import", "line.csv", "--width", "0", expect="--width")

    def test_the_input_is_not_overwritten(self):
        self.write("ring.csv", circle_csv())
        self.assert_refused("track", "import", "ring.csv", "-o", "./ring.csv", expect="same file")

    def test_only_a_named_file_is_replaced(self):
        self.write("ring.csv", circle_csv())
        self.run_well("track", "import", "ring.csv")
        self.assert_refused("track", "import", "ring.csv", expect=["ring.textproto", "-o"])
        self.run_well("track", "import", "ring.csv", "-o", "ring.textproto")
        self.write("walls.pgm", "of another map")
        self.assert_refused("track", "import", "ring.csv", "-o", "walls.yaml", expect="walls.pgm")
        # the name inside a file does not choose where is written
        text = (self.folder / "ring.textproto").read_text()
        self.write("other.textproto", text.replace('"ring"', '"../escaped"'))
        self.assert_refused("track", "import", "other.textproto", expect="other.textproto")

    def test_faults(self):
        self.write("bad.csv", circle_csv().replace("0.3\n", "0.3 m\n", 1))
        self.assert_refused("track", "import", "bad.csv",
                            expect=["bad.csv:2", "w_tr_left_m", "'0.3 m'"])
        self.write("map.yaml", "image: walls.pgm\nresolutoin: 0.05\norigin: [0, 0, 0]\n")
        result = self.run_program("track", "import", "map.yaml")
        self.assertEqual(result.returncode, 42)
        self.assertIn("did you mean 'resolutoin'", result.stderr)
        self.write("map.yaml", "image: walls.pgm\nresolution: 0.05\norigin: [0, 0, 0]\n")
        self.assert_refused("track", "import", "map.yaml", expect="walls.pgm")
        self.write("walls.pgm", b"P5 20 20 255\n" + b"\xfe" * 400)
        self.assert_refused("track", "import", "map.yaml", expect=["map.yaml", "no closed road"])
        self.assert_refused("track", "import", "walls.pgm", expect=["walls.pgm", ".yaml"])
        self.assert_refused("track", "import", "absent.csv", expect="absent.csv")

    def test_numpy_files(self):
        if numpy is None:
            skip("NumPy is not installed")
        angle = numpy.linspace(0, 2 * numpy.pi, 61)  # its last sine is -2.4e-16
        circle = numpy.column_stack([numpy.cos(angle), numpy.sin(angle)])
        rows = numpy.hstack([2 * circle, 1.6 * circle, 2.4 * circle])
        variants = {"f4": rows.astype("<f4"), "big": rows.astype(">f8"),
                    "fortran": numpy.asfortranarray(rows), "wide": numpy.hstack([rows, rows])}
        for name, table in variants.items():
            numpy.save(self.folder / name, table)
            told = self.import_json(f"{name}.npy", "-o", "out.npy")
            self.assertEqual(told["kind"], "closed, counter-clockwise", name)
            self.assertAlmostEqual(told["length_m"], 12.5606, places=3)
            read = numpy.load(self.folder / "out.npy")
            self.assertLess(numpy.abs(read - rows).max(), 1e-6 if name == "f4" else 1e-15)


class Export(ProgramTest):
    def export_json(self, *arguments):
        return json.loads(self.run_well("track", "export", *arguments, "--json").stdout)

    def test_every_format(self):
        for name, files in [("o.npy", ["o.npy"]), ("o.csv", ["o.csv"]),
                            ("o.textproto", ["o.textproto"]), ("o.yaml", ["o.pgm", "o.yaml"])]:
            told = self.export_json("oval", "-o", name)
            self.assertEqual(told["files"], files)
            back = json.loads(self.run_well("track", "show", name, "--json").stdout)
            self.assertAlmostEqual(back["length_m"], told["length_m"], delta=0.2)
            self.assertEqual(back["kind"], told["kind"])
        self.assertEqual(self.export_json("oval", "-o", "o.textproto")["losses"], [])
        self.assertEqual(self.export_json("oval", "-o", "o.dat", "--format", "npy")["losses"],
                         ["the description is dropped"])

    def test_losses_are_printed(self):
        result = self.run_well("track", "export", "hairpins", "-o", "h.yaml", "--resolution", "0.02")
        self.assertIn("Wrote: h.pgm", result.stdout)
        self.assertRegex(result.stdout, r"Lost: the borders move by up to \d+\.\d+ mm")

    def test_other_programs_read_them(self):
        if numpy is None:
            skip("NumPy is not installed")
        self.run_well("track", "export", "oval", "-o", "o.npy")
        self.run_well("track", "export", "oval", "-o", "o.csv")
        table = numpy.load(self.folder / "o.npy")
        lines = numpy.loadtxt(self.folder / "o.csv", delimiter=",")
        self.assertTrue((lines[:, :2] == table[:-1, :2]).all())
        self.assertTrue((table[0] == table[-1]).all())
        widths = numpy.linalg.norm(table[:-1, 2:4] - table[:-1, 4:], axis=1)
        self.assertLess(numpy.abs(lines[:, 2] + lines[:, 3] - widths).max(), 1e-3)

    def test_faults(self):
        self.assert_refused("track", "export", "oval", expect="--out")
        self.assert_refused("track", "export", "ovla", "-o", "o.npy", expect="did you mean 'oval'")
        self.assert_refused("track", "export", "oval", "-o", "o.cvs", expect="did you mean '.csv'")
        self.assert_refused("track", "export", "oval", "-o", "o.csv", "--format", "nyp",
                            expect="did you mean 'npy'")
        self.assert_refused("track", "export", "oval", "-o", "no/o.csv", expect="no/o.csv")
        self.assert_refused("track", "export", "oval", "-o", "o.yaml", "--resolution", "3",
                            expect="resolution")

    def test_help_names_the_formats(self):
        for command in ["import", "export"]:
            text = self.run_well("track", command, "--help").stdout
            for ending in [".npy", ".csv", ".yaml", ".textproto"]:
                self.assertIn(ending, text)


if __name__ == "__main__":
    unittest.main()
