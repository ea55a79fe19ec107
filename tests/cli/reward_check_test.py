"""lapforge reward check: what it finds in good and bad reward functions, and the console's rules."""

import json
import subprocess
import textwrap
import unittest

from program import ProgramTest, skip

GOOD = """
    import math


    def reward_function(params):
        half = 0.5 * params['track_width']
        near = max(0.0, 1.0 - params['distance_from_center'] / half)
        on = 1.0 if params['all_wheels_on_track'] else 0.0
        return float(on * near * math.sqrt(params['speed']) * params['speed'])
    """


class RewardCheckTest(ProgramTest):
    def check(self, source, *arguments):
        """The JSON report of a function, and the exit code."""
        file = self.write("reward.py", textwrap.dedent(source))
        result = self.run_program("reward", "check", file, "--json", "--track", "oval", *arguments)
        self.assertTrue(result.stdout, result.stderr)
        return json.loads(result.stdout), result.returncode

    def assert_finds(self, source, severity, *texts, line=None):
        report, code = self.check(source)
        self.assertEqual(code, 42 if severity == "error" else 0)
        for finding in report["findings"]:
            if finding["severity"] == severity and all(t in finding["message"] for t in texts):
                self.assertIn(line, (None, finding["line"]))
                return
        self.fail(f"{severity} {texts} is not in {report['findings']}")


class Findings(RewardCheckTest):
    def test_a_good_function_has_none(self):
        report, code = self.check(GOOD)
        self.assertEqual((code, report["findings"]), (0, []))
        self.assertTrue(report["is_good"])
        self.assertEqual(report["keys_read"], ["all_wheels_on_track", "distance_from_center",
                                               "speed", "track_width"])
        self.assertIn("waypoints", report["keys_unread"])
        self.assertGreater(report["us_per_call"], 0)
        laps = {drive["name"]: drive for drive in report["drives"]}
        self.assertGreater(laps["slow lap"]["lap_time_s"], laps["fast lap"]["lap_time_s"])
        self.assertIsNone(laps["standing still"]["lap_time_s"])

    def test_sums_are_those_of_the_steps(self):
        report, _ = self.check("def reward_function(params):\n    return 2.0\n", "--discount", "0.5")
        for drive in report["drives"]:
            steps = drive["steps"]
            self.assertAlmostEqual(drive["total_reward"], 2 * steps)
            # a geometric series
            self.assertAlmostEqual(drive["discounted_return"], 2 * (1 - 0.5**steps) / 0.5)

    def test_errors(self):
        self.assert_finds("def reward_function(params):\n    return params['stering_angle']\n",
                          "error", "reward.py:2: KeyError", "did you mean 'steering_angle'")
        self.assert_finds("def reward_function(params):\n    return None\n", "error", "returned None")
        self.assert_finds("def reward_function(params):\n    return float('nan')\n", "error", "nan")
        self.assert_finds("def reward_function(params):\n    return 1e6\n", "error", "1000000.0")
        self.assert_finds("def reward_function(params):\n    exit()\n", "error", "exit()")
        self.assert_finds("def reward_function(params):\n    return reward_function(params)\n",
                          "error", "RecursionError")

    def test_an_error_of_some_places_only_is_found(self):
        self.assert_finds("""
            def reward_function(params):
                points = params['waypoints']
                return points[params['closest_waypoints'][1] + 2][0] + 100
            """, "error", "IndexError", "slow lap")

    def test_endless_calls_are_broken_off(self):
        self.assert_finds("def reward_function(params):\n    while True: pass\n", "error",
                          "reward.py:2: a call took more than 5 s")

    def test_warnings(self):
        self.assert_finds("def reward_function(params):\n    return 1.0\n", "warning",
                          "nothing to learn from")
        self.assert_finds("""
            def reward_function(params):
                return 1.0 if params['all_wheels_on_track'] else 0.5
            """, "warning", "driving slowly is the best plan")
        self.assert_finds("""
            def reward_function(params):
                return 2.0 - 0.1 * params['speed']
            """, "warning", "standing still pays")
        self.assert_finds("""
            def reward_function(params):
                return params['speed'] * (2.0 if params['is_offtrack'] else 1.0)
            """, "warning", "leaving the track costs nothing")
        self.assert_finds("""
            def reward_function(params):
                return params['distance_from_center']
            """, "warning", "further the car is from the centerline")

    def test_what_the_source_shows(self):
        self.assert_finds("""
            def reward_function(params):
                if params['steps'] == 1:
                    return 5.0
                return params['speed'] ** 2
            """, "warning", "'params['steps'] == 1' is never true", line=3)
        self.assert_finds("""
            def reward_function(params):
                steps = params.get('steps')
                return 0.0 if 2 > steps else params['speed'] ** 2
            """, "warning", "never true", line=4)
        self.assert_finds("""
            def reward_function(params):
                if params['speed'] > 50:
                    return params['bearing']
                return params['speed'] ** 2
            """, "warning", "the key 'bearing'", line=4)
        self.assert_finds("""
            def reward_function(params):
                return 0.0 if params['is_reversed'] else params['speed'] ** 2
            """, "note", "is_reversed", line=3)
        self.assert_finds("""
            def reward_function(params):
                print('here')
                return params['speed'] ** 2
            """, "note", "printed")

    def test_a_batch_form(self):
        report, code = self.check("""
            import numpy as np


            def reward_batch(params):
                half = 0.5 * params['track_width']
                near = np.maximum(0.0, 1.0 - params['distance_from_center'] / half)
                on = params['all_wheels_on_track'] & (params['env_index'] >= 0)
                return on * near * params['speed'] ** 1.5
            """)
        self.assertEqual((code, report["findings"]), (0, []))
        self.assertEqual(report["keys_read"], ["all_wheels_on_track", "distance_from_center",
                                               "speed", "track_width"])
        expected, _ = self.check(GOOD)
        for drive, other in zip(report["drives"], expected["drives"]):
            self.assertAlmostEqual(drive["total_reward"], other["total_reward"])
        self.assert_finds("""
            def reward_batch(params):
                return params['sped']
            """, "error", "KeyError: 'sped'", "did you mean 'speed'")
        self.assert_finds("""
            def reward_batch(params):
                return 1.0
            """, "error", "reward_batch returned a single number; expected an array of 1 numbers")

    def test_what_belongs_into_worker_processes(self):
        for line in ("import subprocess", "from ctypes import cdll", "import os; fork = os.fork"):
            self.assert_finds(line + """
def reward_function(params):
    return params['speed'] ** 2
                """, "note", "--set reward.workers=2", line=1)

    def test_objects(self):
        source = """
            def reward_function(params):
                return params['objects_distance'][params['closest_objects'][1]] * params['speed']
            """
        self.assert_finds(source, "error", "IndexError")
        report, code = self.check(source, "--objects", "3")
        self.assertEqual(code, 0, report["findings"])

    def test_branches(self):
        report, _ = self.check("""
            def reward_function(params):
                if params['speed'] < 100:
                    reward = params['speed']
                elif params['x'] > 0:
                    reward = 2.0
                else:
                    reward = 3.0
                for _ in range(2):
                    reward *= 2
                return reward
            """)
        shares = [(branch["line"], branch["share"]) for branch in report["branches"]]
        self.assertEqual(shares, [(3, 1), (5, 0), (8, 0), (9, 1)])


