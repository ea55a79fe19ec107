"""Tests what a run keeps of its reward, how a mended one goes on, and names that clash."""

import shutil
import unittest

from program import SMALL_RUN, ProgramTest

FINE = "def reward_function(params):\n    return params['speed']\n"


class Modules(ProgramTest):
    def test_modules_beside_the_file_move_with_the_run(self):
        self.write("near.py", "import deep.part\nSCALE = deep.part.SCALE\n")
        (self.folder / "deep").mkdir()
        self.write("deep/__init__.py", "")
        self.write("deep/part.py", "SCALE = 2.0\n")
        self.write("late.py", "OFFSET = 1.0\n")
        self.write("other.py", "1 / 0\n")
        self.write("mine.py", "import math\nfrom near import SCALE\n"
                              "def reward_function(params):\n    import late\n"
                              "    return SCALE * params['speed'] + late.OFFSET\n")
        self.run_well("train", "--reward", "mine.py", "--run", "run", *SMALL_RUN)
        kept = self.folder / "run/reward_modules"
        self.assertEqual(sorted(str(path.relative_to(kept)) for path in kept.rglob("*.py")),
                         ["deep/__init__.py", "deep/part.py", "late.py", "near.py"])

        for name in ["near.py", "late.py", "mine.py", "deep"]:
            path = self.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        (self.folder / "run").rename(self.folder / "moved")
        for workers in ("0", "1"):
            self.run_well("train", "--continue", "moved", "--steps", str(30000 + 10000 * int(workers)),
                          "--set", f"reward.workers={workers}")
        self.run_well("reward", "replay", "moved/reward_function.py", "moved")
        self.run_well("eval", "moved")
        # a run that begins with the copy has them too
        self.run_well("train", "--reward", "moved/reward_function.py", "--run", "next", *SMALL_RUN)
        self.assertTrue((self.folder / "next/reward_modules/deep/part.py").exists())
        (self.folder / "moved/reward_modules/late.py").write_text("OFFSET = 3.0\n")
        self.assert_refused("train", "--continue", "moved",
                            expect="moved/reward_modules/late.py has changed since the run began")

    def test_missing_modules(self):
        self.write("a.py", "import no_such_helper\n" + FINE)
        self.assert_refused("reward", "check", "a.py",
                            expect=["a.py:1", "'no_such_helper'", f"must be in {self.folder}"])
        self.write("b.py", "import networkx.no_such\n" + FINE)
        result = self.run_program("reward", "check", "b.py")
        self.assertIn("b.py:1", result.stderr)


class Mended(ProgramTest):
    BAD = "def reward_function(params):\n    return params['sped']\n"

    def test_a_reward_that_failed_at_once(self):
        self.write("mine.py", self.BAD)
        result = self.run_program("train", "--reward", "mine.py", "--run", "run", *SMALL_RUN)
        self.assertEqual(result.returncode, 1)
        last = result.stderr.splitlines()[-1]
        self.assertIn("20 of at most 20 episodes", last)
        self.assertIn("lapforge train --continue run --reward mine.py", last)
        self.assertIn("'sped'", (self.folder / "run/reward_errors.txt").read_text())
        self.assertTrue((self.folder / "run/checkpoints").exists())

        # the same file fails again
        again = self.run_program("train", "--continue", "run", "--reward", "mine.py")
        self.assertEqual(again.returncode, 1)
        self.write("mine.py", FINE)
        self.run_well("train", "--continue", "run", "--reward", "mine.py")
        self.assertEqual((self.folder / "run/reward_function.py").read_text(), FINE)
        self.run_well("train", "--continue", "run", "--steps", "32768")

    def test_a_copy_goes_on_with_another_reward(self):
        self.write("mine.py", FINE)
        self.write("other.py", FINE + "# other\n")
        self.run_well("train", "--reward", "mine.py", "--run", "run", *SMALL_RUN)
        shutil.copytree(self.folder / "run", self.folder / "copy")
        before = (self.folder / "run/last.policy").read_bytes()
        result = self.run_well("train", "--continue", "copy", "--reward", "other.py", "--steps",
                               "32768")
        self.assertIn("the reward is other.py from here on", result.stderr)
        self.assertIn("going on after 24,576 steps", result.stderr)
        self.assertEqual((self.folder / "copy/reward_function.py").read_text(), FINE + "# other\n")
        self.assertEqual((self.folder / "run/reward_function.py").read_text(), FINE)
        self.assertEqual((self.folder / "run/last.policy").read_bytes(), before)
        self.run_well("train", "--continue", "copy", "--steps", "40960")

        self.run_well("train", "--run", "built_in", *SMALL_RUN)
        self.assert_refused("train", "--continue", "built_in", "--reward", "other.py",
                            expect=["other.py differs from its default"])

    def test_what_was_learned_before_is_kept(self):
        self.write("mine.py", "calls = 0\ndef reward_function(params):\n"
                              "    global calls; calls += 1\n"
                              "    return params['speed'] if calls < 300 else None\n")
        result = self.run_program("train", "--reward", "mine.py", "--run", "run", *SMALL_RUN)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.write("mine.py", FINE)
        result = self.run_well("train", "--continue", "run", "--reward", "mine.py")
        self.assertIn("going on after 4,096 steps", result.stderr)


class Names(ProgramTest):
    def test_files_named_like_standard_modules(self):
        source = "import random, math\ndef reward_function(params):\n" \
                 "    return math.sqrt(2) + random.random() * params['speed']\n"
        for name in ("random.py", "math.py"):
            self.write(name, source)
            self.run_well("reward", "check", name)
        self.write("mine.py", source)
        result = self.run_well("reward", "check", "mine.py")
        self.assertIn("random.py is not used: 'import random' means Python's own", result.stderr)

    def test_a_log_that_would_spoil_a_file(self):
        self.write("mine.py", FINE)
        self.run_well("train", "--reward", "mine.py", "--run", "run", *SMALL_RUN)
        for log, expect in [("mine.py", "mine.py"), ("run/metrics.csv", "a run's own file"),
                            ("run", "run"), ("/dev/null", "/dev/null")]:
            for form in (["--reward-log", log], ["--set", f"reward.log_file={log}"]):
                self.assert_refused("train", "--reward", "mine.py", *form, expect=expect)

    def test_two_rewards_and_other_kinds(self):
        self.write("mine.py", FINE)
        self.assert_refused("train", "--reward", "mine.py", "--set", "reward.python_file=b.py",
                            expect="name two rewards")
        self.assert_refused("reward", "check", "mine.so", expect="is a compiled reward")
        self.write("later.py", "async def reward_function(params):\n    return 1.0\n")
        self.assert_refused("reward", "check", "later.py", expect="is an 'async def'")
        self.write("lists.py", "def reward_function(params):\n    return object()\n")
        result = self.run_program("reward", "check", "lists.py")
        self.assertIn("returned <object object>", result.stdout)


if __name__ == "__main__":
    unittest.main()
