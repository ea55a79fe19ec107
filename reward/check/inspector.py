"""Looks at a user's reward file and watches it run: keys, branches, times, prints.

Built into the program beside support.py; the C++ side (inspection.cpp) hands in the params of real
drives and reads `report()`, a JSON text.
"""

import ast
import io
import json
import math
import sys

from lapforge_guards import put_back
from lapforge_watchdog import MAX_CALL_S, Overtime, dog

MAX_REWARD = 1e5
REWARD_NAMES = ("reward_function", "reward_batch")


class PrintCounter(io.TextIOBase):
    """Stands in for sys.stdout and sys.stderr: counts lines and shows none."""

    encoding = "utf-8"

    def __init__(self):
        self.num_lines = 0

    def writable(self):
        return True

    def write(self, text):
        self.num_lines += text.count("\n")
        return len(text)


class RecordingParams(dict):
    """The params of one call, which notes the keys that are read and asked for."""

    __slots__ = ("read", "is_changed")

    def __init__(self, values, read):
        super().__init__(values)
        self.read = read
        self.is_changed = False

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.read.add(key)
        return super().get(key, default)

    def __contains__(self, key):
        self.read.add(key)
        return super().__contains__(key)

    def __setitem__(self, key, value):
        self.is_changed = True
        super().__setitem__(key, value)


class Inspector:
    """One user file; `call` is what the drives go through."""

    def __init__(self, user_file):
        self._file = user_file
        self._function = None
        self._read = set()
        self._num_calls = 0
        self._calls_with_line = {}
        self._lines = set()
        self._is_params_changed = False
        self._printed = PrintCounter()
        self.is_overtime = False

    def load(self):
        """A fresh copy of the file, with globals of its own. The user's exceptions come through."""
        self._function = self._watch(self._file.load)

    def call(self, params):
        """The reward of one step, or an exception that `describe` words."""
        watched = RecordingParams(self._file.params_for(params), self._read)
        self._lines.clear()
        self._num_calls += 1
        try:
            result = self._watch(self._function, watched)
        finally:
            for line in self._lines:
                self._calls_with_line[line] = self._calls_with_line.get(line, 0) + 1
            self._is_params_changed |= watched.is_changed
        return self._reward_of(self._file.reward_from(result))

    def _watch(self, function, *arguments):
        """Calls with an eye on lines, time and prints."""
        printed, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), self._printed, self._printed
        sys.settrace(self._trace)
        try:
            return dog.call(function, *arguments)
        except Overtime:
            self.is_overtime = True
            raise
        finally:
            sys.settrace(None)
            put_back()
            sys.stdout, sys.stderr = printed

    def describe(self, error):
        if isinstance(error, BadResult):
            return self._file.describe_result(error.args[0])
        if isinstance(error, Overtime):
            file, line = self._file.place_of(error)
            return f"{file}:{line}: a call took more than {MAX_CALL_S:g} s, and was broken off here"
        return self._file.describe_error(error)

    def report(self):
        source = SourceView(self._file)
        calls = max(self._num_calls, 1)
        branches = [
            {"line": line, "text": text, "share": self._calls_with_line.get(first, 0) / calls}
            for line, first, text in source.branches()
        ]
        batch_keys = {"env_index"} if self._file.is_batch else set()
        read = sorted(key for key in self._read - batch_keys if isinstance(key, str))
        return json.dumps({
            "branches": branches,
            "keys_read": read,
            "keys_in_source": [pair for pair in source.keys() if pair[0] not in batch_keys],
            "never_true": source.never_true(),
            "remarks": source.remarks(),
            "is_params_changed": self._is_params_changed,
            "num_printed_lines": self._printed.num_lines,
        })

    @staticmethod
    def _reward_of(result):
        try:
            value = float(result)
        except Exception:
            raise BadResult(result) from None
        if not abs(value) <= MAX_REWARD:
            raise BadResult(result)
        return value

    def _trace(self, frame, _event, _argument):
        return self._trace_line if frame.f_code.co_filename == self._file.name else None

    def _trace_line(self, frame, event, _argument):
        if event == "line":
            self._lines.add(frame.f_lineno)
        return self._trace_line


class BadResult(Exception):
    """Holds what the function returned in place of a number."""


