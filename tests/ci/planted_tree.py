"""A temporary project with planted files, and the checks run on it."""

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class PlantedTreeTest(unittest.TestCase):
    """Base of the checks' tests."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="lapforge ci ")
        self.addCleanup(temporary.cleanup)
        self.tree = Path(temporary.name)
        subprocess.run(["git", "init", "--quiet", self.tree], check=True)

    def plant(self, path, text):
        """Writes a file into the project."""
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self, name):
        """Runs a check. Returns what it printed; it must fail exactly when it prints."""
        done = subprocess.run([ROOT / "tools/ci" / name, self.tree], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode != 0, done.stdout != "", done.stdout)
        return done.stdout
