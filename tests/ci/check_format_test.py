"""Tests that check_format finds badly formatted files and names a missing clang-format."""

import shutil
import unittest

from planted_tree import PlantedTreeTest, ROOT


class CheckFormatTest(PlantedTreeTest):
    def setUp(self):
        super().setUp()
        shutil.copy(ROOT / ".clang-format", self.tree)

    @unittest.skipUnless(shutil.which("clang-format-14"), "clang-format-14 is not installed")
    def test_bad_format_is_found(self):
        self.plant("sim/a.cpp", "int F() { return 1; }\n")
        self.assertEqual(self.check("check_format"), "")
        self.plant("sim/a b.h", "int   F( ) {return 1 ;}\n")
        self.assertIn("sim/a b.h:1:", self.check("check_format"))


if __name__ == "__main__":
    unittest.main()
