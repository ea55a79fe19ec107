"""Tests --video and --strip of sim drive, eval and replay."""

import json
import shutil
import struct
import subprocess
import unittest

from mp4 import describe
from program import SMALL_RUN, ProgramTest

SMALL = ["--video-height", "180"]


class Films(ProgramTest):
    def film(self, name):
        return describe((self.folder / name).read_bytes())

    def png_size(self, name):
        data = (self.folder / name).read_bytes()
        self.assertTrue(data.startswith(b"\x89PNG"))
        return struct.unpack(">II", data[16:24])

    def test_sim_drive(self):
        result = self.run_well("sim", "drive", "-t", "oval", "--laps", "1", "--speed", "3",
                               "--video", "a.mp4", "--strip", "a.png", "--recording", "a.lfrec",
                               "--json", *SMALL)
        lap_s = json.loads(result.stdout)["laps"][0]["lap_time_us"] * 1e-6
        film = self.film("a.mp4")
        self.assertIn(film["codec"], ["avc1", "mp4v"])
        self.assertEqual((film["width"], film["height"]), (320, 180))
        self.assertAlmostEqual(film["fps"], 30, 3)
        self.assertAlmostEqual(film["frames"] / 30, lap_s + 1.5, delta=0.15)
        self.assertEqual(self.png_size("a.png"), (640, 720))

        # the recording gives the same film, and another rate another one
        self.run_well("replay", "a.lfrec", "--video", "b.mp4", *SMALL)
        self.assertEqual((self.folder / "a.mp4").read_bytes(),
                         (self.folder / "b.mp4").read_bytes())
        self.run_well("replay", "a.lfrec", "--video", "c.mp4", "--video-fps", "15", *SMALL)
        self.assertAlmostEqual(self.film("c.mp4")["fps"], 15, 3)

        if shutil.which("ffprobe"):
            probe = subprocess.run(
                ["ffprobe", "-v", "error", "-count_frames", "-of", "json", "-show_streams",
                 self.folder / "a.mp4"], capture_output=True, check=True)
            stream = json.loads(probe.stdout)["streams"][0]
            self.assertEqual(int(stream["nb_read_frames"]), film["frames"])
            self.assertEqual(stream["pix_fmt"], "yuv420p")

    def test_what_cannot_be_written_is_said_before_the_drive(self):
        (self.folder / "folder.mp4").mkdir()
        # a drive of 10000 laps would take minutes
        drive = ["sim", "drive", "-t", "oval", "--laps", "10000"]
        for arguments, expect in [
                (["--video", "a.avi"], ["a.avi", ".mp4"]),
                (["--video", "absent/a.mp4"], ["absent/a.mp4", "No such file"]),
                (["--video", "folder.mp4"], ["folder.mp4"]),
                (["--strip", "a.jpg"], ["a.jpg", ".png"]),
                (["--strip", "absent/a.png"], ["absent/a.png", "No such file"]),
                (["--video", "a.mp4", "--video-height", "181"], ["--video-height", "even"]),
                (["--video", "a.mp4", "--video-fps", "0"], ["--video-fps", "1 .. 120"]),
                (["--video", "a.png", "--picture", "a.png"], ["--video", "same file"])]:
            self.assert_refused(*drive, *arguments, expect=expect, timeout=60)

    def test_a_disk_that_fills_up_leaves_nothing(self):
        def few_bytes():
            import resource
            import signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        result = self.run_program("sim", "drive", "-t", "oval", "--laps", "1", "--video", "a.mp4",
                                  preexec_fn=few_bytes)
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("a.mp4", result.stderr)
        self.assertEqual(self.files(), [])

    def test_eval_and_replay(self):
        self.run_well("train", "--run", "run", *SMALL_RUN)
        self.run_well("eval", "run", "--video", "eval.mp4", "--strip", "eval.png", *SMALL)
        self.assertEqual(self.film("eval.mp4")["height"], 180)
        recording = "run/recordings/eval.lfrec"
        self.run_well("replay", recording, "--video", "third.mp4", "--car", "3", *SMALL)
        self.assertGreater(self.film("third.mp4")["frames"], 45)
        self.assert_refused("replay", recording, "--video", "x.mp4", "--car", "4",
                            expect=["--car 4", "has 3"])
        self.assert_refused("replay", recording, recording, "--video", "x.mp4",
                            expect="one recording")
        self.assert_refused("eval", "run", "--video", "run/recordings/best.lfrec",
                            expect="a run's own file")


if __name__ == "__main__":
    unittest.main()