class SourceView:
    """What can be seen in the source alone."""

    def __init__(self, user_file):
        self._text = user_file.text
        self._lines = self._text.split("\n")
        self._tree = ast.parse(self._text)
        self._params_names = self._find_params_names()
        self._names_of_keys = self._find_names_of_keys()

    def keys(self):
        """[[key, line]] of all constant keys that are read from the params."""
        found = []
        for node in ast.walk(self._tree):
            key = self._key_of(node)
            if key is not None and not isinstance(getattr(node, "ctx", None), ast.Store):
                found.append([key, node.lineno])
        return sorted(found, key=lambda pair: pair[1])

    def branches(self):
        """(line, first line of the body, text) of each branch inside a function."""
        found = []
        for function in ast.walk(self._tree):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for node in ast.walk(function):
                    found += self._branches_of(node)
        return sorted(set(found))

    def never_true(self):
        """[[line, why]] of comparisons that the values of the params can never satisfy."""
        found = []
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Compare) and len(node.ops) == 1:
                found += self._judge_comparison(node)
        return sorted(found)

    def remarks(self):
        """[[line, text]]: keys that mean something else than most people think."""
        found = []
        for key, line in self.keys():
            if key == "is_reversed":
                found.append([line, "is_reversed says that the track is driven against its file's "
                                    "direction; it does not say that the car faces the wrong way"])
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call) and _name_of(node.func) == "radians":
                if any(self._key_of(part) == "objects_heading" or
                       self._names_of_keys.get(_name_of(part)) == "objects_heading"
                       for part in ast.walk(node)):
                    found.append([node.lineno, "objects_heading is in radians already, whatever "
                                               "the guide says"])
        return sorted(found + self._dangers())

    def _dangers(self):
        """[[line, text]]: what can end or hang the program where an exception would not."""
        found = []
        for node in ast.walk(self._tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Attribute):
                names = [ast.unparse(node)]
            for name in names:
                if name.partition(".")[0] in _DANGEROUS or name == "os.fork":
                    found.append([node.lineno, f"{name} can crash or hang the program: train with "
                                               "--set reward.workers=2, where that only ends an "
                                               "episode"])
        first = {}
        for line, text in sorted(found):
            first.setdefault(text.partition(" ")[0].partition(".")[0], [line, text])
        return list(first.values())

    def _find_params_names(self):
        names = set()
        for node in ast.walk(self._tree):
            if isinstance(node, ast.FunctionDef) and node.name in REWARD_NAMES:
                names.update(argument.arg for argument in node.args.args[:1])
        # helpers mostly call it the same, and may get it under another name
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Assign) and _name_of(node.value) in names:
                names.update(_name_of(target) for target in node.targets)
        names.discard(None)
        return names

    def _find_names_of_keys(self):
        names = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Assign) and self._key_of(node.value) is not None:
                for target in node.targets:
                    if _name_of(target):
                        names[_name_of(target)] = self._key_of(node.value)
        return names

    def _key_of(self, node):
        """The constant key that an expression reads from the params, or None."""
        if isinstance(node, ast.Subscript):
            owner, key = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr != "get" or not node.args:
                return None
            owner, key = node.func.value, node.args[0]
        else:
            return None
        is_text = isinstance(key, ast.Constant) and isinstance(key.value, str)
        return key.value if is_text and _name_of(owner) in self._params_names else None

    def _branches_of(self, node):
        if isinstance(node, ast.If):
            yield node.lineno, node.body[0].lineno, self._line_text(node.lineno)
            # an elif is an If of its own
            if node.orelse and not self._is_elif(node.orelse[0]):
                text = f"else of line {node.lineno}"
                yield node.orelse[0].lineno, node.orelse[0].lineno, text
        elif isinstance(node, (ast.For, ast.While)):
            yield node.lineno, node.body[0].lineno, self._line_text(node.lineno)
        elif isinstance(node, ast.ExceptHandler):
            yield node.lineno, node.body[0].lineno, self._line_text(node.lineno)

    def _is_elif(self, node):
        return isinstance(node, ast.If) and self._line_text(node.lineno).startswith("elif")

    def _line_text(self, line):
        text = self._lines[line - 1].strip()
        return text if len(text) <= 60 else text[:57] + "..."

    def _judge_comparison(self, node):
        key, constant = self._key_behind(node.left), _number_of(node.comparators[0])
        operator = type(node.ops[0])
        if key is None or constant is None:
            key, constant = self._key_behind(node.comparators[0]), _number_of(node.left)
            operator = _MIRRORED.get(operator)
        if key not in _RANGES or constant is None or operator is None:
            return
        low, high, why = _RANGES[key]
        if _is_never(operator, constant, low, high):
            yield [node.lineno, f"'{ast.unparse(node)}' is never true: {why}"]

    def _key_behind(self, node):
        key = self._key_of(node)
        return key if key is not None else self._names_of_keys.get(_name_of(node))


_DANGEROUS = ("ctypes", "multiprocessing", "signal", "subprocess", "threading")

_RANGES = {
    "steps": (2, math.inf, "steps is 2 in the first call of an episode"),
    "progress": (-100, 100, "progress is in percent and ends at 100"),
    "distance_from_center": (0, math.inf, "distance_from_center has no sign"),
    "speed": (0, math.inf, "speed is not negative"),
    "track_width": (0, math.inf, "track_width is a length"),
    "heading": (-180, 180, "heading is in -180 .. 180 degrees"),
}

_MIRRORED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq}


def _is_never(operator, constant, low, high):
    if operator is ast.Eq:
        return not low <= constant <= high
    if operator is ast.Lt:
        return constant <= low
    if operator is ast.LtE:
        return constant < low
    if operator is ast.Gt:
        return constant >= high
    return operator is ast.GtE and constant > high


def _number_of(node):
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number_of(node.operand)
        return None if value is None else -value
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return node.value if is_number else None


def _name_of(node):
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None
