"""Tests that check_budgets measures files, functions and parameters, and keeps its exceptions
honest."""

import unittest

from planted_tree import PlantedTreeTest

EXCEPTIONS = "tools/ci/budget_exceptions.txt"


def function_of(lines, header="int F()"):
    """A function that is so many lines long."""
    return header + " {\n" + "  G();\n" * (lines - 2) + "}\n"


class CheckBudgetsTest(PlantedTreeTest):
    def checked(self, text, path="sim/a.cpp"):
        self.plant(path, text)
        return self.check("check_budgets")

    def test_file_length(self):
        self.assertEqual(self.checked("int a;\n" * 500), "")
        self.assertEqual(self.checked("int a;\n" * 501),
                         "sim/a.cpp: 501 lines, at most 500 allowed\n")

    def test_function_length(self):
        self.assertEqual(self.checked(function_of(60)), "")
        self.assertEqual(self.checked("\n" + function_of(61)),
                         "sim/a.cpp:2: F has 61 lines, at most 60 allowed\n")

    def test_functions_are_found_in_every_dress(self):
        for header in ("namespace a {\nint F()", "struct S {\n  int F() const noexcept override",
                       "template <typename T>\nauto F(T a) -> std::vector<T>",
                       "S::F(int a) : a_(a), b_{a}, c_(G({1, 2}))", "bool F(A a = {}, B b = {1})",
                       'TEST_CASE("a { brace")', "int F(char c = '{')"):
            end = "}\n" if "\n" in header and "template" not in header else ""
            self.assertIn("has 61 lines", self.checked(function_of(61, header) + end), header)

    def test_braces_that_open_no_function(self):
        table = "const int kTable[] = {\n" + "  1,\n" * 80 + "};\nstruct S {\n" + "int a;\n" * 80
        self.assertEqual(self.checked(table + "};\n// void F() {\n" + "// a\n" * 80), "")

    def test_parameters(self):
        self.assertEqual(self.checked("void F(int a, int b, int c, int d, int e, M<int, 2> f);"), "")
        problem = "F has 7 parameters, at most 6 allowed: make a struct"
        self.assertIn(problem, self.checked("void F(int, int, int, int, int, int, int);"))
        self.assertIn(problem, self.checked("void F(int,\n int, int, int, int, int, int) {}"))

    def test_python_functions(self):
        long = "def f():\n" + "    g()\n" * 60
        self.assertIn("tools/a.py:1: f has 61 lines", self.checked(long, "tools/a.py"))

    def test_exceptions_need_a_reason_and_a_need(self):
        self.plant("sim/a.cpp", function_of(61))
        self.plant(EXCEPTIONS, "# comment\nsim/a.cpp:F a table in disguise\n")
        self.assertEqual(self.check("check_budgets"), "")
        self.plant(EXCEPTIONS, "sim/a.cpp:F\n")
        self.assertIn("has no reason", self.check("check_budgets"))
        self.plant(EXCEPTIONS, "sim/a.cpp:F it is long\nsim/b.cpp it was long\n")
        self.assertIn("sim/b.cpp is no longer needed", self.check("check_budgets"))


if __name__ == "__main__":
    unittest.main()
