"""Tests of whole training runs: clean laps, interruption at any moment, any number of threads."""

import fcntl
import json
import os
import pty
import random
import re
import shutil
import signal
import struct
import termios
import time
import unittest

from program import SMALL_RUN, ProgramTest, kill


class Learning(ProgramTest):
    def test_clean_laps_from_nothing(self):
        result = self.run_well("train", "--run", "run", "--steps", "120000")
        self.assertIn("3 of 3 laps clean", result.stdout)
        report = json.loads(self.run_well("eval", "run", "--json").stdout)
        self.assertEqual(report["clean_laps"], 3)
        for name in ["best.lfrec", "eval.lfrec"]:
            replay = self.run_well("replay", f"run/recordings/{name}")
            self.assertIn("steps agree", replay.stdout)
        self.assertTrue((self.folder / "run/best_lap.png").read_bytes().startswith(b"\x89PNG"))

    def test_python_reward(self):
        path = self.write("reward.py", "def reward_function(params):\n"
                                       "  half = 0.5 * params['track_width']\n"
                                       "  near = 1 - params['distance_from_center'] / half\n"
                                       "  return max(near, 1e-3) * params['speed']\n")
        result = self.run_well("train", "--reward", path, "--run", "run", "--steps", "200000")
        self.assertIn("3 of 3 laps clean", result.stdout)
        self.assertEqual((self.folder / "run/reward_function.py").read_text(), path.read_text())

    def test_lost_beams_that_say_something_far(self):
        arguments = ["train", "--preset", "lidar", "--method", "ppo", *SMALL_RUN,
                     "--set", "sim.sensors.lidar.dropout_frac=0.1"]
        advice = "sim.sensors.lidar.max_range_m=4"
        self.assertIn(advice, self.run_well(*arguments, "--run", "far").stderr)
        self.assertNotIn("warning", self.run_well(*arguments, "--set", advice).stderr)


class Exactness(ProgramTest):
    def train(self, run, *arguments):
        self.run_well("train", "--run", run, *SMALL_RUN, *arguments)
        return (self.folder / run / "last.policy").read_bytes()

    def test_threads_do_not_matter(self):
        one = self.train("one", "--threads", "1")
        self.assertEqual(self.train("two", "--threads", "2"), one)
        self.assertEqual(self.train("three", "--threads", "3"), one)
        self.assertNotEqual(self.train("seed", "--seed", "2"), one)

    def test_kill_at_random_moments(self):
        whole = self.train("whole")
        randomness = random.Random(7)
        num_kills = 0
        while num_kills < 20:
            run = f"killed-{num_kills}"
            process = self.start("train", "--run", run, *SMALL_RUN)
            for _ in range(3):
                time.sleep(randomness.uniform(0.2, 1.0))
                if process.poll() is not None:
                    break
                kill(process)
                num_kills += 1
                if not (self.folder / run / "options.textproto").exists():
                    break
                process = self.start("train", "--continue", run)
            process.communicate(timeout=240)
            if not (self.folder / run / "options.textproto").exists():
                continue
            if process.returncode != 0:
                self.run_well("train", "--continue", run)
            self.assertEqual((self.folder / run / "last.policy").read_bytes(), whole, run)

    def test_ctrl_c_saves_and_goes_on(self):
        whole = self.train("whole")
        process = self.start("train", "--run", "run", *SMALL_RUN)
        while not (self.folder / "run" / "metrics.csv").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, output + errors)
        self.assertIn("everything is saved", output)
        self.run_well("train", "--continue", "run")
        self.assertEqual((self.folder / "run/last.policy").read_bytes(), whole)

    def test_a_larger_budget_goes_on(self):
        self.train("run")
        result = self.run_well("train", "--continue", "run", "--steps", "32768")
        self.assertIn("All 32,768 steps are done", result.stdout)
        rows = (self.folder / "run/metrics.csv").read_text().splitlines()
        self.assertEqual([int(row.split(",")[0]) for row in rows[1:]],
                         list(range(1024, 32769, 1024)))
        self.assertIn("total_env_steps: 32768", (self.folder / "run/options.textproto").read_text())
        refused = self.run_program("train", "--continue", "run", "--set", "ppo.horizon=3")
        self.assertEqual(refused.returncode, 42)

    def test_more_steps_are_not_held_by_an_earlier_time(self):
        self.train("run", "--time", "100", "--until", "completion>=0 for 2 evals")
        self.assertIn("max_time_s: 100", (self.folder / "run/options.textproto").read_text())
        result = self.run_well("train", "--continue", "run", "--steps", "32768")
        self.assertIn("All 32,768 steps are done", result.stdout)
        before = (self.folder / "run/options.textproto").read_text()
        refused = self.run_program("train", "--continue", "run", "--steps", "1000")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("--steps 1000: the run has learned from 32768 steps already", refused.stderr)
        self.assertEqual((self.folder / "run/options.textproto").read_text(), before)

    def test_cars_that_share_a_road_are_evaluated_alone(self):
        result = self.run_well("train", "--run", "run", *SMALL_RUN, "--set", "sim.cars_per_world=2")
        self.assertIn("of 3 laps clean", result.stdout)

    def test_a_run_without_its_checkpoints_is_left_alone(self):
        self.train("run")
        shutil.rmtree(self.folder / "run/checkpoints")
        policy = (self.folder / "run/best.policy").read_bytes()
        refused = self.run_program("train", "--continue", "run")
        self.assertEqual(refused.returncode, 42)
        self.assertIn("its folder checkpoints is gone", refused.stderr)
        self.assertEqual((self.folder / "run/best.policy").read_bytes(), policy)

    def test_one_writer(self):
        process = self.start("train", "--run", "run", "--steps", "50000000",
                             "--set", "run.patience_evaluations=0")
        while not (self.folder / "run" / "metrics.csv").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        second = self.run_program("train", "--continue", "run")
        kill(process)
        self.assertEqual(second.returncode, 42)
        self.assertIn(str(process.pid), second.stderr)


