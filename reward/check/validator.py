"""The DeepRacer console's validator of reward functions, spec/deepracer.md 1.6, in both variants.

Strict on purpose, with the faults of the original where they decide whether a file passes: its test
params lack three keys, and `waypoints` is an array of the inner border. Returns JSON records of the
original's shape: type, message, line and lineNumber.
"""

import ast
import builtins
import importlib.util
import inspect
import json
import math
import os
import subprocess
import sys
import tempfile

from lapforge_guards import put_back
from lapforge_watchdog import MAX_CALL_S, Overtime, dog

ALLOWED_IMPORTS = {"math", "random", "numpy", "scipy", "shapely"}
FORBIDDEN_CALLS = {"open", "exec", "eval", "compile", "input"}
FORBIDDEN_TEXTS = ("__import__", "load", "fromfile", "genfromtxt", "loadtxt", "tofile", "savez",
                   "save", "savetxt", "memmap")
LINT_IGNORES = {
    "console": "E2,E3,E4,E5,W,F401,F841",
    "droa": "E5,E226,E261",
}
MAX_DROA_CHARACTERS = 140000
MAX_REWARD = 1e5


class Refused(Exception):
    """One record: the validator stops at the first."""

    def __init__(self, kind, message, line="", number=None):
        super().__init__(message)
        self.record = {"type": kind, "message": message, "line": line}
        if number is not None:
            self.record["lineNumber"] = number


def validate(user_file, variant, rows):
    """A JSON list of records, empty where the file passes. `rows` are (x, y) of the track's center,
    inner and outer line, six numbers each."""
    try:
        _check_size(user_file.text, variant)
        _lint(user_file, variant)
        tree = _parse(user_file)
        _check_imports(tree)
        _check_calls(tree)
        _check_texts(user_file.text)
        _run(user_file, _test_params(rows))
    except Refused as refused:
        return json.dumps([refused.record])
    return "[]"


def has_lint():
    """True where flake8 is installed."""
    return importlib.util.find_spec("flake8") is not None


def _check_size(text, variant):
    if variant == "droa" and not 1 <= len(text) <= MAX_DROA_CHARACTERS:
        raise Refused("TEST_FAILURE", f"the file has {len(text)} characters; expected 1 .. "
                                      f"{MAX_DROA_CHARACTERS}")


def _lint(user_file, variant):
    if not has_lint():
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "reward_function.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(user_file.text)
        command = [sys.executable, "-m", "flake8", "--isolated", "--select=E,F",
                   f"--ignore={LINT_IGNORES[variant]}", "--format=%(code)s:%(row)d:%(text)s", path]
        output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    for finding in output.splitlines():
        code, number, message = finding.split(":", 2)
        # the original gives the number of a finding as text
        raise Refused(code, message, _line(user_file.text, int(number)), number)


def _parse(user_file):
    try:
        return ast.parse(user_file.text)
    except SyntaxError as error:
        raise Refused("SYNTAX_ERROR", error.msg, (error.text or "").strip(), error.lineno) from None


def _check_imports(tree):
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module or ".")
    illegal = sorted({name.split(".")[0] for name in modules} - ALLOWED_IMPORTS)
    if illegal:
        raise Refused("TEST_FAILURE", f"imports that are not allowed: {', '.join(illegal)}; "
                                      f"allowed are {', '.join(sorted(ALLOWED_IMPORTS))}")


