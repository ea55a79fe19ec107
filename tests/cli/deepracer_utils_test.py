"""Tests that the unmodified PyPI package deepracer-utils reads what a run leaves."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

from deepracer_test import DeepRacerTest
from program import skip

PACKAGE = "deepracer-utils==1.5.6"
# kept between runs of the tests
VENV = pathlib.Path(os.environ.get("LAPFORGE_TEST_VENVS", "venvs")).absolute() / PACKAGE

# What the library makes of a tree, as JSON.
READ_TREE = """
import json, sys
from deepracer.logs import AnalysisUtils, DeepRacerLog
log = DeepRacerLog(sys.argv[1])
log.load()
training = log.dataframe()
columns = sorted(training.columns)
laps = AnalysisUtils.simulation_agg(training, secondgroup="unique_episode", add_tstamp=True,
                                    add_perf=True)
log.load_evaluation_trace(force=True)
evaluation = log.dataframe()
evaluated = AnalysisUtils.simulation_agg(evaluation, firstgroup="stream", is_eval=True)
print("RESULT " + json.dumps({
    "columns": columns,
    "on_track": str(training.on_track.dtype),
    "laps": json.loads(laps.to_json(orient="records")),
    "evaluated": json.loads(evaluated.to_json(orient="records")),
    "workers": sorted(set(int(worker) for worker in training.worker)),
    "action_space": log.action_space(),
    "agent": log.agent_and_network(),
    "hyperparameters": log.hyperparameters(),
}))
"""
READ_METRICS = """
import json, sys
from deepracer.logs import TrainingMetrics
metrics = TrainingMetrics(None, fname=sys.argv[1])
for worker, path in enumerate(sys.argv[2:], 1):
    metrics.addRound(None, fname=path, training_round=1, worker=worker)
summary = metrics.getSummary(method="mean", summary_index=["r-i"])
print("RESULT " + json.dumps(json.loads(summary.reset_index().to_json(orient="records"))))
"""


def install():
    """The package in a virtual environment of its own."""
    python = VENV / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True, capture_output=True)
    if subprocess.run([python, "-c", "import deepracer.logs"], capture_output=True).returncode:
        installed = subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGE],
                                   capture_output=True, text=True)
        if installed.returncode != 0:
            skip(f"{PACKAGE} cannot be installed here: {installed.stderr.strip()[-200:]}")
    return python


class Library(DeepRacerTest):
    def setUp(self):
        self.python = install()
        super().setUp()

    def read(self, script, *arguments):
        environment = {**os.environ, "MPLBACKEND": "Agg", "AWS_DEFAULT_REGION": "us-east-1"}
        result = subprocess.run([self.python, "-c", script, *map(str, arguments)], text=True,
                                capture_output=True, env=environment, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        line = next(line for line in result.stdout.splitlines() if line.startswith("RESULT "))
        return json.loads(line.removeprefix("RESULT "))

    def check_tree(self, num_workers):
        tree = self.folder / "run/deepracer"
        found = self.read(READ_TREE, tree)
        self.assertEqual(found["workers"], list(range(num_workers)))
        self.assertEqual(len(found["columns"]), 21)
        self.assertEqual(found["on_track"], "bool")
        self.assertEqual(found["hyperparameters"]["num_episodes_between_training"], 8)
        self.assertEqual(len(found["action_space"]), 15)
        self.assertEqual(found["agent"]["sensor_list"], ["FRONT_FACING_CAMERA"])

        # each episode once, with the times and completions of our own metrics
        own = []
        for worker in range(num_workers):
            name = f"TrainingMetrics{f'_{worker}' if worker else ''}.json"
            entries = json.loads((tree / "metrics" / name).read_text())["metrics"]
            own += [entry for entry in entries if entry["phase"] == "training"]
        key = "elapsed_time_in_milliseconds"
        self.assertEqual(sorted(round(1000 * lap["time"]) for lap in found["laps"]),
                         sorted(entry[key] for entry in own))
        self.assertEqual(sum(lap["complete"] for lap in found["laps"]),
                         sum(entry["episode_status"] == "Lap complete" for entry in own))
        self.assertEqual(len({lap["unique_episode"] for lap in found["laps"]}), len(own))

        # evaluation laps
        report = json.loads(self.run_well("eval", "run", "--json").stdout)
        clean = sum(lap["clean"] for lap in report["laps"])
        self.assertEqual(sum(lap["complete"] for lap in found["evaluated"]), clean)
        return tree, own

    def test_one_worker(self):
        self.train(steps="100000")
        tree, own = self.check_tree(1)
        summary = self.read(READ_METRICS, tree / "metrics/TrainingMetrics.json")
        self.assertEqual(len(summary), len(own) // 8)
        for number, row in enumerate(summary):
            of_iteration = own[8 * number:8 * number + 8]
            mean = sum(entry["reward_score"] for entry in of_iteration) / 8
            self.assertAlmostEqual(row["train_reward"], mean)

    def test_two_workers(self):
        self.train("--set", "run.deepracer_workers=2", steps="100000")
        self.check_tree(2)

    def test_the_log(self):
        """Lines of stdout, where the old console kept them."""
        output = self.train("--sim-trace").stdout
        logs = self.folder / "run/deepracer/logs/training"
        logs.mkdir(parents=True)
        (logs / "training-20260101000000-abc-robomaker.log").write_text(output)
        (self.folder / "run/deepracer/sim-trace/training").mkdir(parents=True)
        (self.folder / "run/deepracer/training-simtrace").rename(
            self.folder / "run/deepracer/sim-trace/training/training-simtrace")
        script = ("import json, sys\nfrom deepracer.logs import DeepRacerLog\n"
                  "log = DeepRacerLog(sys.argv[1])\nlog.load()\nsteps = log.dataframe()\n"
                  "print('RESULT ' + json.dumps([len(steps), int(steps.episode.max())]))")
        num_steps, _ = self.read(script, self.folder / "run/deepracer")
        self.assertEqual(num_steps, output.count("SIM_TRACE_LOG:"))


if __name__ == "__main__":
    unittest.main()
