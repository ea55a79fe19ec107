"""Tests that run_tests counts what really happened: cases inside one process, skipped ones, crashes,
programs that are missing, and no test at all."""

import subprocess
import unittest

from planted_tree import PlantedTreeTest, ROOT


class RunTestsTest(PlantedTreeTest):
    def setUp(self):
        super().setUp()
        self.tests = []

    def add(self, name, script, properties=""):
        """Adds a test of ctest that runs a shell script."""
        self.plant(f"{name}.sh", script)
        self.tests.append(f'add_test({name} "/bin/sh" "{self.tree}/{name}.sh")\n')
        if properties:
            self.tests.append(f"set_tests_properties({name} PROPERTIES {properties})\n")

    def run_tests(self, *filters):
        """Runs the tests. Returns the exit status, the last line and all of the output."""
        self.plant("CTestTestfile.cmake", "".join(self.tests))
        done = subprocess.run([ROOT / "tools/ci/run_tests", self.tree, *filters], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.splitlines()[-1], done.stdout

    def test_plain_tests_count_one_each(self):
        self.add("one", "true")
        self.add("two", "true")
        self.assertEqual(self.run_tests()[:2], (0, "2 passed, 0 failed"))
        self.assertEqual(self.run_tests("one")[:2], (0, "1 passed, 0 failed"))
        self.assertEqual(self.run_tests("--exclude-regex", "one")[:2], (0, "1 passed, 0 failed"))

    def test_cases_inside_one_process_are_counted(self):
        self.add("catch", "seq 2000; echo 'SKIPPED: no data'; "
                          "echo 'All tests passed (12 assertions in 5 test cases)'")
        self.add("unittest", "echo 'Ran 4 tests in 0.1s'; echo; echo 'OK (skipped=1)'")
        self.assertEqual(self.run_tests()[:2], (0, "7 passed, 0 failed, 2 skipped"))

    def test_failed_cases_inside_one_process(self):
        self.add("catch", "echo 'test cases:  5 |  3 passed | 2 failed'; exit 2")
        self.add("unittest", "echo 'Ran 6 tests in 1s'; echo 'FAILED (failures=1, errors=2)'; exit 1")
        status, last, output = self.run_tests()
        self.assertEqual((status, last), (1, "6 passed, 5 failed"))
        self.assertIn("FAILED: catch", output)

    def test_skipped(self):
        self.add("skips", "echo 'SKIPPED: no data'", 'SKIP_REGULAR_EXPRESSION "SKIPPED: "')
        self.add("runs", "true")
        self.assertEqual(self.run_tests()[:2], (0, "1 passed, 0 failed, 1 skipped"))

    def test_a_crash_after_good_closing_lines_is_a_failure(self):
        self.add("crash", "echo 'All tests passed (1 assertion in 3 test cases)'; kill -ABRT $$")
        status, last, _ = self.run_tests()
        self.assertEqual((status, last), (1, "3 passed, 1 failed"))

    def test_a_missing_program_is_a_failure(self):
        self.add("runs", "true")
        self.tests.append('add_test(missing "/nowhere/program")\n')
        self.assertEqual(self.run_tests()[:2], (1, "1 passed, 1 failed"))

    def test_no_test_is_a_failure(self):
        self.assertEqual(self.run_tests()[:2], (1, "0 passed, 0 failed"))


if __name__ == "__main__":
    unittest.main()