def _check_calls(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in FORBIDDEN_CALLS:
                raise Refused("TEST_FAILURE", f"{node.func.id}() is not allowed (line "
                                              f"{node.lineno})")


def _check_texts(text):
    for forbidden in FORBIDDEN_TEXTS:
        if forbidden in text:
            number = text[:text.index(forbidden)].count("\n") + 1
            raise Refused("TEST_FAILURE", f"the text '{forbidden}' is not allowed anywhere, not "
                                          f"even in a comment or inside a word (line {number})")


def _run(user_file, cases):
    function = _guarded(user_file, user_file.load)
    if len(inspect.signature(function).parameters) != 1:
        raise Refused("TEST_FAILURE", "reward_function must have exactly one parameter")

    original = builtins.__import__

    # numpy imports parts of itself late
    def refuse_own_import(name, *arguments, **options):
        caller = sys._getframe(1)
        if user_file.is_own(caller.f_globals.get("__name__", ""), caller.f_code.co_filename):
            raise Refused("TEST_FAILURE", f"an import inside a function is not allowed: {name}")
        return original(name, *arguments, **options)

    builtins.__import__ = refuse_own_import
    try:
        _guarded(user_file, function, dict(cases["valid"]))
    finally:
        builtins.__import__ = original

    for name, params in cases.items():
        reward = _guarded(user_file, function, dict(params))
        if not isinstance(reward, float):
            raise Refused("TEST_FAILURE", f"case '{name}': returned {reward!r}, type "
                                          f"{type(reward).__name__}, not a float")
        if not abs(reward) <= MAX_REWARD:
            raise Refused("TEST_FAILURE", f"case '{name}': returned {reward}; expected "
                                          "-1e5 .. 1e5")


def _guarded(user_file, function, *arguments):
    """Calls user code; what it raises becomes a record, and so does a call without an end."""
    try:
        try:
            return dog.call(function, *arguments)
        finally:
            put_back()
    except Refused:
        raise
    except Overtime:
        raise Refused("TEST_FAILURE", f"Timed Out: a test may take {MAX_CALL_S:g} s") from None
    except BaseException as error:  # SystemExit too
        _, number = user_file.place_of(error)
        kind = "IMPORT_ERROR" if isinstance(error, ImportError) else "TEST_FAILURE"
        line = _line(user_file.text, number) if number else ""
        message = str(error) or type(error).__name__
        raise Refused(kind, message, line, number) from None


def _line(text, number):
    lines = text.split("\n")
    return lines[number - 1].strip() if 1 <= number <= len(lines) else ""


def _test_params(rows):
    inner = [row[2:4] for row in rows]
    width = math.dist(rows[0][2:4], rows[0][4:6])
    common = {
        "all_wheels_on_track": True, "distance_from_center": 0, "heading": 359.9, "progress": 0,
        "steps": 1, "track_width": width, "waypoints": _as_array(inner),
        "closest_waypoints": [0, 1], "is_left_of_center": True, "is_reversed": True,
        "track_length": sum(math.dist(a, b) for a, b in zip(inner, inner[1:])),
        "closest_objects": [0, 1], "object_in_camera": True, "is_crashed": False,
        "is_offtrack": False, **_objects(rows),
    }
    middle, last = len(rows) // 2, len(rows) - 1
    center, outer = rows[0][0:2], rows[0][4:6]
    off = [c + (o - c) / math.dist(center, outer) * width for c, o in zip(center, outer)]

    def case(x, y, **values):
        return {**common, "x": x, "y": y, **values}

    return {
        "valid": case((inner[0][0] + center[0]) / 2, (inner[0][1] + center[1]) / 2, heading=0,
                      speed=0.5, steering_angle=6),
        "start": case(*inner[0], heading=0, speed=0.1, steering_angle=0.2),
        "mid-lap": case(*inner[middle], progress=50, steps=100, speed=1.0, steering_angle=6,
                        closest_waypoints=[3, 4]),
        "off-track": case(*off, all_wheels_on_track=False, distance_from_center=width, speed=1,
                          steering_angle=15, is_offtrack=True),
        "finish": case(*inner[last], progress=100, steps=10000, speed=5.0, steering_angle=0,
                       closest_waypoints=[last - 1, last]),
    }


def _objects(rows):
    """Six objects, spread over the lap."""
    places = [rows[(2 * i + 1) * (len(rows) - 1) // 12][0:2] for i in range(6)]
    return {
        "objects_location": [list(place) for place in places],
        "objects_left_of_center": [True, True, False, True, False, True],
        "objects_speed": [0.2] * 6,
        "objects_heading": [2.7, 2.4, -1.9, -1.4, 0.0, 0.6],
        "objects_distance": [2.0, 4.1, 8.0, 10.0, 12.6, 15.1],
    }


def _as_array(points):
    try:
        import numpy
        return numpy.array(points)
    except ImportError:
        return points
