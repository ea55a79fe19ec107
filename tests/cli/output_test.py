"""Tests of what the program writes: no output is lost in silence, no input is written over."""

import os
import signal
import stat
import time
import unittest

from program import SMALL_RUN, ProgramTest


class Streams(ProgramTest):
    COMMANDS = [["--help"], ["--version"], ["track", "--help"], ["track", "list"],
                ["track", "list", "--json"], ["track", "show", "oval"], ["train", "--help"],
                ["train", "--show-options"], ["car", "list"],
                ["bench", "track", "--track", "oval"],
                ["sim", "drive", "--track", "oval", "--laps", "1"]]

    def test_a_full_disk_is_a_failure(self):
        for command in self.COMMANDS:
            with open("/dev/full", "w") as full:
                result = self.run_program(*command, stdout=full)
            self.assertEqual(result.returncode, 1, command)
            self.assertEqual(result.stderr,
                             "lapforge: cannot write standard output: No space left on device\n", command)

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


class Places(ProgramTest):
    """What cannot be written is said before the work that fills it, which here would take minutes."""

    DRIVE = ["sim", "drive", "--track", "oval", "--laps", "10000"]
    RACE = ["race", "centerline", "raceline", "--track", "oval", "--laps", "10000"]
    EVAL = ["eval", "run", "--laps", "1000", "--trials", "60"]

    def test_places(self):
        self.run_well("train", "--run", "run", "--quiet", *SMALL_RUN)
        self.write("file", "")
        (self.folder / "folder.png").mkdir()
        lap = "run/recordings/best.lfrec"
        for command, option, ending in [
                (self.DRIVE, "--recording", ""), (self.DRIVE, "--picture", ".png"),
                (self.DRIVE, "--strip", ".png"), (self.DRIVE, "--video", ".mp4"),
                (self.RACE, "--recording", ""), (self.RACE, "--picture", ".svg"),
                (self.EVAL, "--recording", ""), (self.EVAL, "--picture", ".svg"),
                (self.EVAL, "--strip", ".png"), (self.EVAL, "--video", ".mp4"),
                (["reward", "replay", "native", lap], "--csv", ""),
                (["reward", "replay", "native", lap], "--plot", ".png"),
                (["replay", lap], "--video", ".mp4"), (["replay", lap], "--strip", ".png"),
                (["track", "show", "oval"], "-o", ".png"),
                (["track", "raceline", "oval"], "-o", ".csv"),
                (["track", "raceline", "oval"], "--picture", ".png"),
                (["track", "export", "oval"], "-o", ".npy"),
                (["track", "check", "oval"], "--fix", ".npy"),
                (["track", "texture", "oval"], "-o", ".png"),
                (["sim", "frame", "--track", "oval"], "-o", ".png"),
                (["car", "show", "rc_1_18"], "-o", "")]:
            for place, reason in [("absent/x", "No such file or directory"),
                                  ("file/x", "Not a directory")]:
                self.assert_refused(*command, option, place + ending,
                                    expect=[place + ending, reason], timeout=60)
        self.assert_refused(*self.DRIVE, "--picture", "folder.png", expect="it is a folder")

    def test_endings_of_pictures(self):
        for option in ["--picture", "--strip", "--video"]:
            self.assert_refused(*self.DRIVE, option, "x.gif", expect=["x.gif", "ends in ."],
                                timeout=60)


class Interrupted(ProgramTest):
    """Ctrl-C and its kind end the program at once, and nothing is half-written."""

    def interrupt(self, *command, number):
        process = self.start(*command)
        deadline = time.monotonic() + 60
        while not list(self.folder.rglob(".lapforge-tmp-*")):
            self.assertLess(time.monotonic(), deadline, command)
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(number)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -number, command)
        self.assertEqual(list(self.folder.rglob(".lapforge-tmp-*")), [])
        self.assertFalse((self.folder / "x.mp4").exists())

    def test_films(self):
        self.run_well("train", "--run", "run", "--quiet", *SMALL_RUN)
        self.run_well("sim", "drive", "--track", "oval", "--laps", "30", "--recording", "r.lfrec")
        film = ["--video", "x.mp4", "--video-fps", "120"]
        for command, number in [
                (["sim", "drive", "--track", "oval", "--laps", "30"], signal.SIGINT),
                (["eval", "run", "--laps", "30", "--continuous", "--resets", "1000"],
                 signal.SIGTERM),
                (["replay", "r.lfrec"], signal.SIGHUP)]:
            self.interrupt(*command, *film, number=number)

    def test_behind_nohup(self):
        ignored = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
        process = self.start("sim", "drive", "--track", "oval", "--laps", "100", preexec_fn=ignored)
        process.send_signal(signal.SIGHUP)
        self.assertIn("clean", process.communicate(timeout=60)[0])

    def test_large_nets(self):
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 75)]:
            process = self.start("train", "--run", "run", "--set", "net.hidden_units=[3000,3000]")
            time.sleep(3)
            process.send_signal(number)
            process.communicate(timeout=15)
            # before the program has come to its options, as any program
            self.assertIn(process.returncode, (code, -number))
            self.assertEqual(self.files(), [])


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
