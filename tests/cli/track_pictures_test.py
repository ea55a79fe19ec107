"""Tests what `lapforge track` draws and prints: SVG that an XML reader takes, PNG, pure JSON."""

import json
import struct
import unittest
import xml.etree.ElementTree as ElementTree

from program import ProgramTest

SVG = "{http://www.w3.org/2000/svg}"


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    return struct.unpack(">II", data[16:24])


class Pictures(ProgramTest):
    def test_svg(self):
        self.run_well("track", "show", "esses", "-o", "a.svg", "--width", "1200")
        root = ElementTree.parse(self.folder / "a.svg").getroot()
        self.assertEqual(root.tag, SVG + "svg")
        self.assertEqual(root.get("width"), "1200")
        texts = [element.text for element in root.iter(SVG + "text")]
        self.assertIn("esses", texts)
        self.assertIn("10", texts)
        self.assertGreater(len(list(root.iter(SVG + "path"))), 10)

    def test_png_is_the_default(self):
        self.run_well("track", "show", "oval", "--width", "300")
        self.assertEqual(png_size(self.folder / "oval.png")[0], 300)

    def test_unknown_ending(self):
        self.assert_refused("track", "show", "oval", "-o", "x.gif", expect=["x.gif", ".svg"])


class Textures(ProgramTest):
    def test_levels_and_sizes(self):
        result = self.run_well("track", "texture", "oval", "--texel", "0.02", "--level", "1",
                               "-o", "g.png", "--json")
        answer = json.loads(result.stdout)
        level = answer["levels"][1]
        self.assertEqual(level["texel_m"], 0.04)
        self.assertEqual(png_size(self.folder / "g.png"), (level["width_px"], level["height_px"]))
        self.assertEqual(level["bytes"], 3 * level["width_px"] * level["height_px"])

    def test_refusals(self):
        self.assert_refused("track", "texture", "oval", "--texel", "0.5", expect="texel_m")
        self.assert_refused("track", "texture", "oval", "--texel", "0.001", "--margin", "20",
                            expect=["GiB", "use a texel of"])
        self.assert_refused("track", "texture", "oval", "--texel", "0.02", "--level", "30",
                            expect="--level 30")
        self.assert_refused("track", "texture", "oval", "--level", "-1", expect="--level")
        self.assert_refused("track", "texture", "ovla", expect="did you mean 'oval'")


class Json(ProgramTest):
    def test_nothing_but_json(self):
        names = [track["name"] for track in json.loads(
            self.run_well("track", "list", "--json").stdout)]
        self.assertIn("oval", names)
        for command in ("show", "texture"):
            result = self.run_well("track", command, "oval", "--json")
            answer = json.loads(result.stdout)
            self.assertEqual(result.stderr, "")
            self.assertTrue((self.folder / answer["picture"]).exists())


if __name__ == "__main__":
    unittest.main()
