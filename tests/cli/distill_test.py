"""Tests of teacher to student: a run killed in any phase goes on to the same bits."""

import os
import signal
import time
import unittest

from program import ProgramTest

# Both phases in a few seconds: a teacher of two evaluations, then a lidar student.
SMALL_STUDENT = [
    "--preset", "lidar", "--track", "oval", "--steps", "40000",
    "--set", "sim.num_envs=16",
    "--set", "ppo.horizon=64",
    "--set", "distill.teacher_env_steps=16384",
    "--set", "distill.teacher_max_env_steps=16384",
    "--set", "distill.ring_frames=4096",
    "--set", "run.checkpoint_every_iterations=3",
    "--set", "run.patience_evaluations=0",
]
# The same, and PPO from step 28000 on.
SMALL_STUDENT_THEN_PPO = [*SMALL_STUDENT, "--set", "distill.then_ppo_env_steps=12000"]
CLOCKS = ["train_s", "time/env_steps_per_s"]


class Killed(ProgramTest):
    def rows(self, run, name):
        """The rows of a CSV file without what a clock wrote, the header first."""
        rows = [line.split(",") for line in (self.folder / run / name).read_text().splitlines()]
        keep = [i for i, title in enumerate(rows[0]) if title not in CLOCKS]
        return [[row[i] for i in keep] for row in rows]

    def kill_once_at(self, run, env_steps, options):
        """Goes on with a run, or begins it, and kills it behind `env_steps`."""
        begin = ["--continue", run] if (self.folder / run).exists() else \
            ["--run", run, *options]
        process = self.start("train", "--threads", "1", *begin)
        log = self.folder / run / "metrics.csv"
        while process.poll() is None:
            lines = log.read_text().splitlines() if log.exists() else []
            if len(lines) > 1 and lines[-1].split(",")[0].isdigit() and \
                    int(lines[-1].split(",")[0]) >= env_steps:
                break
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()

    def check_killed_at(self, steps, options):
        self.run_well("train", "--run", "whole", "--threads", "2", *options)
        for env_steps in steps:
            self.kill_once_at("parts", env_steps, options)
        self.run_well("train", "--continue", "parts", "--threads", "4")
        for name in ["metrics.csv", "evaluations.csv"]:
            self.assertEqual(self.rows("parts", name), self.rows("whole", name))
        for name in ["best.policy", "last.policy"]:
            self.assertEqual((self.folder / "parts" / name).read_bytes(),
                             (self.folder / "whole" / name).read_bytes())
        columns = self.rows("whole", "metrics.csv")
        phase = columns[0].index("distill/is_student")
        self.assertEqual([row[phase] for row in columns[1:]],
                         sorted(row[phase] for row in columns[1:]))
        self.assertEqual({row[phase] for row in columns[1:]}, {"0", "1"})

    def test_in_either_phase(self):
        self.check_killed_at([3000, 9000, 18000, 21000, 30000, 38000], SMALL_STUDENT)

    def test_in_ppo_after_the_student(self):
        self.check_killed_at([20000, 26000, 29000, 33000, 38000], SMALL_STUDENT_THEN_PPO)
        log = (self.folder / "whole/metrics.csv").read_text().splitlines()
        last = dict(zip(log[0].split(","), log[-1].split(",")))
        self.assertGreater(float(last["loss/entropy"]), -10)
        self.assertEqual(last["distill/loss"], "")


class Choices(ProgramTest):
    def test_method(self):
        result = self.run_program("train", "--method", "distil")
        self.assertNotEqual(result.returncode, 0)
        shown = self.run_well("train", "--preset", "lidar", "--show-options").stdout
        self.assertIn("smoothness: 0.5", shown)
        shown = self.run_well("train", "--preset", "lidar", "--method", "ppo",
                              "--show-options").stdout
        self.assertIn("smoothness: 0\n", shown)
        result = self.run_program("train", "--preset", "lidar", "--steps", "5000")
        self.assertEqual(result.returncode, 42)
        self.assertIn("leaves nothing for the student", result.stderr)

    def test_tracks_and_randomisation(self):
        result = self.run_well("train", "--tracks", "oval,esses", "--randomise", "--steps",
                               "4096", "--run", "run")
        self.assertIn("Track oval", result.stdout)
        self.assertIn("esses", result.stdout)
        self.assertTrue((self.folder / "run/track_2.npy").exists())
        options = (self.folder / "run/options.textproto").read_text()
        self.assertIn("friction_frac: 0.15", options)
        self.assertIn("track_width_frac: 0.3", options)
        self.assertIn("direction: alternate", options)
        header, row = (self.folder / "run/evaluations.csv").read_text().splitlines()[:2]
        self.assertEqual(row.split(",")[header.split(",").index("laps")], "6")
        again = self.run_well("eval", "run", "--policy", "last")
        self.assertIn("of 6 laps", again.stdout)
        self.assert_refused("train", "--continue", "run", "--tracks", "oval,hairpins",
                            expect="hairpins")
        self.run_well("train", "--continue", "run", "--steps", "8192")

    def test_randomisation_suits_the_rest(self):
        for change in ("sim.walls=true", "sim.cars_per_world=4"):
            shown = self.run_well("train", "--randomise", "--set", change, "--show-options").stdout
            self.assertIn("track_width_frac: 0\n", shown)
            self.assertIn("direction: forward", shown)

    def test_generated_tracks(self):
        shown = self.run_well("train", "--show-options", "--tracks",
                              "oval,generate:seed=7,length_m=40,generate:seed=8,esses").stdout
        self.assertIn('track: "oval"', shown)
        self.assertIn('more_tracks: ["generate:seed=7,length_m=40", "generate:seed=8", "esses"]',
                      shown)

    def test_several_tracks_bring_more_steps(self):
        for arguments, steps, spacing, wheels in [
                ([], 600000, 4096, 4),
                (["--tracks", "oval,esses"], 2400000, 16384, 1),
                (["--track", "oval", "--randomise"], 2400000, 16384, 1),
                (["--tracks", "oval,esses", "--steps", "700000"], 700000, 16384, 1)]:
            shown = self.run_well("train", "--preset", "camera", "--show-options", *arguments).stdout
            self.assertIn(f"total_env_steps: {steps}\n", shown)
            self.assertIn(f"evaluate_every_env_steps: {spacing}\n", shown)
            self.assertIn(f"teacher_off_track_wheels: {wheels}\n", shown)
        self.assert_refused("train", "--tracks", "oval,,esses", expect="no name between two commas")

    def test_ppo_after_the_student(self):
        shown = self.run_well("train", "--preset", "camera", "--method", "distill+ppo", "--steps",
                              "500000", "--show-options").stdout
        self.assertIn("then_ppo_env_steps: 250000\n", shown)
        self.assertIn("method: distill\n", shown)
        self.assert_refused("train", "--preset", "camera", "--method", "distill+ppo", "--steps",
                            "200000", expect="distill.then_ppo_env_steps 100000 leaves 100000")

    def test_more_tracks_than_cars(self):
        result = self.run_program("train", "--tracks", "oval,esses,oval", "--set",
                                  "sim.num_envs=2")
        self.assertEqual(result.returncode, 42)
        self.assertIn("sim.num_envs is 2", result.stderr)


if __name__ == "__main__":
    unittest.main()
