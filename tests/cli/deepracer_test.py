"""Tests of DeepRacer's files as input and output of the program."""

import csv
import json
import re
import signal
import time
import unittest

from program import ProgramTest

ACTIONS = [{"steering_angle": angle, "speed": speed, "index": 3 * row + column}
           for row, angle in enumerate([-30, -15, 0, 15, 30])
           for column, speed in enumerate([1, 2, 3])]
METADATA = {"action_space": ACTIONS, "sensor": ["FRONT_FACING_CAMERA"], "version": "5",
            "neural_network": "DEEP_CONVOLUTIONAL_NETWORK_SHALLOW",
            "training_algorithm": "clipped_ppo", "action_space_type": "discrete"}
HYPERPARAMETERS = {"batch_size": 128, "num_epochs": 5, "lr": 0.001, "beta_entropy": 0.001,
                   "discount_factor": 0.95, "loss_type": "huber", "stack_size": 1,
                   "num_episodes_between_training": 8, "e_greedy_value": 0.05}
REWARD = """def reward_function(params):
    half = 0.5 * params['track_width']
    return max(1 - params['distance_from_center'] / half, 1e-3) * params['speed']
"""
# the camera has tests of its own; actions, rewards and files do not depend on it
STATE = ["--set", 'sim.sensors.kinds=["track_state"]']


class DeepRacerTest(ProgramTest):
    def write_inputs(self, metadata=METADATA, hyperparameters=HYPERPARAMETERS):
        self.write("model_metadata.json", json.dumps(metadata))
        self.write("hyperparameters.json", json.dumps(hyperparameters))
        self.write("reward_function.py", REWARD)
        return ["--metadata", "model_metadata.json", "--hyperparameters", "hyperparameters.json",
                "--reward", "reward_function.py"]

    def train(self, *arguments, run="run", steps="60000"):
        return self.run_well("train", *self.write_inputs(), *STATE, "--run", run, "--steps", steps,
                             *arguments)


class Inputs(DeepRacerTest):
    def options(self, *arguments):
        return self.run_well("train", *self.write_inputs(), *arguments, "--show-options")

    def test_files_become_options(self):
        result = self.options(*STATE)
        for text in ["kind: discrete", 'car: "rc_1_18_kinematic"', "facts: deepracer",
                     "minibatch_size: 128", "learning_rate: 0.001", "schedule: constant",
                     "entropy_coef: 0.001", "value_loss: huber", "deepracer_workers: 1",
                     "horizon: 19", "max_laps: 1"]:
            self.assertIn(f"{text}\n", result.stdout)
        self.assertIn("hyperparameters.json: e_greedy_value is ignored", result.stderr)

    def test_other_arguments_are_stronger(self):
        self.write("o.textproto", "ppo { learning_rate: 5e-4 num_epochs: 3 }")
        result = self.options(*STATE, "--options", "o.textproto", "--set", "ppo.num_epochs=2")
        for text in ["learning_rate: 0.0005", "num_epochs: 2", "minibatch_size: 128"]:
            self.assertIn(f"{text}\n", result.stdout)

    def test_the_table_says_what_became_of_each_key(self):
        result = self.train("--set", "ppo.num_epochs=2", steps="5000")
        table = result.stdout[:result.stdout.index("Track ")]
        self.assertNotIn("e_greedy_value", table)  # the warning has said it
        self.assertIn("e_greedy_value is ignored", result.stderr)
        self.assertIn("From your files:", table)
        for pattern in [r"action_space +\[.* sim.actions: 15 discrete actions, steering -30 .. 30",
                        r"lr +0.001 +ppo.learning_rate 0.001, ppo.schedule constant\n",
                        r"num_epochs +5 +ppo.num_epochs 5 \(changed by other arguments\)\n",
                        r"sensor .* \(changed by other arguments\)\n",
                        r"num_episodes_between_training +8 +ppo.horizon 19: 64 cars x 19 = 1216"]:
            self.assertRegex(table, pattern)

    def test_a_run_keeps_the_files(self):
        self.train(steps="5000")
        for name in ["model_metadata.json", "hyperparameters.json", "reward_function.py"]:
            given = (self.folder / name).read_bytes()
            for copy in [f"run/{name}", *self.folder.glob(f"run/deepracer/**/{name}")]:
                self.assertEqual((self.folder / copy).read_bytes(), given)
        refused = self.run_program("train", "--continue", "run", "--metadata", "model_metadata.json")
        self.assertEqual(refused.returncode, 42)
        self.assertIn("--continue takes the run's own options", refused.stderr)

    def test_broken_files(self):
        arguments = self.write_inputs()
        self.write("model_metadata.json", '{\n  "action_space": [\n}')
        self.assert_refused("train", *arguments, expect="model_metadata.json:3: not JSON")
        self.write_inputs(metadata={**METADATA, "training_algorithm": "sac"})
        self.assert_refused("train", *arguments,
                            expect="model_metadata.json: training_algorithm 'sac' is not there yet")
        self.assert_refused("train", "--metadata", "absent.json", expect="absent.json")
        self.assert_refused("train", "--hyperparameters", self.folder, expect="folder")


