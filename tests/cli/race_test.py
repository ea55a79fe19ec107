"""Tests lapforge race: policies with sensors and actions of their own and built-in drivers on one
road."""

import json
import unittest

from program import SMALL_RUN, ProgramTest

FEW_ACTIONS = ["--set", "sim.actions.kind=discrete",
               "--set", "sim.actions.discrete_steering_deg=[-20, 0, 20]",
               "--set", "sim.actions.discrete_speed_mps=[1, 1.5, 1]"]


def seconds(time_us):
    return f"{time_us * 1e-6:.3f} s"


class Racing(ProgramTest):
    def race(self, *arguments):
        return json.loads(self.run_well("race", *arguments, "--json").stdout)

    def check_sums(self, report):
        """What the places say follows from their laps."""
        places = report["places"]
        self.assertEqual([place["place"] for place in places], list(range(1, len(places) + 1)))
        self.assertEqual(sorted(place["car"] for place in places), list(range(1, len(places) + 1)))
        for place in places:
            times = [lap["lap_time_us"] for lap in place["laps"]]
            self.assertEqual(place["total_us"], sum(times) or None)
            self.assertEqual(place["best_lap_us"], min(times, default=None))
            finished = place["end"] == "lap_complete"
            self.assertEqual(place["gap_us"],
                             place["total_us"] - places[0]["total_us"] if finished else None)
        totals = [place["total_us"] for place in places if place["end"] == "lap_complete"]
        self.assertEqual(totals, sorted(totals))


class Policies(Racing):
    """Two runs that see and act differently; they need not drive well."""

    def setUp(self):
        super().setUp()
        self.run_well("train", "--run", "state", "--track", "oval", *SMALL_RUN)
        self.run_well("train", "--run", "lidar", "--track", "oval", *SMALL_RUN, *FEW_ACTIONS,
                      "--method", "ppo", "--set", "sim.sensors.kinds=[lidar, objects_ahead]")

    def test_they_race_each_other_and_a_line(self):
        race = ["state", "lidar/last.policy", "centerline", "--laps", "2"]
        report = self.race(*race, "--recording", "race.lfrec", "--threads", "1")
        self.assertEqual(report["track"], "oval")  # the runs' own
        self.assertEqual(sorted(place["driver"] for place in report["places"]),
                         ["centerline", "lidar/last.policy", "state"])
        self.check_sums(report)
        self.assertEqual(self.race(*race, "--threads", "3"), report)

        replay = self.run_well("replay", "race.lfrec").stdout
        self.assertIn(f"all {report['steps']} steps agree", replay)
        for place in report["places"]:
            for lap in place["laps"]:
                self.assertIn(f"car {place['car']}: lap in {seconds(lap['lap_time_us'])}", replay)

        # the table says the same
        rows = self.run_well("race", *race).stdout.splitlines()[1:]
        for row, place in zip(rows, report["places"], strict=True):
            self.assertEqual(row.split()[:4], [str(place["place"]), str(place["car"]),
                                               place["driver"], str(len(place["laps"]))])
            if place["laps"]:
                self.assertIn(seconds(place["total_us"]), row)
                self.assertIn(seconds(place["best_lap_us"]), row)
            if place["gap_us"]:
                self.assertIn("+" + seconds(place["gap_us"]), row)
            self.assertIn("finished" if place["end"] == "lap_complete" else place["end"], row)

    def test_all_decide_equally_often(self):
        self.run_well("train", "--run", "quick", "--track", "oval", *SMALL_RUN,
                      "--set", "sim.timing.control_hz=20")
        self.assert_refused("race", "state", "quick", expect="quick decides 20 times a second")

    def test_what_cannot_race(self):
        for arguments, expect in [
                (["state"], "1 driver: a race has 2 .. 8"),
                (["state", "absent"], "absent: expected the folder of a run, a policy file"),
                (["state", "state/track.npy"], "track.npy"),
                (["state", "lidar", "--speed", "1", "2"], "--speed: 2 for 0 built-in drivers"),
                (["state", "lidar", "--car", "rc_1_81"], "did you mean 'rc_1_18'"),
                (["state", "lidar", "--recording", "absent/a.lfrec"], "No such file or directory"),
                (["state", "lidar", "--recording", "state/recordings/best.lfrec"], "run's own")]:
            self.assert_refused("race", *arguments, expect=expect)


class Lines(Racing):
    """Built-in drivers only: nothing is trained."""

    def test_the_faster_driver_wins(self):
        for direction in [[], ["--reversed"]]:
            report = self.race("raceline", "centerline", "--track", "esses", "--laps", "2",
                               "--speed", "2.6", "2", *direction)
            self.check_sums(report)
            self.assertEqual([place["driver"] for place in report["places"]],
                             ["raceline", "centerline"])
            self.assertGreater(report["places"][1]["gap_us"], 5_000_000)

    def test_who_hits_whom(self):
        race = ["centerline", "centerline", "--track", "oval", "--laps", "1", "--speed", "0.5", "3"]
        report = self.race(*race)
        self.check_sums(report)
        rammer = next(place for place in report["places"] if place["car"] == 2)
        self.assertEqual([hit["car"] for hit in rammer["hits"]], [1])
        self.assertIn("car 1", self.run_well("race", *race).stdout)
        free = next(place for place in self.race(*race, "--crash-penalty", "0")["places"]
                    if place["car"] == 2)
        times = rammer["hits"][0]["times"]
        self.assertEqual(rammer["total_us"] - free["total_us"],
                         5_000_000 * times)

    def test_pictures(self):
        self.run_well("race", "centerline", "raceline", "--track", "oval", "--laps", "1",
                      "--picture", "a.svg", "--strip", "a.png", "--video-height", "180")
        self.assertIn("oval: won by raceline in ", (self.folder / "a.svg").read_text())
        self.assertTrue((self.folder / "a.png").read_bytes().startswith(b"\x89PNG"))

    def test_what_cannot_be_raced_on(self):
        points = "".join(f"{x / 4}, 0, 0.4, 0.4\n" for x in range(60))
        track = self.write("open.csv", points)
        for arguments, expect in [
                ([], "--track"),
                (["--track", track], "track open is open"),
                (["--track", "ovall"], "did you mean 'oval'"),
                (["--track", "oval", "--laps", "0"], "1 .. 10000"),
                (["--track", "oval", "--crash-penalty", "-1"], "--crash-penalty"),
                (["--track", "oval", "--seed", "-1"], "--seed -1"),
                (["--track", "oval", "--video", "absent/a.mp4"], "absent/a.mp4"),
                (["--track", "oval", "--picture", "absent/a.png"], "absent/a.png")]:
            self.assert_refused("race", "centerline", "centerline", *arguments, expect=expect)
        self.assert_refused("race", "centrline", "raceline", "--track", "oval",
                            expect="did you mean 'centerline'")
        self.assert_refused("race", *["centerline"] * 9, "--track", "oval",
                            expect="9 drivers: a race has 2 .. 8")


if __name__ == "__main__":
    unittest.main()
