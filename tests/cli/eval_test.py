"""Tests lapforge eval: trials, flying laps, resets, several tracks, policies in and out of runs."""

import json
import os
import pty
import shutil
import unittest

from program import SMALL_RUN, ProgramTest


def mean(values):
    return sum(values) / len(values)


class Alone(ProgramTest):
    def test_a_slow_policy_without_its_run(self):
        self.run_well("train", "--run", "run", *SMALL_RUN, "--set", "sim.timing.control_hz=5",
                      "--set", "sim.timing.substeps_per_control=24")
        shutil.copy(self.folder / "run/last.policy", self.folder / "slow.policy")
        driven = [self.run_well("eval", *policy, "--json").stdout
                  for policy in (["slow.policy", "--track", "esses"], ["run", "--policy", "last"])]
        self.assertEqual(*[json.loads(report)["laps"] for report in driven])


class Trained(ProgramTest):
    """A run whose policy laps the track it learned on."""

    def setUp(self):
        super().setUp()
        self.run_well("train", "--run", "run", "--track", "oval", "--steps", "120000")

    def evaluate(self, *arguments, run="run"):
        return json.loads(self.run_well("eval", run, "--json", *arguments).stdout)

    def test_trials_and_flying_laps(self):
        report = self.evaluate("--laps", "3", "--trials", "2", "--continuous")
        rows = report["laps"]
        self.assertEqual([(row["trial"], row["lap"]) for row in rows],
                         [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)])
        self.assertEqual([row["flying_start"] for row in rows], [False, True, True] * 2)
        # a standing start costs time
        standing = mean([row["lap_time_us"] for row in rows if not row["flying_start"]])
        flying = mean([row["lap_time_us"] for row in rows if row["flying_start"]])
        self.assertLess(flying, standing)

        # the three timing methods, from the rows
        summary = report["tracks"][0]
        times = [row["lap_time_us"] for row in rows]
        self.assertEqual(summary["best_lap_us"], min(times))
        self.assertEqual(summary["total_us"], sum(times))
        averages = [sum(times[i:i + 3]) / 3 for i in (0, 3)]
        self.assertEqual(summary["best_average_us"], min(averages) // 1000 * 1000)
        self.assertEqual(self.evaluate("--laps", "3", "--trials", "2", "--continuous",
                                       "--average-of", "2")["tracks"][0]["average_of"], 2)

        standing = self.evaluate("--laps", "3", "--trials", "2")["laps"]
        self.assertEqual([(row["trial"], row["lap"]) for row in standing],
                         [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)])
        self.assertEqual(len({row["start_frac"] for row in standing}), 6)
        replay = self.run_well("replay", "run/recordings/eval.lfrec").stdout
        self.assertIn("steps agree", replay)
        for row in standing:
            self.assertIn(f"{row['lap_time_us'] * 1e-6:.3f} s", replay)

    def test_several_tracks(self):
        report = self.evaluate("--track", "oval", "--tracks", "kidney, hairpins", "--laps", "2")
        self.assertEqual([track["track"] for track in report["tracks"]],
                         ["oval", "kidney", "hairpins"])
        self.assertEqual([row["track"] for row in report["laps"]],
                         ["oval"] * 2 + ["kidney"] * 2 + ["hairpins"] * 2)
        table = self.run_well("eval", "run", "--tracks", "oval,kidney").stdout
        self.assertIn("   kidney", table)
        self.assertIn("steps agree", self.run_well("replay", "run/recordings/eval.lfrec").stdout)

    def test_the_same_track_twice(self):
        report = self.evaluate("--tracks", "oval,oval,kidney", "--laps", "1")
        names = ["oval", "oval (2)", "kidney"]
        self.assertEqual([track["track"] for track in report["tracks"]], names)
        self.assertEqual([row["track"] for row in report["laps"]], names)
        self.assertIn("   oval (2)\n", self.run_well("eval", "run", "--tracks", "oval,oval").stdout)

    def test_progress_on_a_terminal_only(self):
        many = ["eval", "run", "--laps", "1000", "--trials", "10", "--threads", "1"]
        terminal, program_side = pty.openpty()
        self.run_well(*many, stderr=program_side)
        shown = os.read(terminal, 1 << 16).decode()
        self.assertRegex(shown, r"^\r\x1b\[K\d[\d,]* of 10,000 drives have ended, \d+ s\r")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)
        os.set_blocking(terminal, False)
        self.run_well(*many, "--quiet", stderr=program_side)
        with self.assertRaises(BlockingIOError):
            os.read(terminal, 1)
        os.close(program_side)
        os.close(terminal)
        self.assertEqual(self.run_well(*many).stderr, "")

    def test_boxes_are_in_the_picture(self):
        # rounds of a policy that does not see them
        options = self.folder / "run/options.textproto"
        options.write_text(options.read_text().replace("    count: 0\n", "    count: 3\n"))
        self.run_well("eval", "run", "--picture", "a.svg")
        self.assertEqual((self.folder / "a.svg").read_text().count("#a6b6d6"), 3)

    def test_columns_of_the_table(self):
        plain = self.run_well("eval", "run").stdout
        self.assertEqual(plain.splitlines()[0].split(), ["lap", "start", "result", "time"])
        trials = self.run_well("eval", "run", "--trials", "2", "--laps", "2").stdout.splitlines()
        self.assertEqual(trials[0].split(), ["trial", "lap", "start", "result", "time"])
        self.assertEqual([line.split()[:2] for line in trials[1:5]],
                         [["1", "1"], ["1", "2"], ["2", "1"], ["2", "2"]])

    def test_seeds_and_randomisation(self):
        plain = self.evaluate()
        self.assertEqual(plain["laps"], self.evaluate("--seed", "9")["laps"])  # nothing is random
        self.assertEqual(plain["laps"], self.evaluate("--randomise")["laps"])  # nor was in training
        warned = self.run_program("eval", "run", "--randomise", "--json").stderr
        self.assertIn("this policy was trained with nothing varied", warned)

    def test_policy_files(self):
        plain = self.evaluate()["laps"]
        self.assertEqual(self.evaluate(run="run/best.policy")["laps"], plain)
        shutil.copy(self.folder / "run/best.policy", self.folder / "alone.policy")
        self.assertEqual(self.evaluate("--track", "oval", run="alone.policy")["laps"], plain)
        self.assert_refused("eval", "alone.policy", expect=["alone.policy", "--track"])
        self.assert_refused("eval", "alone.policy", "--policy", "last", "--track", "oval",
                            expect="already")
        self.assert_refused("eval", "absent.policy", expect="absent.policy")

    def test_the_newest_checkpoint(self):
        # the last one was written at the end, with last.policy
        self.assertEqual(self.evaluate("--policy", "checkpoint")["laps"],
                         self.evaluate("--policy", "last")["laps"])
        shutil.rmtree(self.folder / "run/checkpoints")
        self.assert_refused("eval", "run", "--policy", "checkpoint", expect="no checkpoint")

    def test_what_cannot_be_driven(self):
        before = self.files()
        for arguments, expect in [
                (["--tracks", "oval,hairpin"], "did you mean 'hairpins'"),
                (["--tracks", "oval,,esses"], "no name between two commas"),
                (["--laps", "0"], "1 .. 1000"),
                (["--laps", "1000", "--trials", "1000"],
                 "--laps times --trials times 1 track is 1000000 drives"),
                (["--resets", "-1"], "--resets"),
                (["--crash-penalty", "x"], "--crash-penalty"),
                (["--seed", "x"], "--seed x"),
                (["--car", "rc_1_81"], "did you mean 'rc_1_18'")]:
            self.assert_refused("eval", "run", *arguments, expect=expect)
        self.assertEqual(self.files(), before)


