"""Tests lapforge sim: laps of the built-in driver, their recording and picture; bad input."""

import json
import re
import unittest

from program import ProgramTest


class Places(ProgramTest):
    def test_places_beyond_all_reason(self):
        for option in ["--offset", "--at", "--yaw"]:
            for value in ["nan", "inf", "1e308", "-1e38"]:
                result = self.run_program("sim", "frame", "--track", "oval", f"{option}={value}")
                self.assertEqual(result.returncode, 42, result.stderr)
                self.assertIn(option, result.stderr)

    def test_the_car_has_its_own_option(self):
        for command in ["frame", "drive"]:
            result = self.run_program("sim", command, "--track", "oval", "--set", "car=rc_1_10")
            self.assertEqual(result.returncode, 42)
            self.assertIn("--set car: use --car", result.stderr)


class Drive(ProgramTest):
    def drive(self, track, *arguments):
        result = self.run_well("sim", "drive", "--track", track, "--json", *arguments)
        return json.loads(result.stdout)

    def test_three_clean_laps_everywhere(self):
        tracks = json.loads(self.run_well("track", "list", "--json").stdout)
        for track in tracks:
            for direction in [[], ["--reversed"]]:
                report = self.drive(track["name"], *direction)
                self.assertEqual(report["clean_laps"], 3)
                # not faster than the speed it states, not slower than half of it
                for lap in report["laps"]:
                    speed = track["length_m"] / (lap["lap_time_us"] * 1e-6)
                    self.assertLess(speed, 2.2)
                    self.assertGreater(speed, 0.9)
                    self.assertLess(lap["top_speed_mps"], 2.1)

    def test_speed(self):
        slow = self.drive("oval", "--laps", "1", "--speed", "1")
        fast = self.drive("oval", "--laps", "1", "--speed", "2.5")
        self.assertGreater(slow["laps"][0]["lap_time_us"], 1.8 * fast["laps"][0]["lap_time_us"])

        slowest = self.drive("oval", "--laps", "3", "--speed", "0.1")
        self.assertEqual(len(slowest["laps"]), 3)

    def test_cars_have_the_same_way_to_go(self):
        points = "".join(f"{x / 4}, 0, 0.4, 0.4\n" for x in range(60))
        self.assert_refused("sim", "drive", "--track", self.write("open.csv", points),
                            "--cars", "2", expect="--cars 2: track open is open")

    def test_files(self):
        table = self.run_well("sim", "drive", "--track", "oval", "--recording", "a.lfrec",
                              "--picture", "a.png").stdout
        self.assertEqual(table.count(" clean"), 3)
        self.assertTrue((self.folder / "a.png").read_bytes().startswith(b"\x89PNG"))
        replay = self.run_well("replay", "a.lfrec").stdout
        times = [line.split()[1] for line in table.splitlines()[1:]]
        for time in times:
            self.assertIn(time, replay)
        self.assertIn("steps agree", replay)

    def test_racing_line(self):
        center = self.drive("esses", "--laps", "2")
        for policy in ["raceline", "line.csv"]:
            self.run_well("track", "raceline", "esses", "--margin", "0.1", "-o", "line.csv")
            line = self.drive("esses", "--laps", "2", "--policy", policy)
            self.assertEqual(line["clean_laps"], 2)
            self.assertLess(line["laps"][1]["lap_time_us"], center["laps"][1]["lap_time_us"])
        self.assert_refused("sim", "drive", "--track", "oval", "--policy", "racline",
                            expect="did you mean 'raceline'")
        self.assert_refused("sim", "drive", "--track", "oval", "--policy", "absent.csv",
                            expect="absent.csv")

    def test_a_line_of_another_track(self):
        self.run_well("track", "raceline", "hairpins", "-o", "hl.csv")
        self.assert_refused("sim", "drive", "--track", "oval", "--policy", "hl.csv",
                            expect="lapforge: hl.csv: ")

    def test_a_picture_shows_what_was_driven(self):
        def road(seed):
            self.run_program("sim", "drive", "--track", "oval", "--laps", "1", "--picture", "a.svg",
                             "--set", "randomize.track_width_frac=0.3", "--seed", seed)
            return re.search(r'<path fill="#34373c" d="([^"]*)"',
                             (self.folder / "a.svg").read_text())[1]

        # one of a few widths
        self.assertGreater(len({road(seed) for seed in range(1, 9)}), 1)

    def test_several_cars(self):
        race = ["--cars", "3", "--laps", "2", "--policy", "raceline", "centerline",
                "--speed", "2.4", "2.2", "1.8", "--recording", "race.lfrec", "--picture", "race.svg"]
        report = self.drive("esses", *race)
        self.assertEqual([car["policy"] for car in report["cars"]],
                         ["raceline", "centerline", "raceline"])
        times = []
        for car in report["cars"]:
            self.assertEqual(len(car["laps"]), 2)
            self.assertEqual(car["end"], "lap_complete")
            times.append(car["laps"][1]["lap_time_us"])
        # each at its own speed, the first one ahead of all
        self.assertLess(times[0], times[2])
        self.assert_refused("replay", "race.lfrec", "--car", "4",
                            expect="--car 4: the recording has 3")
        replay = self.run_well("replay", "race.lfrec").stdout
        self.assertIn("steps agree", replay)
        for i, car in enumerate(report["cars"]):
            for lap in car["laps"]:
                self.assertIn(f"car {i + 1}: lap in {lap['lap_time_us'] / 1e6:.3f} s", replay)

        table = self.run_well("sim", "drive", "--track", "esses", "--cars", "2",
                              "--laps", "1").stdout.splitlines()
        self.assertTrue(table[0].startswith("car"))
        self.assertEqual([line.split()[0] for line in table[1:]], ["1", "2"])

    def test_other_cars_are_in_the_picture(self):
        self.drive("oval", "--laps", "1", "--set", "objects.kind=bot", "--set", "objects.count=3",
                   "--picture", "a.svg")
        self.assertEqual((self.folder / "a.svg").read_text().count("#a6b6d6"), 3)

    def test_too_fast_leaves_the_road(self):
        result = self.run_program("sim", "drive", "--track", "hairpins", "--speed", "4",
                                  "--lateral", "20", "--braking", "20")
        self.assertEqual(result.returncode, 1)
        self.assertIn("off_track", result.stdout)


