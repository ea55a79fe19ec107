"""Tests that .ci/run adds up tests and checks, names what failed, and never passes for nothing."""

import shutil
import subprocess
import unittest

from planted_tree import PlantedTreeTest, ROOT

CHECKS = ("layers", "budgets", "words", "format", "install")


class CiRunTest(PlantedTreeTest):
    def setUp(self):
        super().setUp()
        self.commands = self.tree / "commands"
        self.commands.mkdir()
        for name in ("bash", "dirname", "mktemp", "tee", "tail", "rm"):
            (self.commands / name).symlink_to(shutil.which(name))
        self.plant_script("commands/clang-format-14", "")
        self.plant_script(".ci/run", (ROOT / ".ci/run").read_text())
        self.plant_lapforge("7 passed, 0 failed, 1 skipped", "3 passed, 0 failed")
        for check in CHECKS:
            self.plant_script(f"tools/ci/check_{check}", "")

    def plant_script(self, path, body):
        """Writes an executable bash script."""
        self.plant(path, body if body.startswith("#!") else f"#!/usr/bin/env bash\n{body}\n")
        (self.tree / path).chmod(0o755)

    def plant_lapforge(self, release, asan, status=0):
        """A ./lapforge whose two test runs end with these lines."""
        self.plant_script("lapforge", f'[[ $1 == test ]] && echo "{release}" || echo "{asan}"\n'
                                      f"exit {status}")

    def ci_run(self):
        """Runs it. Returns the exit status, the last line and all of the output."""
        done = subprocess.run([self.tree / ".ci/run"], cwd="/", env={"PATH": str(self.commands)},
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.splitlines()[-1], done.stdout

    def test_tests_and_checks_are_added_up(self):
        self.assertEqual(self.ci_run()[:2], (0, "15 passed, 0 failed, 1 skipped"))

    def test_a_failed_check_counts_once_and_is_named(self):
        for check in CHECKS:
            path = f"tools/ci/check_{check}"
            self.plant_script(path, "echo a problem; exit 1")
            status, last, output = self.ci_run()
            self.assertEqual((status, last), (1, "14 passed, 1 failed, 1 skipped"))
            self.assertIn(f"FAILED: {path}\n", output)
            self.plant_script(path, "")

    def test_failed_tests_are_added_up_and_named(self):
        self.plant_lapforge("5 passed, 2 failed", "3 passed, 0 failed")
        status, last, output = self.ci_run()
        self.assertEqual((status, last), (1, "13 passed, 2 failed"))
        self.assertIn("FAILED: ./lapforge test: 5 passed, 2 failed\n", output)

    def test_a_build_that_fails_is_a_failure(self):
        self.plant_lapforge("lapforge: the build failed", "3 passed, 0 failed")
        status, last, output = self.ci_run()
        self.assertEqual((status, last), (1, "8 passed, 1 failed"))
        self.assertIn("FAILED: ./lapforge test\n", output)

    def test_a_bad_status_after_good_lines_is_a_failure(self):
        self.plant_lapforge("5 passed, 0 failed", "3 passed, 0 failed", status=1)
        self.assertEqual(self.ci_run()[:2], (1, "13 passed, 2 failed"))


if __name__ == "__main__":
    unittest.main()
