"""Tests ./lapforge on a machine of fakes: what it installs and when, that it resumes, what it says
when something is missing, and that the program gets its arguments. No network, nothing installed."""

import shutil
import unittest

from fake_machine import FakeMachine


class FrontDoorTest(unittest.TestCase):
    def setUp(self):
        self.machine = FakeMachine()
        self.addCleanup(self.machine.remove)

    def called(self):
        return {line.split()[0] for line in self.machine.calls()}

    def test_program_gets_the_arguments_and_gives_the_status(self):
        status, output, _ = self.machine.run("train", "a b", "", "--set=x y", EXIT_WITH="7")
        self.assertEqual((status, output), (7, "<train><a b><><--set=x y>"))

    def test_help_of_the_tests_needs_nothing(self):
        for word in ["--help", "-h", "help"]:
            status, output, errors = self.machine.run("test", word)
            self.assertEqual((status, errors, self.called()), (0, "", set()))
            self.assertIn("./lapforge test [NAME]", output)

    def test_the_program_knows_what_was_typed(self):
        self.machine.add_command(self.machine.state / "program", 'echo "$LAPFORGE_COMMAND"')
        script = self.machine.checkout / "lapforge"
        self.assertEqual(self.machine.run("train")[1], f"{script}\n")
        self.assertEqual(self.machine.run("train", script="./lapforge",
                                          cwd=self.machine.checkout)[1], "./lapforge\n")

    def test_runs_through_a_link_from_another_folder(self):
        link = self.machine.folder / "link"
        link.symlink_to(self.machine.checkout / "lapforge")
        status, output, _ = self.machine.run("eval", script=link, cwd=self.machine.folder)
        self.assertEqual((status, output), (0, "<eval>"))

    def test_second_run_installs_and_configures_nothing_and_says_nothing(self):
        self.machine.run("train")
        self.assertEqual(self.called(), {"dpkg-query", "pip", "cmake", "ninja"})
        status, _, errors = self.machine.run("train")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(self.called(), {"dpkg-query", "ninja"})

    def test_root_installs_only_the_missing_packages(self):
        self.machine.uninstall("ccache", "catch2")
        self.assertEqual(self.machine.run("train")[0], 0)
        calls = self.machine.calls()
        install = [line for line in calls if line.startswith("apt-get install")]
        self.assertEqual(len(install), 1)
        self.assertTrue(install[0].endswith(" ccache catch2"), install)
        self.assertFalse([line for line in calls if line.startswith("sudo")])

    def test_others_install_with_sudo(self):
        self.machine.uninstall("ccache")
        (self.machine.state / "uid").write_text("1000\n")
        self.assertEqual(self.machine.run("train")[0], 0)
        calls = self.machine.calls()
        self.assertIn("sudo apt-get update", "\n".join(calls))
        self.assertTrue(any(line.startswith("sudo env DEBIAN_FRONTEND") for line in calls))

    def test_without_root_and_sudo_it_says_what_to_ask_for(self):
        self.machine.uninstall("ccache", "catch2")
        (self.machine.state / "uid").write_text("1000\n")
        (self.machine.commands / "sudo").unlink()
        status, _, errors = self.machine.run("train")
        self.assertEqual(status, 1)
        self.assertIn("missing: ccache catch2", errors)
        self.assertIn("apt-get install --yes --no-install-recommends ccache catch2", errors)
        self.assertEqual(self.called(), {"dpkg-query", "id"})

    def test_without_root_it_works_when_the_packages_are_there(self):
        (self.machine.state / "uid").write_text("1000\n")
        (self.machine.commands / "sudo").unlink()
        self.assertEqual(self.machine.run("train")[0], 0)

    def test_no_setup_names_missing_packages_and_installs_nothing(self):
        self.machine.uninstall("libbullet-dev")
        for arguments in (("--no-setup", "train"), ("train", "--no-setup")):
            status, _, errors = self.machine.run(*arguments)
            self.assertEqual(status, 1)
            self.assertIn("missing: libbullet-dev. Install them with: sudo apt-get install", errors)
            self.assertEqual(self.called(), {"dpkg-query"})

    def test_no_setup_names_missing_libtorch_and_installs_nothing(self):
        status, _, errors = self.machine.run("train", "--no-setup")
        self.assertEqual(status, 1)
        self.assertIn("libtorch 2.11.0 is missing", errors)
        self.assertEqual(self.called(), {"dpkg-query"})

    def test_no_setup_builds_and_runs_when_nothing_is_missing(self):
        self.machine.libtorch().joinpath("torch").mkdir(parents=True)
        status, output, _ = self.machine.run("--no-setup", "train")
        self.assertEqual((status, output), (0, "<train>"))

    def test_no_network_is_one_plain_line_and_leaves_nothing(self):
        (self.machine.state / "no_network").touch()
        status, _, errors = self.machine.run("train")
        self.assertEqual(status, 1)
        self.assertIn("libtorch could not be installed. Are the network", errors)
        self.assertFalse(self.machine.libtorch().exists())
        self.machine.uninstall("ccache")
        status, _, errors = self.machine.run("train")
        self.assertEqual(status, 1)
        self.assertIn("the packages could not be installed. Is the network there?", errors)

    def test_an_interrupted_installation_of_libtorch_starts_again(self):
        (self.machine.state / "killed").touch()
        self.assertNotEqual(self.machine.run("train")[0], 0)
        self.assertFalse(self.machine.libtorch().exists())
        (self.machine.state / "killed").unlink()
        self.assertEqual(self.machine.run("train")[0], 0)
        self.assertTrue(self.machine.libtorch().joinpath("torch/lib").exists())
        self.assertFalse(self.machine.libtorch().with_name("libtorch-2.11.0.partial").exists())

    def test_two_at_once_install_libtorch_once(self):
        (self.machine.state / "slow").touch()
        both = [self.machine.start("train"), self.machine.start("train")]
        errors = "".join(process.communicate(timeout=60)[1] for process in both)
        self.assertEqual([process.returncode for process in both], [0, 0])
        self.assertIn("waiting for another lapforge", errors)
        self.assertEqual(sum(line.startswith("pip") for line in self.machine.calls()), 1)

    def test_libtorch_of_the_user_is_used(self):
        own = self.machine.folder / "own torch"
        for folder in ("include", "lib"):
            (own / folder).mkdir(parents=True)
        self.assertEqual(self.machine.run("train", LAPFORGE_LIBTORCH=str(own))[0], 0)
        calls = "\n".join(self.machine.calls())
        self.assertNotIn("\npip", calls)
        self.assertIn(f"-DLAPFORGE_LIBTORCH:PATH={own}", calls)

    def test_wrong_libtorch_of_the_user_is_named(self):
        status, _, errors = self.machine.run("train", LAPFORGE_LIBTORCH="/nowhere")
        self.assertEqual(status, 1)
        self.assertIn("LAPFORGE_LIBTORCH is /nowhere, which has no include/ and lib/", errors)

    def test_cuda_packages_come_when_asked_for_also_later(self):
        self.machine.run("train")
        self.assertFalse(self.machine.libtorch().joinpath("nvidia").exists())
        self.assertEqual(self.machine.run("--cuda", "train")[1], "<train>")
        self.assertTrue(self.machine.libtorch().joinpath("nvidia/cudnn").exists())
        self.machine.calls()
        self.machine.run("--cuda", "train")
        self.assertEqual(self.called(), {"dpkg-query", "ninja"})

    def test_cuda_packages_come_where_a_driver_answers(self):
        self.machine.add_command(self.machine.commands / "nvidia-smi", "true")
        self.machine.run("train")
        self.assertTrue(self.machine.libtorch().joinpath("nvidia/cudnn").exists())

    def test_compiler_errors_are_shown_without_progress(self):
        (self.machine.state / "bad_source").touch()
        status, output, errors = self.machine.run("train")
        self.assertEqual((status, output), (1, ""))
        self.assertIn("a.cpp:1: error: no", errors)
        self.assertIn("the build failed", errors)
        self.assertNotIn("CXX a", errors)

    def test_a_moved_checkout_is_configured_again(self):
        self.machine.run("train")
        moved = self.machine.folder / "moved"
        shutil.move(self.machine.checkout, moved)
        self.machine.calls()
        self.assertEqual(self.machine.run("train", script=moved / "lapforge")[0], 0)
        self.assertIn("cmake", self.called())

    def test_a_missing_compiler_is_named(self):
        (self.machine.commands / "c++").unlink()
        status, _, errors = self.machine.run("train")
        self.assertEqual(status, 1)
        self.assertIn("c++ is not installed", errors)


if __name__ == "__main__":
    unittest.main()