class Cars(ProgramTest):
    def test_list_and_show(self):
        cars = json.loads(self.run_well("car", "list", "--json").stdout)
        self.assertEqual([car["name"] for car in cars], ["rc_1_10", "rc_1_18", "rc_1_18_kinematic"])
        for car in cars:
            self.assertEqual(json.loads(self.run_well("car", "show", car["name"], "--json").stdout),
                             car)
            self.assertIn(car["name"], self.run_well("car", "list").stdout)
        # wheelbase / tan(0.4189), 1.0489 x 9.81
        self.assertAlmostEqual(cars[0]["turning_radius_m"], 0.742, 3)
        self.assertAlmostEqual(cars[0]["lateral_mps2"], 10.29, 2)

    def test_own_car(self):
        self.run_well("car", "show", "rc_1_18", "-o", "mine.textproto")
        text = (self.folder / "mine.textproto").read_text()
        self.write("mine.textproto", text.replace("friction: 1", "friction: 0.6"))
        self.assertIn("5.89 m/s^2", self.run_well("car", "show", "mine.textproto").stdout)
        self.run_well("sim", "drive", "--track", "oval", "--laps", "1", "--car", "mine.textproto")

        self.write("bad.textproto", text.replace("mass_kg", "mas_kg"))
        for command in [["car", "show", "bad.textproto"],
                        ["sim", "drive", "--track", "oval", "--car", "bad.textproto"]]:
            self.assert_refused(*command, expect=["bad.textproto:2", "mas_kg", "'mass_kg'"])
        self.write("heavy.textproto", text.replace("mass_kg: 7.203", "mass_kg: 7203000"))
        self.assert_refused("car", "show", "heavy.textproto", expect=["heavy.textproto:2", "mass_kg"])
        self.assert_refused("car", "show", "rc_1_81", expect="did you mean 'rc_1_18'")


