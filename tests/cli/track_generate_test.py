"""Tests `lapforge track generate`: files, pictures, JSON, folders of tracks, refusals."""

import json
import unittest

from program import ProgramTest


class Generate(ProgramTest):
    def generate(self, *arguments):
        return self.run_well("track", "generate", *arguments)

    def describe(self, track):
        return json.loads(self.run_well("track", "show", track, "--json", "-o", "p.png").stdout)

    def test_one_file(self):
        output = self.generate("--seed", 7, "--length", 25, "--width", 1).stdout
        self.assertEqual(self.files(), ["generated_7.textproto"])
        self.assertEqual(len(output.splitlines()), 1)
        for text in ["generated_7.textproto", "m long", "1.00 m wide", "bends"]:
            self.assertIn(text, output)
        track = self.describe("generated_7.textproto")
        self.assertEqual(track["name"], "generated_7")
        self.assertAlmostEqual(track["length_m"], 25, delta=0.125)
        self.assertAlmostEqual(track["min_width_m"], 1, places=6)
        self.assertEqual(track["kind"], "closed, counter-clockwise")

    def test_names_and_pictures(self):
        self.generate("-o", "mine.textproto", "--picture", "--clockwise")
        self.generate("-o", "mine.npy", "--clockwise")
        self.assertEqual(self.files(), ["mine.npy", "mine.png", "mine.textproto"])
        self.assertTrue((self.folder / "mine.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(self.describe("mine.npy"), self.describe("mine.textproto"))
        self.assertEqual(self.describe("mine.npy")["kind"], "closed, clockwise")

    def test_json_repeats(self):
        first = self.generate("--seed", 3, "--difficulty", 0.8, "--json").stdout
        text = (self.folder / "generated_3.textproto").read_bytes()
        self.assertEqual(self.generate("--seed", 3, "--difficulty", 0.8, "--json").stdout, first)
        self.assertEqual((self.folder / "generated_3.textproto").read_bytes(), text)
        track = json.loads(first)
        self.assertEqual(track["seed"], 3)
        self.assertEqual(track["difficulty"], 0.8)
        self.assertEqual(track["path"], "generated_3.textproto")
        self.assertGreaterEqual(track["min_radius_m"], 0.63 - 1e-6)
        self.assertGreater(track["bends"], 5)

    def test_many(self):
        tracks = json.loads(self.generate("--seed", 5, "--count", 3, "-o", "a/b", "--json").stdout)
        self.assertEqual([track["seed"] for track in tracks], [5, 6, 7])
        self.assertEqual([path for path in self.files() if "." in path],
                         [f"a/b/generated_{seed}.textproto" for seed in (5, 6, 7)])
        self.assertEqual(len(set(track["bends"] * track["min_radius_m"] for track in tracks)), 3)

    def test_largest_seed(self):
        self.generate("--seed", 2**64 - 1)
        self.assertEqual(self.files(), [f"generated_{2**64 - 1}.textproto"])

    def test_name_for_training(self):
        named = self.describe("generate:seed=7,length_m=25,width_m=1")
        self.generate("--seed", 7, "--length", 25, "--width", 1)
        self.assertEqual(named, self.describe("generated_7.textproto"))
        self.run_well("track", "check", "generate:seed=7,length_m=25,width_m=1", "--strict")
        self.run_well("train", "--track", "generate:seed=7", "--steps", 1024, "--quiet")

    def test_refusals(self):
        def refused(*arguments, expect):
            self.assert_refused("track", "generate", *arguments, expect=expect)

        refused("--length", 7, expect=["length_m", "8 .. 500"])
        refused("--width", 3, "--length", 8, expect=["length_m", "expected at least 22.05"])
        refused("--width", "wide", expect="--width")
        refused("--difficulty", 1.1, expect="difficulty")
        refused("--difficulty", "nan", expect="difficulty")
        refused("--seed", -1, expect="seed")
        refused("--count", 0, expect="--count")
        refused("-o", "x.png", expect=["x.png", ".textproto or .npy"])
        refused("-o", "x.npy", "--count", 3, expect=["x.npy", "with --count it names a folder"])
        refused("-o", "absent/x.npy", expect="absent")
        self.assert_refused("track", "show", "generate:lenght=9", expect="lenght")


if __name__ == "__main__":
    unittest.main()