class Resets(ProgramTest):
    """A policy that has learned nothing yet, and leaves the road."""

    def test_put_back_and_penalties(self):
        one_iteration = ["--steps", "1024", *SMALL_RUN[2:]]
        self.run_well("train", "--run", "run", "--track", "hairpins", *one_iteration)
        first = json.loads(self.run_well("eval", "run", "--json", "--track", "esses").stdout)
        self.assertEqual(first["clean_laps"], 0)
        # what there is not is null
        self.assertIsNone(first["mean_lap_time_s"])
        for key in ["best_lap_us", "best_average_us", "total_us"]:
            self.assertIsNone(first["tracks"][0][key])
        self.assertEqual({lap["lap_time_us"] for lap in first["laps"]}, {None})
        for lap in first["laps"]:
            self.assertEqual(lap["off_tracks"] if lap["reason"] == "off_track" else 0,
                             1 if lap["reason"] == "off_track" else 0)

        drives = {}
        for penalty in [0, 2]:
            drives[penalty] = json.loads(self.run_well(
                "eval", "run", "--json", "--track", "esses", "--resets", "1000",
                "--off-track-penalty", penalty).stdout)["laps"]
        table = self.run_well("eval", "run", "--track", "esses", "--resets", "1000").stdout
        self.assertIn("put back", table.splitlines()[0])
        self.assertEqual([int(line.split("  ")[-2]) for line in table.splitlines()[1:4]],
                         [lap["resets"] for lap in drives[2]])
        for free, punished in zip(drives[0], drives[2]):
            self.assertEqual(free["resets"], punished["resets"])
            self.assertEqual(free["reason"], punished["reason"])
            if free["reason"] == "lap_complete":
                self.assertGreater(free["resets"], 0)
                self.assertFalse(free["clean"])
                # two seconds for each time off the road or the wrong way, none for standing
                penalty_s = (punished["lap_time_us"] - free["lap_time_us"]) * 1e-6
                self.assertGreaterEqual(penalty_s, 2 * punished["off_tracks"])
                self.assertLessEqual(penalty_s, 2 * punished["resets"])
        self.assertIn("steps agree", self.run_well("replay", "run/recordings/eval.lfrec").stdout)


if __name__ == "__main__":
    unittest.main()
