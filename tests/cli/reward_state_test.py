"""Tests that what a reward does to the process it runs in takes nothing from its user: Ctrl-C stops
and saves, messages come out, paths mean what was typed, and an end is told as what it was."""

import os
import signal
import time
import unittest

from program import SMALL_RUN, ProgramTest
from reward_workers_test import processes_of

GOOD = "def reward_function(params):\n    return params['speed']\n"
IGNORES = "import signal\nfor number in (1, 2, 15):\n    signal.signal(number, signal.SIG_IGN)\n"


class Signals(ProgramTest):
    def stop(self, source, number=signal.SIGINT, workers=0):
        """The output of a run that one signal stops, with everything saved."""
        self.write("reward.py", source)
        process = self.start("train", "--reward", "reward.py", "--run", "run",
                             "--set", f"reward.workers={workers}", "--steps", "50000000",
                             "--set", "run.patience_evaluations=0")
        deadline = time.monotonic() + 60
        while not (self.folder / "run").exists():
            self.assertIsNone(process.poll(), process.stderr)
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(number)
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130 if number == signal.SIGINT else 75, errors)
        self.assertTrue((self.folder / "run/last.policy").exists())
        self.assertIn("Stopped on request; everything is saved.", output)
        return errors

    def go_on(self):
        self.run_well("train", "--continue", "run", "--time", "3")

    def test_ignored_while_loading(self):
        self.stop(IGNORES + GOOD)
        self.go_on()

    def test_other_signals(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.stop(IGNORES + GOOD, number)
                os.rename(self.folder / "run", self.folder / f"run{number}")

    def test_ignored_in_each_call(self):
        self.stop(IGNORES + "def reward_function(params):\n    signal.signal(2, signal.SIG_IGN)\n"
                            "    return params['speed']\n")

    def test_ignored_past_python(self):
        self.stop("import ctypes\nctypes.CDLL(None).signal(2, ctypes.c_void_p(1))\n" + GOOD)

    def test_unblocked(self):
        self.stop("import signal\nsignal.pthread_sigmask(signal.SIG_SETMASK, [])\n" + GOOD)

    def test_a_call_without_an_end_and_its_mended_file(self):
        for i, (wait, workers) in enumerate([("while True: pass", 0), ("time.sleep(1000)", 0),
                                             ("os.system('sleep 1000')", 0),
                                             ("while True: pass", 1)]):
            with self.subTest(wait):
                errors = self.stop(IGNORES + "import os, time\ndef reward_function(params):\n"
                                             f"    if params['steps'] > 5:\n        {wait}\n"
                                             "    return 1.0\n", workers=workers)
                self.assertIn("reward.py:7: ", errors)
                self.assertIn("still running when a stop was asked for", errors)
                self.assertIn("go on: lapforge train --continue run --reward reward.py", errors)
                self.write("reward.py", GOOD)
                self.run_well("train", "--continue", "run", "--reward", "reward.py", "--time", "3")
                os.rename(self.folder / "run", self.folder / f"run{i}")

    def test_children_can_be_ended(self):
        self.write("reward.py", "import multiprocessing, subprocess, time\n"
                                "child = subprocess.Popen(['sleep', '1000'])\n"
                                "child.terminate()\nassert child.wait() == -15\n"
                                "copy = multiprocessing.Process(target=time.sleep, args=(1000,))\n"
                                "copy.start()\ncopy.terminate()\ncopy.join()\n"
                                "assert copy.exitcode == -15\n" + GOOD)
        self.run_well("train", "--reward", "reward.py", "--run", "run", *SMALL_RUN)

    def test_clocks_without_handlers(self):
        self.write("reward.py", "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)\n"
                                "signal.setitimer(signal.ITIMER_PROF, 0.1, 0.1)\n" + GOOD)
        self.run_well("train", "--reward", "reward.py", "--run", "run", *SMALL_RUN)

    def test_copies_made_while_loading_end(self):
        self.write("reward.py", "import os\nos.fork()\n" + GOOD)
        self.stop("import os\nos.fork()\n" + GOOD)
        self.assertEqual([pid for pid in processes_of(1) if self.is_ours(pid)], [])

    @staticmethod
    def is_ours(pid):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                return b"run.patience_evaluations=0" in file.read()
        except OSError:
            return False


class Surroundings(ProgramTest):
    def outcomes(self, source):
        """Exit codes and outputs of check, replay and train with this reward."""
        self.write("reward.py", source)
        if not (self.folder / "d.lfrec").exists():
            self.run_well("sim", "drive", "--track", "oval", "--recording", "d.lfrec")
        check = self.run_well("reward", "check", "reward.py", "--track", "oval")
        replay = self.run_well("reward", "replay", "reward.py", "d.lfrec", "--csv", "steps.csv")
        self.assertTrue((self.folder / "steps.csv").exists())
        train = self.run_well("train", "--reward", "reward.py", "--run", "run", *SMALL_RUN)
        self.assertIn("reward.py: 0 errors", check.stdout)
        self.assertIn("car 1, lap 1", replay.stdout)
        self.assertIn("Run folder: run\n", train.stdout)
        self.assertIn("Drive again: lapforge eval run", train.stdout)
        names = {path.name for path in (self.folder / "run").iterdir()}
        self.assertLessEqual({"metrics.csv", "best.policy", "last.policy", "recordings"}, names)
        self.run_well("train", "--continue", "run", "--steps", "32768")

    def test_descriptors_and_streams(self):
        self.outcomes("import os, sys\nprint('hello')\n"
                      "try:\n    os.closerange(0, 3)\n    os.dup2(os.open('/dev/null', 0), 1)\n"
                      "except OSError: pass\n"
                      "sys.stdout = sys.stderr = sys.__stdout__ = None\n" + GOOD)

    def test_messages_of_a_run_without_descriptors(self):
        self.write("reward.py", "import os\nos.closerange(0, 3)\n"
                                "def reward_function(params):\n    return params['sped']\n")
        result = self.run_program("train", "--reward", "reward.py", "--run", "run", *SMALL_RUN)
        self.assertEqual(result.returncode, 1)
        self.assertIn("Run folder: run", result.stdout)
        self.assertIn("reward.py:4: KeyError: 'sped'", result.stderr)
        for command in (["check"], ["replay"]):
            if command == ["replay"]:
                self.run_well("sim", "drive", "--track", "oval", "--recording", "d.lfrec")
            last = ["d.lfrec"] if command == ["replay"] else []
            result = self.run_program("reward", *command, "reward.py", *last)
            self.assertEqual(result.returncode, 42)
            self.assertIn("reward.py:4: KeyError: 'sped'", result.stdout + result.stderr)

    def test_the_folder(self):
        (self.folder / "else").mkdir()
        self.write("pay.txt", "3")
        self.write("else/pay.txt", "5")
        # while loading: the file's own paths go with it
        self.outcomes("import os\nassert open('pay.txt').read() == '3'\nos.chdir('else')\n"
                      "def reward_function(params):\n    assert open('pay.txt').read() == '5'\n"
                      "    return params['speed']\n")
        os.rename(self.folder / "run", self.folder / "first")
        # in a call
        self.outcomes(f"import os\ndef reward_function(params):\n    os.chdir({str(self.folder)!r})\n"
                      "    os.chdir('else')\n    return params['speed']\n")
        self.assertEqual(os.listdir(self.folder / "else"), ["pay.txt"])

    def test_everything_else(self):
        self.outcomes("import os, resource, locale, sys, gc\nos.umask(0o777)\nos.environ.clear()\n"
                      "locale.setlocale(locale.LC_ALL, 'C.UTF-8')\n"
                      "for what in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):\n"
                      "    resource.setrlimit(what, (4, 4))\n"
                      "sys.setswitchinterval(1000)\nsys.setrecursionlimit(100)\ngc.disable()\n"
                      "os.nice(1)\n" + GOOD)
        self.assertTrue(os.access(self.folder / "run/metrics.csv", os.R_OK))
        self.assertNotEqual((self.folder / "run/metrics.csv").stat().st_mode & 0o400, 0)

    def test_the_same_bits(self):
        """Small numbers that count as 0 would change the simulation and the learning."""
        policies = set()
        for i, line in enumerate(["", "import ctypes\nctypes.CDLL('libm.so.6').fesetround(0x800)\n"]):
            self.write("reward.py", line + GOOD)
            self.run_well("train", "--reward", "reward.py", "--run", f"run{i}", *SMALL_RUN)
            policies.add((self.folder / f"run{i}/last.policy").read_bytes())
        self.assertEqual(len(policies), 1)


class Words(ProgramTest):
    def refuse(self, source, *texts):
        self.refuse_in_worker(source, *texts)
        self.assert_refused("reward", "check", "reward.py", expect=["reward.py", *texts])

    def refuse_in_worker(self, source, *texts):
        self.write("reward.py", source)
        self.assert_refused("train", "--reward", "reward.py", "--set", "reward.workers=1",
                            expect=["reward.py", *texts])

    def test_limits_and_kills(self):
        loop = "while True: pass\n"
        # a check looks at the clock as well
        self.refuse_in_worker("import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 1))\n"
                              + loop, "signal 24 (CPU time limit exceeded)")
        self.refuse_in_worker("import ctypes\n"
                              "ctypes.CDLL(None).setrlimit(0, (ctypes.c_long * 2)(1, 1))\n" + loop,
                              "signal 9 (Killed), at its limit of 1 s of CPU time (RLIMIT_CPU)")
        self.refuse("import os\nos.kill(os.getpid(), 9)\n",
                    "signal 9 (Killed), by the system for want of memory or by another process")

    def test_calls_that_would_end_the_program(self):
        for call in ("os.abort()", "os._exit(0)"):
            self.refuse(f"import os\n{call}\n", f"reward.py:2: SystemExit: {call[:-2].rstrip('(')}")
        self.refuse("exit()\n", "reward.py:1: SystemExit: exit() was called")

    def test_crashes_of_a_training(self):
        for call, text in [("ctypes.string_at(0)", "signal 11 (Segmentation fault)"),
                           ("ctypes.CDLL(None).abort()", "signal 6 (Aborted)"),
                           ("faulthandler._sigfpe()", "signal 8 (Floating point exception)")]:
            for head in (f"{call}\n", ""):
                with self.subTest(call):
                    self.write("reward.py", "import ctypes, faulthandler\n" + head +
                               f"def reward_function(params):\n    {call}\n    return 1.0\n")
                    result = self.run_program("train", "--reward", "reward.py")
                    self.assertLess(result.returncode, 0)
                    line = 2 if head else 3
                    self.assertIn(f"lapforge: reward.py:{line}: crashed the program with {text}",
                                  result.stderr)


if __name__ == "__main__":
    unittest.main()