class Bench(ProgramTest):
    def test_table(self):
        table = self.run_well("bench", "sim", "--env-steps", "640", "--envs", "8", "16",
                              "--csv").stdout.splitlines()
        rows = [dict(zip(table[0].split(","), line.split(","))) for line in table[1:]]
        scenes = {row["scene"] for row in rows}
        self.assertLessEqual({"state", "walls", "tracks"}, scenes)
        self.assertEqual(len(rows), 4 * len(scenes))
        for row in rows:
            self.assertGreater(float(row["steps_per_s"]), 100)
            twins = [other for other in rows
                     if (other["scene"], other["envs"]) == (row["scene"], row["envs"])]
            self.assertEqual({twin["threads"] for twin in twins}, {"1", "2"})
            self.assertEqual({twin["hash"] for twin in twins}, {row["hash"]})
        self.assertEqual(len({row["hash"] for row in rows}), 2 * len(scenes))

    def test_soak(self):
        table = self.run_well("bench", "sim", "--soak", "4000", "--envs", "8").stdout.splitlines()
        rows = [line.split() for line in table[1:]]
        self.assertEqual([row[0] for row in rows], ["walls", "widths"])
        for row in rows:
            self.assertGreaterEqual(int(row[1]), 2000)
            self.assertEqual(row[3:5], ["0", "0"])

    def test_bad_input(self):
        self.assert_refused("bench", "sim", "--envs", "0", expect="--envs")
        self.assert_refused("bench", "sim", "--soak", "0", expect="--soak")
        self.assert_refused("bench", "sim", "--threads", "0", expect="--threads")
        self.assert_refused("bench", "sim", "--scene", "x", expect="--scene")


class Frame(ProgramTest):
    def test_a_picture_of_the_asked_size(self):
        frame = ["sim", "frame", "--track", "oval", "--at", "2", "--rgb", "--out", "a.png",
                 "--set", "objects.count=3"]
        self.assertEqual(self.run_well(*frame, "--set", "sensors.camera.stereo=true").stdout,
                         "Picture: a.png, 160 x 240\n")
        self.assertEqual((self.folder / "a.png").read_bytes()[:4], b"\x89PNG")
        self.assert_refused("sim", "frame", "--track", "oval", "-o", "a.jpg",
                            expect=["a.jpg", "ends in .png"])
        self.assertFalse((self.folder / "a.jpg").exists())
        self.assert_refused(*frame, "--set", "sensors.camera.width_px=33", expect="multiple of 16")
        self.assert_refused(*frame, "--set", "sensors.camera.fov_dge=9", expect="fov_deg")
        self.assert_refused(*frame, "--set", "sensors.kinds=[camra]",
                            expect=["sensors.kinds[0] is 'camra'", "did you mean 'camera'"])


class BadInput(ProgramTest):
    def test_one_line(self):
        self.assert_refused("sim", "drvie", expect="did you mean 'drive'")
        self.assert_refused("sim", "drive", expect="--track")
        self.assert_refused("sim", "drive", "--track", "ovla", expect="did you mean 'oval'")
        drive = ["sim", "drive", "--track", "oval"]
        self.assert_refused(*drive, "--car", "rc_1_81", expect="did you mean 'rc_1_18'")
        self.assert_refused(*drive, "--car", "no.textproto", expect="no.textproto")
        self.assert_refused(*drive, "--laps", "0", expect="--laps")
        self.assert_refused(*drive, "--speed", "0", expect="--speed 0: expected a number in 0.1")
        self.assert_refused(*drive, "--lateral", "0", expect="--lateral")
        self.assert_refused(*drive, "--braking", "101", expect="--braking")
        self.assert_refused(*drive, "--cars", "9", expect="--cars 9")
        self.assert_refused(*drive, "--set", "cars_per_world=2", expect="--cars")
        self.assert_refused(*drive, "--speed", "1", "2", expect="--speed: 2 for 1 car")
        self.assert_refused(*drive, "--cars", "2", "--policy", *3 * ["centerline"],
                            expect="--policy: 3 for 2 cars")
        self.assert_refused(*drive, "--speed", "nan", expect="--speed nan: expected a number")
        self.assert_refused(*drive, "--policy", "x", expect="--policy")
        self.assert_refused(*drive, "--set", "wals=true", expect="did you mean 'walls'")
        self.assert_refused(*drive, "--set", "num_envs=0", expect="num_envs")
        self.assert_refused(*drive, "--set", "num_envs=1000000", expect="num_envs")
        self.assert_refused(*drive, "--recording", "no/such/a.lfrec", expect="no/such")


if __name__ == "__main__":
    unittest.main()