class Goals(ProgramTest):
    def test_until(self):
        result = self.run_well("train", "--run", "run", "--until", "clean>=100 for 2 evals")
        self.assertIn("The goal is reached.", result.stdout)
        rows = (self.folder / "run/evaluations.csv").read_text().splitlines()
        column = rows[0].split(",").index("clean_laps")
        clean = [float(row.split(",")[column]) == 3 for row in rows[1:]]
        self.assertEqual(clean[-2:], [True, True])
        self.assertFalse(any(a and b for a, b in zip(clean[:-2], clean[1:-1])))
        result = self.run_well("train", "--continue", "run", "--until", "lap_time<=100 for 4")
        self.assertIn("The goal is reached.", result.stdout)

    def test_bad_goal(self):
        result = self.run_program("train", "--until", "laptime<=4")
        self.assertEqual(result.returncode, 42)
        self.assertIn("run.until: 'laptime': expected completion, clean or lap_time "
                      "(did you mean 'lap_time'?)", result.stderr)

    def test_presets(self):
        shown = self.run_well("train", "--preset", "lidar", "--show-options").stdout
        self.assertIn('kinds: ["lidar", "wheel_speed"]', shown)
        # what is typed beside a preset wins
        shown = self.run_well("train", "--preset", "lidar", "--show-options", "--set",
                              "sim.sensors.kinds=[lidar]").stdout
        self.assertIn('kinds: ["lidar"]', shown)
        for name in ["quick", "lidar", "camera", "deepracer"]:
            self.run_well("train", "--preset", name, "--show-options")
        result = self.run_program("train", "--preset", "lider")
        self.assertEqual(result.returncode, 42)
        self.assertIn("there is no preset 'lider' (did you mean 'lidar'?)", result.stderr)


class Devices(ProgramTest):
    def test_a_gpu_that_is_not_there_is_one_line_everywhere(self):
        messages = set()
        train = ["train", "--device", "cuda", "--run", "run", "--steps", "110000"]
        bench = ["--device", "cuda", "--scene", "camera64", "--envs", "64", "--env-steps", "64"]
        for command in [train, [*train, "--preset", "camera", "--until", "completion>=0"],
                        [*train, "--preset", "camera", "--method", "ppo"],
                        ["bench", "sim", *bench], ["bench", "train", *bench]]:
            result = self.run_program(*command)
            if result.returncode == 0:
                return
            self.assertEqual(result.returncode, 42, command)
            self.assertFalse((self.folder / "run").exists())
            messages.add(result.stderr)
        self.assertEqual(len(messages), 1, messages)
        message = messages.pop()
        self.assertIn("net.device cuda: ", message)
        self.assertEqual(len(message.splitlines()), 1)

    def test_the_twin_of_the_gpu_draws_the_same_images(self):
        hashes = set()
        for device in ["cpu", "cuda_twin"]:
            lines = self.run_well("bench", "sim", "--device", device, "--scene", "camera64",
                                  "--threads", "1", "--envs", "8", "--env-steps", "400", "--csv")
            hashes.add(lines.stdout.splitlines()[-1].split(",")[-1])
        self.assertEqual(len(hashes), 1)

    def test_the_twin_of_the_gpu_learns_and_goes_on(self):
        self.run_well("train", "--preset", "camera", "--method", "ppo", "--run", "run", "--steps",
                      "256", "--set", "net.device=cuda_twin", "--set", "sim.num_envs=16",
                      "--set", "ppo.horizon=8", "--set", "run.evaluation_laps=1")
        self.run_well("train", "--continue", "run", "--steps", "384")


class Display(ProgramTest):
    def test_plain_lines_in_a_pipe(self):
        result = self.run_well("train", "--run", "run", *SMALL_RUN)
        self.assertNotIn("\r", result.stdout)
        self.assertNotIn("\033", result.stdout)

    def test_live_line_on_a_terminal(self):
        self.assertIn("\r\033[K[", self.output_on_a_terminal(100))

    def test_live_line_on_a_narrow_terminal(self):
        for num_columns in [80, 40, 20]:
            lines = re.findall(r"\r\033\[K(\[[^\r]*)", self.output_on_a_terminal(num_columns))
            self.assertGreater(len(lines), 0)
            for line in lines:
                self.assertLess(len(line), num_columns)
            if num_columns == 80:
                self.assertIn(" left", lines[-1])
                self.assertIn("steps/s", lines[-1])

    def output_on_a_terminal(self, num_columns):
        terminal, program_side = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, num_columns, 0, 0))
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        process = self.start("train", "--run", "run", *SMALL_RUN, stdout=program_side)
        os.close(program_side)
        output = b""
        while True:
            try:
                block = os.read(terminal, 4096)
            except OSError:
                break
            if not block:
                break
            output += block
        process.communicate(timeout=60)
        os.close(terminal)
        self.assertEqual(process.returncode, 0)
        return output.decode()


if __name__ == "__main__":
    unittest.main()
