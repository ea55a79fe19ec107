"""Tests that bad input gets one clear line, exit code 42, and leaves nothing behind."""

import os
import resource
import struct
import subprocess
import unittest

from program import PROGRAM, SMALL_RUN, ProgramTest, skip


def npy(rows, columns=6):
    """A little-endian float64 file of NumPy's version 1.0."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {columns}), }}"
    header = header.ljust(64 * ((len(header) + 11) // 64 + 1) - 11) + "\n"
    data = b"".join(struct.pack(f"<{columns}d", *row) for row in rows)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def square_track(side=4.0):
    corners = [(0, 0), (side, 0), (side, side), (0, side), (0, 0)]
    middle = side / 2

    def scaled(point, factor):
        return [middle + (value - middle) * factor for value in point]

    return [[*corner, *scaled(corner, 0.8), *scaled(corner, 1.2)] for corner in corners]


class Arguments(ProgramTest):
    def test_words(self):
        self.assert_refused("trian", expect="did you mean 'train'")
        self.assert_refused("train", "--sedd", "1",
                            expect=["'--sedd' (did you mean '--seed'?)", "'lapforge train --help'"])
        self.assert_refused("train", "a", "b", expect="unexpected argument 'a'")
        self.assert_refused("eval", expect="'run' is missing")
        self.assert_refused("track", "shwo", expect=["shwo", "did you mean 'show'"])

    def test_values(self):
        for seed in ["one", "-1", "1.5"]:
            self.assert_refused("train", "--seed", seed,
                                expect=f"lapforge: --seed {seed}: expected a whole number")
        for threads in ["0", "257", "two"]:
            self.assert_refused("train", "--threads", threads,
                                expect=f"--threads {threads}: expected a whole number in 1 .. 256")
        for steps in ["many", "0", "-5", "1e6"]:
            self.assert_refused("train", "--steps", steps,
                                expect=f"--steps {steps}: expected a whole number in 1 .. ")
        for time in ["soon", "-1"]:
            self.assert_refused("train", "--time", time,
                                expect=f"--time {time}: expected a number in 0 .. ")
        self.assert_refused("train", "--seed", expect="--seed: expected a value after it")
        self.assert_refused("train", "--seed", "1", "--seed", "2", expect="--seed is given 2 times")
        self.assert_refused("bench", "walk", expect="walk: expected one of track, sim, reward, train")

    def test_empty_values(self):
        for option in ["--track", "--reward", "--options", "--set", "--seed", "--run", "--continue"]:
            self.assert_refused("train", option, "", expect=f"{option} is empty")
        self.assert_refused("eval", "", expect="run is empty")
        self.assert_refused("track", "show", "", expect="track is empty")

    def test_version_and_help(self):
        version = self.run_well("--version").stdout
        self.assertEqual(self.run_well("-v").stdout, version)
        self.assertIn("Usage: lapforge train ", self.run_well("train", "--help").stdout)
        self.assertIn("Usage: lapforge track COMMAND", self.run_well("track", "--help").stdout)

    def test_options(self):
        self.assert_refused("train", "--set", "ppo.learning_rat=1",
                            expect="did you mean 'ppo.learning_rate'")
        self.assert_refused("train", "--set", "ppo.learning_rate=fast", expect="ppo.learning_rate")
        self.assert_refused("train", "--set", "ppo.learning_rate=7",
                            expect=["ppo.learning_rate", "7"])
        self.assert_refused("train", "--set", "ppo.learning_rate", expect="key=value")
        self.assert_refused("train", "--set", "ppo.clip_range=nan", expect="ppo.clip_range")
        self.assert_refused("train", "--set", "sim.num_envs=0", expect="sim.num_envs")
        self.assert_refused("train", "--set", "net.hidden_units=[]", expect="net.hidden_units")
        self.assert_refused("train", "--set", "sim.car=rc_1_81", expect="did you mean 'rc_1_18'")

    def test_options_file(self):
        path = self.write("o.textproto", "ppo {\n  lerning_rate: 1\n}\n")
        self.assert_refused("train", "--options", path,
                            expect=["o.textproto:2", "lerning_rate", "did you mean"])
        path = self.write("o.textproto", "ppo { horizon: -3 }")
        self.assert_refused("train", "--options", path, expect="horizon")
        path = self.write("o.textproto", "ppo {")
        self.assert_refused("train", "--options", path, expect="o.textproto:1")
        self.assert_refused("train", "--options", "absent.textproto", expect="absent.textproto")
        self.assert_refused("train", "--options", self.folder, expect="folder")


class Tracks(ProgramTest):
    def test_names_and_files(self):
        self.assert_refused("train", "--track", "ovla", expect=["ovla", "did you mean 'oval'"])
        self.assert_refused("track", "show", "absent.npy", expect="absent.npy")
        self.assert_refused("track", "show", self.folder, expect="folder")
        self.assert_refused("track", "show", self.write("e.npy", b""), expect="e.npy")
        self.assert_refused("track", "show", self.write("t.npy", b"hello"), expect="t.npy")

    def test_npy_faults(self):
        good = npy(square_track())
        self.run_well("track", "show", self.write("good.npy", good), "--json")
        self.assert_refused("track", "show", self.write("cut.npy", good[:-9]), expect="cut.npy")
        rows = square_track()
        rows[2][3] = float("nan")
        self.assert_refused("track", "show", self.write("nan.npy", npy(rows)),
                            expect=["nan.npy", "row"])
        self.assert_refused("track", "show", self.write("n.npy", npy([r[:4] for r in rows], 4)),
                            expect="n.npy")
        huge = good.replace(b"(5, 6), ", b"(5000000000, 6), ")
        self.assert_refused("track", "show", self.write("huge.npy", huge), expect="huge.npy")

    def test_picture_path(self):
        self.assert_refused("track", "show", "oval", "-o", "no/such/folder/x.png",
                            expect="no/such/folder")


class Rewards(ProgramTest):
    def refuse_reward(self, source, expect):
        path = self.write("reward.py", source)
        self.assert_refused("train", "--reward", path, expect=expect)

    def test_files(self):
        self.assert_refused("train", "--reward", "absent.py", expect="absent.py")
        self.refuse_reward("def reward_function(params:\n  pass\n", ["reward.py", "1"])
        self.refuse_reward("import no_such_module\n", ["reward.py", "no_such_module"])
        self.refuse_reward("def reward_funktion(params): return 1.0\n",
                           ["reward_function", "reward_funktion"])

    def test_too_many_errors_stop_and_save_what_was_learned(self):
        path = self.write("reward.py", "calls = 0  # 64 an iteration\n"
                                       "def reward_function(params):\n"
                                       "  global calls; calls += 1\n"
                                       "  if calls > 100:\n"
                                       "    return params['sped']\n"
                                       "  return 1.0\n")
        result = self.run_program("train", "--reward", path, "--run", "run")
        self.assertEqual(result.returncode, 1)
        for text in ["reward.py:5", "'sped'", "did you mean 'speed'", "return params['sped']",
                     "20 of at most 20 episodes"]:
            self.assertIn(text, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)  # the first, the last
        self.assertTrue((self.folder / "run" / "last.policy").exists())

        # a raised limit goes on, from what was saved
        more = self.run_program("train", "--continue", "run", "--reward-max-errors", "21")
        self.assertEqual(more.returncode, 1)
        self.assertIn("21 of at most 21 episodes", more.stderr)
        self.assert_refused("train", "--reward-max-errors", "0", expect="--reward-max-errors 0")

    def test_a_few_errors_end_their_episodes_only(self):
        path = self.write("reward.py", "calls = 0\n"
                                       "def reward_function(params):\n"
                                       "  global calls; calls += 1\n"
                                       "  return 1 / (100 - calls) if params['steps'] > 2 else 1\n")
        result = self.run_well("train", "--reward", path, "--run", "run", *SMALL_RUN,
                               "--reward-max-errors", "1000")
        self.assertIn("ZeroDivisionError", result.stderr)
        self.assertEqual(result.stderr.count("ZeroDivisionError"), 1)
        self.assertIn("Episodes that the reward function ended by failing:", result.stdout)
        rows = [row.split(",") for row in (self.folder / "run/metrics.csv").read_text().split()]
        errors = [int(row[rows[0].index("reward/errors")]) for row in rows[1:]]
        self.assertEqual(errors, sorted(errors))
        self.assertGreater(errors[-1], 0)
        self.assertLessEqual(errors[-1], 16)

    def test_prints_are_kept_in_a_file(self):
        path = self.write("reward.py", "def reward_function(params):\n"
                                       "  print('s\u00e9e', params['steps'])\n"
                                       "  return 1.0\n")
        result = self.run_well("train", "--reward", path, "--run", "run", *SMALL_RUN,
                               "--reward-log", "prints.txt")
        self.assertEqual(result.stderr.count("reward: s\u00e9e"), 20)
        lines = (self.folder / "prints.txt").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), 24576)
        self.assertEqual(lines[0], "s\u00e9e 2.0")
        self.assert_refused("train", "--reward", path, "--reward-log", "no/folder/x",
                            expect="no/folder/x")


class Folders(ProgramTest):
    def test_runs(self):
        self.write("file", "x")
        self.assert_refused("train", "--run", "file", expect="file")
        full = self.folder / "full"
        full.mkdir()
        (full / "x").write_text("x")
        self.assert_refused("train", "--run", "full", expect="full")
        self.assert_refused("train", "--continue", "absent", expect="absent")
        self.assert_refused("train", "--continue", "full", expect="full")
        self.assert_refused("eval", "full", expect="full")
        self.assert_refused("replay", "absent.lfrec", expect="absent.lfrec")

    def test_no_permission(self):
        if os.geteuid() != 0:
            skip("only root can become another user")
        os.chmod(self.folder, 0o555)
        libtorch_is_readable = subprocess.run(
            ["setpriv", "--reuid=65534", "--clear-groups", PROGRAM, "--version"],
            capture_output=True).returncode == 0
        if not libtorch_is_readable:
            skip("another user cannot read the program's libraries here")
        self.assert_refused("train", "--run", "run", expect=["run", "ermission"],
                            preexec_fn=lambda: os.setuid(65534))

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk],
                                 capture_output=True)
        if mounted.returncode != 0:
            skip("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        result = self.run_program("train", "--run", "disk/run", "--steps", "200000")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("No space left", result.stderr)
        self.assertEqual([p.name for p in disk.rglob(".lapforge-tmp-*")], [])


class Memory(ProgramTest):
    """What does not fit is refused with the option to lower, before it is allocated."""

    LIMIT = 3 << 30  # bytes of address space

    def limit_memory(self):
        resource.setrlimit(resource.RLIMIT_AS, (self.LIMIT, self.LIMIT))

    def test_what_does_not_fit(self):
        for options, name in [
                (["net.hidden_units=[4096,4096,4096,4096,4096]"], "net.hidden_units"),
                (["sim.num_envs=65536", "ppo.horizon=1"], "sim.num_envs"),
                (["sim.num_envs=4096", "ppo.horizon=4096"], "ppo.horizon or sim.num_envs"),
                (["sim.sensors.kinds=[camera]", "distill.ring_frames=1000000"],
                 "distill.ring_frames"),
                (["sim.sensors.kinds=[camera]", "sim.sensors.camera.width_px=640",
                  "sim.sensors.camera.height_px=480", "sim.num_envs=4096",
                  "run.method=ppo"], "ppo.horizon or sim.num_envs"),
                (["run.evaluation_laps=1000", "sim.num_envs=256",
                  f"run.more_tracks=[{','.join(['oval'] * 200)}]"],
                 "run.evaluation_laps")]:
            arguments = [word for option in options for word in ("--set", option)]
            self.assert_refused("train", "--run", "run", *arguments,
                                expect=[" GB of memory and ", " are free; lower ", name],
                                preexec_fn=self.limit_memory)

    def test_evaluations(self):
        self.run_well("train", "--run", "run", "--quiet", *SMALL_RUN)
        self.assert_refused("eval", "run", "--laps", "1000", "--trials", "65",
                            expect=["lower --laps or --trials"], preexec_fn=self.limit_memory)


if __name__ == "__main__":
    unittest.main()