class Outputs(DeepRacerTest):
    def rows(self, path):
        with open(self.folder / path, newline="") as file:
            return list(csv.DictReader(file))

    def check_episodes(self, rows, num_episodes, first_episode=0):
        """What tools rely on, spec/pieces.md 2.2."""
        self.assertEqual(len(rows[0]), 19)
        episodes = {}
        for row in rows:
            episodes.setdefault(int(row["episode"]), []).append(row)
        self.assertEqual(list(episodes), list(range(first_episode, first_episode + num_episodes)))
        for steps in episodes.values():
            self.assertEqual(steps[0]["episode_status"], "prepare")
            self.assertEqual([float(step["steps"]) for step in steps],
                             list(range(1, len(steps) + 1)))
            self.assertTrue(all(step["episode_status"] == "in_progress" for step in steps[1:-1]))
            self.assertEqual([step["done"] for step in steps],
                             ["False"] * (len(steps) - 1) + ["True"])
            if steps[-1]["episode_status"] == "lap_complete":
                self.assertEqual(steps[-1]["progress"], "100.0")
            for step in steps[1:]:
                action = ACTIONS[int(step["action"])]
                self.assertEqual(float(step["steer"]), action["steering_angle"])
                self.assertEqual(float(step["throttle"]), action["speed"])
        return episodes

    def test_the_tree_of_one_worker(self):
        self.train()
        tree = self.folder / "run/deepracer"
        num_iterations = len(list(tree.glob("training-simtrace/*.csv")))
        self.assertGreater(num_iterations, 0)
        metrics = json.loads((tree / "metrics/TrainingMetrics.json").read_text())
        self.assertEqual((metrics["version"], metrics["best_model_metric"]), (2.0, "progress"))
        training = [entry for entry in metrics["metrics"] if entry["phase"] == "training"]
        self.assertEqual([entry["episode"] for entry in training],
                         list(range(1, 8 * num_iterations + 1)))
        for number in range(num_iterations):
            rows = self.rows(tree / f"training-simtrace/{number}-iteration.csv")
            for episode, steps in self.check_episodes(rows, 8, 8 * number).items():
                entry = training[episode]
                reward = sum(float(step["reward"]) for step in steps)
                self.assertLessEqual(abs(entry["reward_score"] - reward), 0.5001)
                seconds = float(steps[-1]["tstamp"]) - float(steps[0]["tstamp"])
                self.assertAlmostEqual(entry["elapsed_time_in_milliseconds"], 1000 * seconds, -1)
                status = entry["episode_status"].lower().replace(" ", "_")
                self.assertEqual(status, steps[-1]["episode_status"])
        checkpoints = json.loads((tree / "model/deepracer_checkpoints.json").read_text())
        for name in ["best_checkpoint", "last_checkpoint"]:
            self.assertRegex(checkpoints[name]["name"], r"^\d+_Step-\d+\.ckpt$")
        self.assertIn('WORLD_NAME: "esses"\n', (tree / "training_params.yaml").read_text())

    def test_evaluations(self):
        self.train()
        for count in [1, 2]:
            folders = sorted(self.folder.glob("run/deepracer/evaluation-*"))
            self.assertEqual(len(folders), count)
            report = json.loads(self.run_well("eval", "run", "--json").stdout)
        self.assertRegex(folders[0].name, r"^evaluation-\d{14}$")
        episodes = self.check_episodes(
            self.rows(folders[0] / "evaluation-simtrace/0-iteration.csv"), 3)
        metrics = json.loads(
            (self.folder / f"run/deepracer/metrics/evaluation/{folders[0].name}.json").read_text())
        for lap, entry, steps in zip(report["laps"], metrics["metrics"], episodes.values()):
            self.assertEqual(entry["episode_status"] == "Lap complete", lap["clean"])
            seconds = float(steps[-1]["tstamp"]) - float(steps[0]["tstamp"])
            if lap["clean"]:  # a lap's time ends at the line, the trace with the step
                self.assertLess(0, seconds - 1e-6 * lap["lap_time_us"] + 1e-9)
                self.assertLess(seconds - 1e-6 * lap["lap_time_us"], 1 / 15 + 1e-9)

    def test_evaluations_on_roads_of_other_widths(self):
        self.train("--set", "sim.randomize.track_width_frac=0.2")
        self.run_well("eval", "run", "--randomise", "--laps", 8)
        folder = sorted(self.folder.glob("run/deepracer/evaluation-*"))[-1]
        self.check_episodes(self.rows(folder / "evaluation-simtrace/0-iteration.csv"), 8)

    def test_two_workers_have_a_folder_each(self):
        self.train("--set", "run.deepracer_workers=2")
        tree = self.folder / "run/deepracer"
        self.assertFalse((tree / "training-simtrace").exists())
        for worker, name in [("0", "TrainingMetrics.json"), ("1", "TrainingMetrics_1.json")]:
            self.check_episodes(self.rows(tree / worker / "training-simtrace/0-iteration.csv"), 4)
            self.assertTrue((tree / "metrics" / name).exists())

    def test_writing_changes_no_bits(self):
        self.train()
        self.train("--set", "run.deepracer_workers=0", run="without")
        self.assertFalse((self.folder / "without/deepracer").exists())
        self.assertEqual((self.folder / "run/last.policy").read_bytes(),
                         (self.folder / "without/last.policy").read_bytes())

    def test_a_run_that_goes_on_goes_on_with_its_tree(self):
        self.train("--set", "run.deepracer_episodes=2", steps="40000")
        tree = self.folder / "run/deepracer"
        before = (tree / "training-simtrace/0-iteration.csv").read_bytes()
        self.run_well("train", "--continue", "run", "--steps", "90000")
        self.assertEqual((tree / "training-simtrace/0-iteration.csv").read_bytes(), before)
        files = sorted(tree.glob("training-simtrace/*.csv"), key=lambda path: int(path.name.split("-")[0]))
        self.assertGreater(len(files), 1)
        for number, path in enumerate(files):
            self.check_episodes(self.rows(path), 2, 2 * number)
        metrics = json.loads((tree / "metrics/TrainingMetrics.json").read_text())["metrics"]
        training = [entry["episode"] for entry in metrics if entry["phase"] == "training"]
        self.assertEqual(training, list(range(1, 2 * len(files) + 1)))

    def test_a_short_run_leaves_its_whole_episodes(self):
        self.train("--set", "run.deepracer_episodes=1000", steps="40000")
        files = list(self.folder.glob("run/deepracer/training-simtrace/*"))
        self.assertEqual([path.name for path in files], ["0-iteration.csv"])
        self.check_episodes(rows := self.rows(files[0]), int(rows[-1]["episode"]) + 1)

    def test_continuous_actions(self):
        ranges = {"steering_angle": {"low": -30, "high": 30}, "speed": {"low": 1, "high": 3}}
        self.write_inputs(metadata={**METADATA, "action_space": ranges,
                                    "action_space_type": "continuous"})
        self.run_well("train", "--metadata", "model_metadata.json", *STATE, "--run", "run",
                      "--steps", "40000", "--set", "run.deepracer_episodes=2")
        rows = self.rows("run/deepracer/training-simtrace/0-iteration.csv")
        for row in rows[1:]:
            self.assertRegex(row["action"], r"^\[-?[\d.e-]+ -?[\d.e-]+\]$")

    def test_steps_as_deepracers_log_prints_them(self):
        result = self.train("--sim-trace")
        for text in [" * /WORLD_NAME: esses\n", "Using the following hyper-parameters\n{\n",
                     "Loaded action space from file: [{'steering_angle':",
                     "Sensor list ['TRACK_STATE'], network DEEP_CONVOLUTIONAL_NETWORK_SHALLOW, "
                     "simapp_version 5.0\n"]:
            self.assertIn(text, result.stdout)
        lines = [line for line in result.stdout.splitlines() if line.startswith("SIM_TRACE_LOG:")]
        pattern = re.compile(
            r"SIM_TRACE_LOG:\d+,\d+,-?\d+\.\d{4},-?\d+\.\d{4},-?\d+\.\d{4},-?\d+\.\d\d,\d\.\d\d,\d+,"
            r"-?\d+\.\d{4},(True|False),(True|False),-?\d+\.\d{4},\d+,\d+\.\d\d,[\d.e-]+,[a-z_]+,"
            r"0\.00,0,\d+\.\d{4}")
        self.assertGreater(len(lines), 100)
        for line in lines:
            self.assertRegex(line, pattern)
        laps = self.run_well("eval", "run", "--sim-trace").stdout
        self.assertEqual(laps.count(",prepare,"), 3)


