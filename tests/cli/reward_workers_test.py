"""Tests training with the reward in worker processes: same bits, and no process is left behind."""

import os
import signal
import time
import unittest

from program import SMALL_RUN, ProgramTest, kill

STATEFUL = """
calls = 0
def reward_function(params):
    global calls
    calls += 1
    return params['speed'] * 0.1 + calls % 3
"""


def processes_of(parent):
    """Numbers of all processes that `parent` began and that are not over."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                state, its_parent = stat.read().rpartition(") ")[2].split()[:2]
        except OSError:
            continue
        if int(its_parent) == parent and state != "Z":
            found.append(int(name))
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


class Workers(ProgramTest):
    def test_same_policy_with_any_number(self):
        path = self.write("reward.py", STATEFUL)
        policies = set()
        for workers in (0, 1, 2):
            run = f"run{workers}"
            self.run_well("train", "--reward", path, "--run", run, *SMALL_RUN,
                          "--set", f"reward.workers={workers}")
            policies.add((self.folder / run / "last.policy").read_bytes())
        self.assertEqual(len(policies), 1)

    def test_hanging_calls_end_their_episodes(self):
        path = self.write("reward.py", "import time\ncalls = 0\n"
                                       "def reward_function(params):\n"
                                       "    global calls; calls += 1\n"
                                       "    if calls == 900: time.sleep(1000)\n"
                                       "    return 1.0\n")
        result = self.run_program("train", "--reward", path, "--run", "run", *SMALL_RUN,
                                  "--set", "reward.workers=1", "--set", "reward.timeout_s=0.2",
                                  "--reward-max-errors", "3")
        # one car of the first process fails; all cars of the next come to their 900th call later
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("reward.py:5: a call took more than 0.2 s", result.stderr)
        self.assertIn("Episodes that the reward function ended by failing:", result.stdout)

    def test_time_outs_are_told_at_once(self):
        path = self.write("reward.py", "import time\ndef reward_function(params):\n"
                                       "    time.sleep(1000)\n")
        process = self.start("train", "--reward", path, "--set", "reward.workers=1",
                             "--set", "reward.timeout_s=1", "--run", "run",
                             "--reward-max-errors", "5")
        line = process.stderr.readline()
        self.assertIn("reward.py:3: a call took more than 1 s", line)
        self.assertIsNone(process.poll())  # others of the same step are still waited for
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(errors.count("a call took more than"), 1, errors)

    def test_copies_that_the_file_makes_do_not_answer(self):
        path = self.write("reward.py", "import os\nos.fork()\n"
                                       "def reward_function(params):\n    return 1.0\n")
        for i in range(3):
            self.run_well("train", "--reward", path, "--run", f"run{i}", *SMALL_RUN,
                          "--set", "reward.workers=2")

    def test_loading_is_limited(self):
        path = self.write("reward.py", "import time\ntime.sleep(1000)\n")
        self.assert_refused("train", "--reward", path, "--set", "reward.workers=1",
                            "--set", "reward.load_timeout_s=5",
                            expect="reward.py:2: loading took more than 5 s (reward.load_timeout_s)")

    def start_long_run(self, source=STATEFUL):
        path = self.write("reward.py", source)
        process = self.start("train", "--reward", path, "--run", "run", "--steps", "50000000",
                             "--set", "run.patience_evaluations=0",
                             "--set", "reward.workers=2", "--set", "reward.timeout_s=1000")
        deadline = time.monotonic() + 60
        while len(processes_of(process.pid)) < 2 or not (self.folder / "run").exists():
            self.assertIsNone(process.poll(), process.stderr)
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        time.sleep(0.5)
        return process, processes_of(process.pid)

    def assert_gone(self, pids):
        deadline = time.monotonic() + 20
        while any(map(is_alive, pids)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_ctrl_c(self):
        process, workers = self.start_long_run()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, output + errors)
        self.assert_gone(workers)

    def test_ctrl_c_in_a_call_without_end(self):
        process, workers = self.start_long_run(
            "def reward_function(params):\n    while True: pass\n")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, output + errors)
        self.assertIn("reward.py:2: still running when a stop was asked for", errors)
        self.assert_gone(workers)

    def test_killed_program(self):
        for source in (STATEFUL, "def reward_function(params):\n    while True: pass\n"):
            process, workers = self.start_long_run(source)
            kill(process)
            self.assert_gone(workers)
            for path in sorted((self.folder / "run").rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            (self.folder / "run").rmdir()

    def test_threads_left_behind(self):
        path = self.write("reward.py", "import threading, time\n"
                                       "threading.Thread(target=lambda: time.sleep(1000)).start()\n"
                                       "def loop():\n    while True: pass\n"
                                       "threading.Thread(target=loop).start()\n"
                                       "def reward_function(params):\n    return 1.0\n")
        for workers in ("0", "1"):
            self.run_well("train", "--reward", path, "--run", f"run{workers}", "--steps", "256",
                          "--set", "sim.num_envs=2", "--set", "ppo.horizon=16",
                          "--set", "run.evaluation_laps=1",
                          "--set", f"reward.workers={workers}", timeout=120)


if __name__ == "__main__":
    unittest.main()
