"""Runs the built program in a folder of its own; shared by the tests of the command line."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["LAPFORGE_PROGRAM"]
BAD_INPUT = 42

# A run that is small but real: several iterations, evaluations and checkpoints in about a second.
SMALL_RUN = [
    "--steps", "24576",
    "--set", "sim.num_envs=16",
    "--set", "ppo.horizon=64",
    "--set", "run.checkpoint_every_iterations=2",
    "--set", "run.evaluate_every_env_steps=8192",
    "--set", "run.patience_evaluations=0",
]


class ProgramTest(unittest.TestCase):
    """Gives each test an empty working folder."""

    def setUp(self):
        self._temporary = tempfile.TemporaryDirectory(prefix="lapforge test ")
        self.addCleanup(self._temporary.cleanup)
        self.folder = pathlib.Path(self._temporary.name)

    def start(self, *arguments, **options):
        options.setdefault("cwd", self.folder)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([PROGRAM, *map(str, arguments)], text=True, **options)

    def run_program(self, *arguments, timeout=240, **options):
        process = self.start(*arguments, **options)
        output, errors = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(arguments, process.returncode, output, errors)

    def run_well(self, *arguments, **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.returncode, 0, f"{arguments}\n{result.stdout}\n{result.stderr}")
        return result

    def assert_refused(self, *arguments, expect, **options):
        """One line that says `expect`, exit code 42, and no file that was not there before."""
        before = self.files()
        result = self.run_program(*arguments, **options)
        lines = [line for line in result.stderr.splitlines() if line]
        self.assertEqual(result.returncode, BAD_INPUT, f"{arguments}: {result.stderr}")
        self.assertEqual(len(lines), 1, f"{arguments}: {result.stderr}")
        for text in [expect] if isinstance(expect, str) else expect:
            self.assertIn(text, lines[0])
        self.assertEqual(self.files(), before)

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


def skip(reason):
    """Ends a test that this machine cannot run; ctest reads the line."""
    print(f"SKIPPED: {reason}")
    sys.stdout.flush()
    raise unittest.SkipTest(reason)


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.communicate()
