"""Tests of what the program writes: no output is lost in silence, no input is written over."""

import os
import stat
import unittest

from program import SMALL_RUN, ProgramTest


class Streams(ProgramTest):
    COMMANDS = [["--help"], ["--version"], ["track", "--help"], ["track", "list"],
                ["track", "list", "--json"], ["track", "show", "oval"], ["train", "--help"],
                ["train", "--show-options"]]

    def test_a_full_disk_is_a_failure(self):
        for command in self.COMMANDS:
            with open("/dev/full", "w") as full:
                result = self.run_program(*command, stdout=full)
            self.assertEqual(result.returncode, 1, command)
            self.assertEqual(result.stderr,
                             "lapforge: cannot write the output: No space left on device\n")

    def test_a_closed_output_is_a_failure(self):
        for command in self.COMMANDS:
            result = self.run_program(*command, stdout=None, preexec_fn=lambda: os.close(1))
            self.assertEqual(result.returncode, 1, command)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_a_reader_that_ended_is_told_nothing(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = self.run_program("track", "list", stdout=writer)
        os.close(writer)
        self.assertEqual((result.returncode, result.stderr), (1, ""))

    def test_a_training_outlives_its_reader(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.run_program("train", "--run", "run", *SMALL_RUN, stdout=writer)
        os.close(writer)
        self.assertTrue((self.folder / "run/recordings/best.lfrec").exists())

    def test_messages_name_the_command_that_was_typed(self):
        environment = {**os.environ, "LAPFORGE_COMMAND": "../lapforge"}
        result = self.run_well("train", "--run", "run", *SMALL_RUN, env=environment)
        self.assertIn("Drive again: ../lapforge eval run\n", result.stdout)
        self.assertIn("Usage: ../lapforge eval ",
                      self.run_well("eval", "--help", env=environment).stdout)


class Files(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_well("train", "--run", "run", *SMALL_RUN)

    def contents(self):
        return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def test_inputs_and_a_runs_own_files_stay(self):
        track = self.write("t.npy", (self.folder / "run/track.npy").read_bytes())
        (self.folder / "link.npy").symlink_to("t.npy")
        before = self.contents()
        for path in ["t.npy", "./t.npy", track, "link.npy"]:
            self.assert_refused("track", "show", "t.npy", "-o", path, expect=["--out", "same file"])
        for name in ["best.policy", "options.textproto", "metrics.csv", "track.npy", "lock",
                     "checkpoints/LATEST", "checkpoints/new", "recordings/best.lfrec"]:
            self.assert_refused("eval", "run", "--recording", f"run/{name}", expect=name)
            self.assert_refused("eval", "run", "--picture", f"run/{name}", expect=name)
        self.assert_refused("eval", "run", "--recording", "x", "--picture", "./x",
                            expect=["--recording", "--picture"])
        self.assertEqual(self.contents(), before)
        for _ in range(2):
            self.run_well("eval", "run", "--recording", "run/recordings/mine.lfrec",
                          "--picture", "run/mine.png")

    def test_only_regular_files_are_replaced(self):
        os.mkfifo(self.folder / "pipe")
        self.assert_refused("eval", "run", "--recording", "pipe", expect="it is a pipe")
        self.assertTrue(stat.S_ISFIFO((self.folder / "pipe").stat().st_mode))

    def test_replay_looks_at_every_file(self):
        good = (self.folder / "run/recordings/best.lfrec").read_bytes()
        self.write("longer.lfrec", good + b"\n")
        self.write("twice.lfrec", good + good)
        self.write("cut.lfrec", good[:-1])
        self.write("empty.lfrec", b"")
        bad = ["longer.lfrec", "run/best.policy", "twice.lfrec", "cut.lfrec", "empty.lfrec"]
        result = self.run_program("replay", *bad, "run/recordings/best.lfrec")
        self.assertEqual(result.returncode, 42)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), len(bad), result.stderr)
        for path, line in zip(bad, lines):
            self.assertEqual(line, f"lapforge: {path}: not a recording, or damaged")
        self.assertIn("steps agree", result.stdout)

    def test_a_policy_with_more_behind_it_is_refused(self):
        policy = (self.folder / "run/best.policy").read_bytes()
        for rest in [b"\n", b"\0", policy]:
            self.write("p.policy", policy + rest)
            self.assert_refused("eval", "run", "--policy", "p.policy", expect="p.policy")


if __name__ == "__main__":
    unittest.main()
