"""Tests that no reward, whatever it does, takes a command with it or leaves processes behind."""

import os
import shutil
import signal
import subprocess
import time
import unittest

from program import PROGRAM, SMALL_RUN, ProgramTest, skip
from reward_workers_test import is_alive, processes_of

GOOD = "def reward_function(params):\n    return params['speed']\n"
CRASH = ("import ctypes\ndef reward_function(params):\n    if params['steps'] > 5:\n"
         "        ctypes.string_at(0)\n    return params['speed']\n")


class GuardTest(ProgramTest):
    def refuse(self, source, *texts, arguments=()):
        """Both commands end with one line that says all `texts`."""
        self.write("reward.py", source)
        for command in (["check", "reward.py", "--track", "oval"],
                        ["replay", "reward.py", self.recording()]):
            self.assert_refused("reward", *command, *arguments, expect=["reward.py", *texts])

    def recording(self):
        if not (self.folder / "d.lfrec").exists():
            self.run_well("sim", "drive", "--track", "oval", "--recording", "d.lfrec")
        return "d.lfrec"


class Harm(GuardTest):
    def test_crashes_name_the_line_and_the_step(self):
        self.refuse(CRASH, "reward.py:4: ", "crashed with signal 11 (Segmentation fault)",
                    ", in step 5 of ", "the line is: ctypes.string_at(0)")
        self.refuse("import os\nos.kill(os.getpid(), 9)\n" + GOOD, "signal 9 (Killed)")
        self.refuse("import ctypes\nctypes.CDLL(None)._exit(0)\n" + GOOD, "ended its process")
        self.refuse("import os\nos.killpg(0, 15)\n" + GOOD, "signal 15 (Terminated)")

    def test_hangs(self):
        self.refuse("import time\ndef reward_function(params):\n    time.sleep(1000)\n",
                    "reward.py:3: all took more than 2 s (--timeout)", "time.sleep(1000)",
                    arguments=["--timeout", "2"])

    def test_memory(self):
        bomb = "def reward_function(params):\n    return len([bytearray(10**6) for _ in range(10**6)])\n"
        self.write("reward.py", bomb)
        result = self.run_program("reward", "check", "reward.py", "--memory-limit", "200")
        self.assertEqual(result.returncode, 42)
        self.assertIn("reward.py:2: MemoryError", result.stdout)
        self.assert_refused("reward", "replay", "reward.py", self.recording(), "--memory-limit",
                            "200", expect="reward.py:2: MemoryError")

    def test_output_is_whole_whatever_happens_to_the_descriptors(self):
        self.write("good.py", GOOD)
        self.write("odd.py", "import os, sys\nif not hasattr(sys, 'closed'):\n"
                             "    os.write(1, b'noise')\n    os.dup2(2, 1)\n"
                             "    sys.closed = os.closerange(0, 3)\n"
                             + GOOD)
        for command in (["check"], ["replay"]):
            last = ["--track", "oval"] if command == ["check"] else [self.recording()]
            good = self.run_well("reward", *command, "good.py", *last).stdout
            odd = self.run_well("reward", *command, "odd.py", *last).stdout
            cut = [line for line in good.splitlines() if "Time:" not in line]
            self.assertEqual([line.replace("odd.py", "good.py") for line in odd.splitlines()
                              if "Time:" not in line], cut)

    def test_recursion(self):
        self.write("deep.py", "import sys\nsys.setrecursionlimit(10**9)\n"
                              "def deep(x): return sorted([x], key=deep)[0]\n"
                              "def reward_function(params):\n"
                              "    return deep(1) if params['steps'] == 2 else 1.0\n")
        check = self.run_program("reward", "check", "deep.py")
        self.assertIn("deep.py:3: RecursionError", check.stdout)
        self.assertIn("sys.setrecursionlimit(1000000000): deeper than", check.stderr)
        train = self.run_program("train", "--reward", "deep.py", "--run", "run")
        self.assertEqual(train.returncode, 1)
        self.assertIn("deep.py:3: RecursionError", train.stderr)

    def test_damaged_libraries(self):
        if shutil.which("cc") is None:
            skip("there is no cc to compile a library with")
        self.write("a.c", "int big[100000] = {1}; int f(void) { return big[5]; }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "a.c", "-o", "a.so"], cwd=self.folder, check=True)
        whole = (self.folder / "a.so").read_bytes()
        self.write("cut.so", whole[:len(whole) // 8])
        self.write("crash.c", "__attribute__((constructor)) void f(void) { *(volatile int*)0 = 1; }")
        subprocess.run(["cc", "-shared", "-fPIC", "crash.c", "-o", "crash.so"], cwd=self.folder,
                       check=True)
        self.assert_refused("train", "--reward", "cut.so", expect="cut.so is ")
        self.assert_refused("train", "--reward", "crash.so",
                            expect="crash.so is damaged: loading it crashes with signal 11")


class Processes(GuardTest):
    LEAVES = ("import subprocess\nchild = subprocess.Popen(['sleep', '1000'])\n"
              "subprocess.run('sleep 1000 & echo $! > pid', shell=True)\n"
              "with open('pids', 'w') as file:\n    file.write(f'{child.pid} ' + open('pid').read())\n"
              + GOOD)

    def left(self):
        return [int(pid) for pid in (self.folder / "pids").read_text().split()]

    def assert_gone(self):
        deadline = time.monotonic() + 10
        while any(map(is_alive, self.left())):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_of_a_check(self):
        self.write("reward.py", self.LEAVES)
        # a reader of the output comes to its end
        command = f'"{PROGRAM}" reward check reward.py --track oval 2>&1 | tail -1'
        output = subprocess.run(command, shell=True, cwd=self.folder, timeout=120,
                                capture_output=True, text=True, check=True).stdout
        self.assertIn("reward.py: 0 errors", output)
        self.assert_gone()

    def test_of_a_training(self):
        self.write("reward.py", self.LEAVES)
        for workers in ("0", "1"):
            self.run_well("train", "--reward", "reward.py", "--run", f"run{workers}", *SMALL_RUN,
                          "--set", f"reward.workers={workers}")
            self.assert_gone()

    def start_and_wait(self, *arguments):
        process = self.start(*arguments)
        deadline = time.monotonic() + 60
        while not (self.folder / "pids").exists() or not (self.folder / "pids").read_text().strip():
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        return process

    def test_after_ctrl_c(self):
        self.write("reward.py", self.LEAVES)
        process = self.start_and_wait("train", "--reward", "reward.py", "--run", "run")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assert_gone()
        os.remove(self.folder / "pids")
        self.write("slow.py", self.LEAVES + "import time\ntime.sleep(1000)\n")
        process = self.start_and_wait("reward", "check", "slow.py")
        copy = processes_of(process.pid)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assert_gone()
        self.assertFalse(any(map(is_alive, copy)))


if __name__ == "__main__":
    unittest.main()
