"""Tests of stopping and going on: at once, and only with what the run began with."""

import signal
import subprocess
import time
import unittest

from program import SMALL_RUN, ProgramTest, skip

LOOP = "def reward_function(params):\n  if params['steps'] > 5:\n    while True: pass\n  return 1.0\n"
SLOW = "import time\ndef reward_function(params):\n  time.sleep(0.002)\n  return params['speed']\n"
FINE = "def reward_function(params):\n  return params['speed']\n"

# with SLOW, one iteration takes 50 s
LONG_ITERATION = ["--set", "sim.num_envs=16", "--set", "ppo.horizon=1500"]


class Stops(ProgramTest):
    def stop(self, process, signal_number=signal.SIGINT):
        """Waits for the training to begin, asks it to stop. Returns its output and errors."""
        self.assertIn("Run folder", process.stdout.readline())
        time.sleep(0.5)
        process.send_signal(signal_number)
        output, errors = process.communicate(timeout=30)
        self.assertIn("press Ctrl-C again to quit at once", errors)
        return output, errors

    def test_inside_an_iteration(self):
        reward = self.write("slow.py", SLOW)
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 75), (signal.SIGHUP, 75)]:
            process = self.start("train", "--reward", reward, "--run", f"run{number}",
                                 *LONG_ITERATION)
            output, errors = self.stop(process, number)
            self.assertEqual(process.returncode, code, errors)
            self.assertIn("everything is saved. 0 steps", output)

    def test_time_inside_an_iteration(self):
        reward = self.write("slow.py", SLOW)
        started = time.monotonic()
        result = self.run_well("train", "--reward", reward, "--run", "run", "--time", "1",
                               *LONG_ITERATION)
        self.assertLess(time.monotonic() - started, 30)
        self.assertIn("The time is over. 0 steps", result.stdout)

    def test_a_reward_that_does_not_return(self):
        process = self.start("train", "--reward", self.write("loop.py", LOOP), "--run", "run")
        _, errors = self.stop(process)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("loop.py:3: Interrupted", errors)
        self.assertIn("the line is: while True: pass", errors)
        self.assertTrue((self.folder / "run/last.policy").exists())

    def test_a_reward_file_that_does_not_load(self):
        path = self.write("loop.py", "print('here')\nwhile True: pass\n")
        process = self.start("train", "--reward", path)
        self.assertIn("here", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("loop.py:2: Interrupted", errors)
        self.assertFalse((self.folder / "runs").exists())

    def test_a_reward_that_fails_at_once_leaves_a_run_to_go_on_with(self):
        for source in ["def reward_function(params):\n  return params['sped']\n",
                       "import os\ndef reward_function(params):\n  os._exit(0)\n"]:
            result = self.run_program("train", "--reward", self.write("bad.py", source))
            self.assertEqual(result.returncode, 1)
            self.assertIn("bad.py:", result.stderr)
            self.assertIn("mend it and go on: lapforge train --continue runs/", result.stderr)
        self.assertEqual(len(list((self.folder / "runs").iterdir())), 2)


class GoingOn(ProgramTest):
    def setUp(self):
        super().setUp()
        self.reward = self.write("mine.py", FINE)
        self.run_well("train", "--reward", self.reward, "--run", "run", *SMALL_RUN)

    def go_on(self, *arguments):
        return self.run_program("train", "--continue", "run", *arguments)

    def test_the_runs_own_copy_is_used(self):
        self.write("mine.py", "def reward_function(params):\n  return 1 / 0\n")
        result = self.go_on("--steps", "32768")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the reward is the run's own copy, run/reward_function.py", result.stderr)
        self.assertEqual((self.folder / "run/reward_function.py").read_text(), FINE)

    def test_inputs_that_are_named_again_must_be_the_same(self):
        self.write("mine.py", FINE)
        result = self.go_on("--reward", self.reward, "--track", "run/track.npy")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_refused("train", "--continue", "run", "--run", "another",
                            expect="--run another: --continue goes on in the run's own folder")
        self.assert_refused("train", "--continue", "run", "--track", "oval",
                            expect=["--track oval", "run/track.npy"])

    def test_edited_inputs_are_noticed(self):
        for name in ["reward_function.py", "track.npy"]:
            path = self.folder / "run" / name
            before = path.read_bytes()
            path.write_bytes(before.replace(b"speed", b"steps") if name.endswith(".py") else
                             before[:-1] + bytes([before[-1] ^ 1]))
            self.assert_refused("train", "--continue", "run",
                                expect=f"run/{name} has changed since the run began")
            path.write_bytes(before)
        self.assertEqual(self.go_on().returncode, 0)

    def test_an_edited_option_is_named(self):
        path = self.folder / "run/options.textproto"
        for before, after, name in [("hidden_units: [64, 64]", "hidden_units: [32, 64]",
                                     "net.hidden_units was [64, 64] so far and is now [32, 64]"),
                                    ("num_envs: 16", "num_envs: 8", "sim.num_envs"),
                                    ("num_epochs: 5", "num_epochs: 4", "ppo.num_epochs")]:
            text = path.read_text()
            self.assertIn(before, text)
            path.write_text(text.replace(before, after))
            result = self.go_on()
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(name, result.stderr)
            path.write_text(text)

    def test_an_options_file_names_files_beside_it(self):
        result = self.run_well("train", "-o", "run/options.textproto", "--run", "again")
        self.assertIn("Reward: run/reward_function.py", result.stdout)
        for name in ["last.policy", "reward_function.py"]:
            self.assertEqual((self.folder / "again" / name).read_bytes(),
                             (self.folder / "run" / name).read_bytes())

    def test_eval_of_a_run_that_cannot_be_written(self):
        run = self.folder / "run"
        mounted = subprocess.run(["mount", "--bind", run, run], capture_output=True)
        if mounted.returncode != 0:
            skip("a folder cannot be made read-only here")
        self.addCleanup(subprocess.run, ["umount", "-l", run], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", run], check=True)
        result = self.run_well("eval", "run")
        self.assertIn("laps clean", result.stdout)
        self.assertIn("the laps are not recorded: ", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