class Strict(RewardCheckTest):
    def verdicts(self, source):
        report, _ = self.check(source, "--strict")
        return report["console"], report["deepracer_on_aws"]

    def assert_refused_by_both(self, source, *texts):
        for records in self.verdicts(source):
            self.assertEqual(len(records), 1)
            self.assertEqual(records[0]["type"], "TEST_FAILURE")
            for text in texts:
                self.assertIn(text, records[0]["message"])

    def test_accepts(self):
        self.assertEqual(self.verdicts(GOOD.replace("\n    ", "\n").strip() + "\n"), ([], []))

    def test_imports(self):
        self.assert_refused_by_both(
            "import time\n\n\ndef reward_function(params):\n    return time.time() * 0.0\n", "time")
        self.assert_refused_by_both(
            "def reward_function(params):\n    import math\n    return math.sqrt(2)\n", "math")

    def test_imports_of_others_are_not_the_files_own(self):
        # as numpy does, random imports something in this call only
        self.assertEqual(self.verdicts(
            "import random\n\n\ndef reward_function(params):\n"
            "    random._test_generator(2, abs, (1,))\n    return 1.0\n"), ([], []))

    def test_calls_and_texts(self):
        self.assert_refused_by_both(
            "def reward_function(params):\n    return float(eval('1'))\n", "eval()")
        self.assert_refused_by_both(
            "def reward_function(params):\n    payload = 1.0\n    return payload\n", "'load'",
            "line 2")

    def test_results(self):
        # an int trains, but the console refuses it
        self.assert_refused_by_both("def reward_function(params):\n    return 1\n", "int")
        self.assert_refused_by_both("def reward_function(params, more=0):\n    return 1.0\n",
                                    "one parameter")
        # keys that the console's test params lack
        self.assert_refused_by_both(
            "def reward_function(params):\n    return params['sim_time']\n", "sim_time")

    def test_lint(self):
        interpreter = "/usr/bin/python3"
        finds = "import importlib.util, sys; sys.exit(importlib.util.find_spec('flake8') is None)"
        if subprocess.run([interpreter, "-c", finds], check=False).returncode != 0:
            skip("flake8 is not installed for the system's Python")
        console, droa = self.verdicts("import math\ndef reward_function(params):\n  return 1.0\n")
        self.assertEqual(console[0]["type"], "E111")
        self.assertEqual(droa[0]["type"], "F401")


class BadInput(RewardCheckTest):
    def test_files(self):
        self.assert_refused("reward", "check", "absent.py", expect="absent.py")
        self.assert_refused("reward", "check", self.write("a.py", "def f(:\n"),
                            expect=["a.py:1", "SyntaxError"])
        self.assert_refused("reward", "check", self.write("b.py", "x = 1\n"),
                            expect="no function reward_function")
        self.assert_refused("reward", "check", self.write("c.py", "import nothing_here\n"),
                            expect=["c.py:1", "nothing_here", "must be in"])
        self.assert_refused("reward", "chekc", expect="did you mean 'check'")
        self.assert_refused("reward", "check", self.write("d.py", GOOD), "--discount", "2",
                            expect="--discount")


if __name__ == "__main__":
    unittest.main()
