"""lapforge reward replay, keys, and compiled rewards: a reward over old laps, as a person uses it."""

import csv
import json
import pathlib
import shutil
import subprocess
import unittest

from program import SMALL_RUN, ProgramTest, skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEED = "def reward_function(params):\n    return params['speed']\n"
STEERING = "def reward_function(params):\n    return abs(params['steering_angle'])\n"
PNG = b"\x89PNG"


class ReplayTest(ProgramTest):
    def drive(self, name="d.lfrec", laps=2):
        self.run_well("sim", "drive", "--track", "oval", "--laps", str(laps), "--recording", name)
        return name

    def replay(self, *arguments):
        return json.loads(self.run_well("reward", "replay", *arguments, "--json").stdout)

    def rows(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Replay(ReplayTest):
    def test_laps_steps_and_picture(self):
        self.write("speed.py", SPEED)
        result = self.run_well("reward", "replay", "speed.py", self.drive(), "--csv", "steps.csv",
                               "--plot", "lap.png")
        for text in ["d.lfrec, paid by speed.py", "car 1, lap 1", "car 1, lap 2", "steps.csv"]:
            self.assertIn(text, result.stdout)
        self.assertTrue((self.folder / "lap.png").read_bytes().startswith(PNG))
        rows = self.rows("steps.csv")
        for row in rows:
            self.assertAlmostEqual(float(row["reward"]), float(row["speed_cmd_mps"]), places=5)
        times = [float(row["time_s"]) for row in rows]
        self.assertEqual(times, sorted(times))

        report = self.replay("speed.py", "d.lfrec", "--discount", "0.5")[0]
        laps = report["laps"]
        self.assertEqual([lap["result"] for lap in laps], ["lap", "lap"])
        rewards = [float(row["reward"]) for row in rows if row["lap"] == "car 1, lap 1"]
        self.assertEqual(laps[0]["steps"], len(rewards))
        self.assertAlmostEqual(laps[0]["total_reward"], sum(rewards), places=3)
        self.assertAlmostEqual(laps[0]["max_reward"], max(rewards), places=5)
        self.assertAlmostEqual(laps[0]["discounted_return"],
                               sum(r * 0.5**k for k, r in enumerate(rewards)), places=4)

    def test_two_rewards_side_by_side(self):
        self.write("steering.py", STEERING)
        reports = self.replay("native", self.drive(), "--compare", "steering.py", "--csv", "s.csv",
                              "--set", "reward.native.speed_per_mps=0.5")
        self.assertEqual([report["reward"] for report in reports], ["native", "steering.py"])
        first = reports[0]["laps"][0]
        self.assertAlmostEqual(sum(first["terms"].values()), first["total_reward"], places=4)
        for row in self.rows("s.csv"):
            self.assertAlmostEqual(float(row["compared_reward"]),
                                   abs(float(row["steering_cmd_deg"])), places=4)
            self.assertAlmostEqual(float(row["reward/speed"]), 0.05 * float(row["speed_mps"]),
                                   places=5)

    def test_a_run_and_an_options_file(self):
        self.run_well("train", "--track", "oval", "--run", "run", *SMALL_RUN)
        best = self.replay("native", "run")
        self.assertEqual([report["recording"] for report in best], ["run/recordings/best.lfrec"])
        self.assertEqual({lap["car"] for lap in best[0]["laps"]}, {1, 2, 3})
        # another scale is another sum
        self.write("options.textproto", "reward { native { scale: 0.2 } }\n")
        twice = self.replay("options.textproto", "run")
        for one, two in zip(best[0]["laps"], twice[0]["laps"]):
            self.assertAlmostEqual(2 * one["total_reward"], two["total_reward"], places=4)

    def test_bad_input(self):
        self.drive()
        self.write("speed.py", SPEED)
        self.write("bad.py", "def reward_function(params):\n    return params['spead']\n")
        self.write("text.lfrec", "no recording")
        (self.folder / "empty").mkdir()
        for arguments, expect in [
            (["absent.py", "d.lfrec"], "absent.py"),
            (["bad.py", "d.lfrec"], ["bad.py:2", "did you mean 'speed'"]),
            (["speed.py", "absent.lfrec"], "absent.lfrec"),
            (["speed.py", "text.lfrec"], "text.lfrec"),
            (["speed.py", "empty"], ["empty", "holds no recordings"]),
            (["speed.py", "d.lfrec", "--plot", "lap.gif"], "lap.gif"),
            (["speed.py", "d.lfrec", "--plot", "lap.png", "--lap", "3"], ["--lap 3", "1 .. 2"]),
            (["speed.py", "d.lfrec", "--csv", "speed.py"], "the same file"),
            (["native", "d.lfrec", "--set", "reward.native.scal=1"], "did you mean"),
            (["native", "d.lfrec", "--set", "reward.native.raceline=1"], "raceline_file"),
        ]:
            self.assert_refused("reward", "replay", *arguments, expect=expect)


class Keys(ProgramTest):
    def test_lists_every_key(self):
        keys = json.loads(self.run_well("reward", "keys", "--json").stdout)
        self.assertEqual(sum(not key["is_extra"] for key in keys), 27)
        text = self.run_well("reward", "keys").stdout
        table = self.run_well("reward", "keys", "--markdown").stdout
        for key in keys:
            self.assertIn(f"  {key['name']} ", text)
            self.assertIn(f"`{key['name']}`", table)
        self.assertIn(table, (ROOT / "docs" / "rewards.md").read_text())


class Compiled(ReplayTest):
    def compile(self):
        if shutil.which("cc") is None:
            skip("there is no cc to compile a reward with")
        library = self.folder / "get_ahead.so"
        subprocess.run(["cc", "-std=c99", "-O2", "-shared", "-fPIC", "-I", ROOT,
                        ROOT / "reward" / "examples" / "get_ahead.c", "-o", library, "-lm"],
                       check=True)
        return library

    def test_trains_and_goes_on_with_the_runs_copy(self):
        library = self.compile()
        result = self.run_well("train", "--track", "oval", "--reward", "get_ahead.so", "--run", "run",
                               *SMALL_RUN)
        self.assertIn("Reward: get_ahead.so", result.stdout)
        self.assertEqual((self.folder / "run/reward.so").read_bytes(), library.read_bytes())
        library.unlink()
        self.run_well("train", "--continue", "run", "--steps", "30000")
        self.replay("run/reward.so", "run")

    def test_bad_libraries(self):
        self.write("text.so", "no library")
        for command in [["train", "--track", "oval", "--reward", "text.so"],
                        ["reward", "replay", "text.so", self.drive()]]:
            self.assert_refused(*command, expect="text.so is no compiled reward")


if __name__ == "__main__":
    unittest.main()
