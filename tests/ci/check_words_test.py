"""Tests that check_words finds TODOs without a number, commented-out code and machine paths, and
leaves ordinary comments alone."""

import unittest

from planted_tree import PlantedTreeTest


class CheckWordsTest(PlantedTreeTest):
    def checked(self, line, path="sim/a.cpp"):
        self.plant(path, line + "\n")
        problems = self.check("check_words")
        (self.tree / path).unlink()
        return problems

    def test_todo_needs_a_number(self):
        self.assertIn("needs an issue's number", self.checked("// TODO: later"))
        self.assertIn("needs an issue's number", self.checked("# FIXME", "tools/a.py"))
        self.assertEqual(self.checked("// TODO(#12): later"), "")

    def test_commented_out_code(self):
        for line in ("// Step(batch);", "  //speed = 3;", "// return x;", "// if (a) {", "// }",
                     "// #include <a>", "  // ++count; i++;"):
            self.assertIn("is commented-out code", self.checked(line), line)

    def test_ordinary_comments_pass(self):
        for line in ("// The car stops; then it turns (see below).", "//   sim.Step(batch);",
                     "}  // namespace lapforge", "// r = 0.1 * (progress - 5)", "int a;  // a = 1"):
            self.assertEqual(self.checked(line), "", line)

    def test_machine_paths_and_hosts(self):
        self.assertIn("path of one machine", self.checked("cd /home/me/lapforge", "a.sh"))
        self.assertIn("path of one machine", self.checked('f("/root/.cache")'))
        self.assertIn("host of one place", self.checked("see pypi.org", "README.md"))
        self.assertEqual(self.checked("cat ~/work/a $d/home/b /usr/bin/python3", "a.sh"), "")


if __name__ == "__main__":
    unittest.main()