class Killed(DeepRacerTest):
    """A run that is killed and goes on leaves the tree of one that never was."""

    def tree(self, run):
        """The files of training without what a clock wrote."""
        root = self.folder / run / "deepracer"
        files = {}
        for path in sorted(root.rglob("*")):
            name = str(path.relative_to(root))
            if path.is_dir() or "evaluation" in name:
                continue
            text = path.read_text()
            if name.endswith(".csv"):
                text = "\n".join(line.rpartition(",")[0] for line in text.splitlines())
            if name.endswith(".json"):
                text = re.sub(r'"(time_stamp|metric_time|start_time)": ?[\d.e+]+', "", text)
            files[name] = text
        return files

    def stop_at(self, run, num_rows, stop, begin):
        process = self.start("train", "--threads", "1", *begin)
        log = self.folder / run / "metrics.csv"
        while process.poll() is None:
            if log.exists() and log.read_text().count("\n") > num_rows:
                break
            time.sleep(0.002)
        process.send_signal(stop)
        process.communicate()

    def check_stopped_by(self, stop, *arguments):
        begin = [*self.write_inputs(), *STATE, *arguments, "--steps", "60000", "--set",
                 "run.checkpoint_every_iterations=3"]
        self.run_well("train", *begin, "--run", "whole")
        for num_rows in [2, 9, 17, 30, 41]:
            is_begun = (self.folder / "parts").exists()
            self.stop_at("parts", num_rows, stop,
                         ["--continue", "parts"] if is_begun else [*begin, "--run", "parts"])
        self.run_well("train", "--continue", "parts")
        whole, parts = self.tree("whole"), self.tree("parts")
        self.assertIn('"episode":2,', "".join(whole.values()))
        self.assertEqual(list(parts), list(whole))
        for name, text in whole.items():
            self.assertEqual(parts[name], text, name)

    def test_by_kill(self):
        self.check_stopped_by(signal.SIGKILL, "--set", "run.deepracer_episodes=3")

    def test_by_kill_with_two_workers(self):
        self.check_stopped_by(signal.SIGKILL, "--set", "run.deepracer_workers=2", "--set",
                              "run.deepracer_episodes=4")

    def test_by_an_interrupt(self):
        self.check_stopped_by(signal.SIGINT, "--set", "run.deepracer_episodes=3")

    def test_another_number_of_workers_begins_anew(self):
        self.train("--set", "run.deepracer_episodes=2", steps="40000")
        result = self.run_well("train", "--continue", "run", "--steps", "80000", "--set",
                               "run.deepracer_workers=2")
        self.assertIn("deepracer/ begins anew: run.deepracer_workers", result.stderr)
        tree = self.folder / "run/deepracer"
        self.assertFalse((tree / "training-simtrace").exists())
        self.assertTrue((tree / "1/training-simtrace/0-iteration.csv").exists())

    def test_files_that_are_gone(self):
        self.train("--set", "run.deepracer_episodes=2", steps="40000")
        metrics = self.folder / "run/deepracer/metrics/TrainingMetrics.json"
        metrics.write_text(metrics.read_text()[:40])
        result = self.run_well("train", "--continue", "run", "--steps", "80000")
        self.assertIn("has lost what was in it", result.stderr)
        entries = json.loads(metrics.read_text())["metrics"]
        training = [entry["episode"] for entry in entries if entry["phase"] == "training"]
        self.assertEqual(training, list(range(1, len(training) + 1)))


if __name__ == "__main__":
    unittest.main()
