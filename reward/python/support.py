"""The Python half of the Python reward: runs the user's file, words its errors, limits its prints.

Built into the program; `_lapforge` is the program's own module (interpreter.cpp). Standard modules
are imported here, before a user's folder can shadow them.
"""

import inspect
import io
import itertools
import linecache
import os
import posix
import signal
import sys
import traceback
import types

import _lapforge

MAX_PRINTED_LINES = 20  # of each loaded file
MAX_TEXT = 300  # characters of a message or a source line in an error
MAX_VALUE = 60  # characters of a value in an error

_numbers = itertools.count(1)


class LimitedWriter(io.TextIOBase):
    """Stands in for sys.stdout and sys.stderr: the first lines go to the log, the rest nowhere."""

    encoding = "utf-8"

    def __init__(self):
        self.start()

    def start(self):
        """Gives a new file its lines, whatever the one before did to sys."""
        self.is_muted = False
        self._lines_left = MAX_PRINTED_LINES
        self._partial = ""
        sys.stdout = sys.stderr = self

    def writable(self):
        return True

    def write(self, text):
        if self._lines_left <= 0 or self.is_muted:
            return len(text)
        *lines, self._partial = (self._partial + text).split("\n")
        for line in lines[: self._lines_left]:
            _lapforge.log(line)
        self._lines_left -= len(lines)
        if self._lines_left <= 0:
            _lapforge.log(f"further lines are not shown (only the first {MAX_PRINTED_LINES})")
        return len(text)


class UserFile:
    """A user's file and its running copies, one for each car."""

    def __init__(self, name, source):
        """`name` is the path as the user gave it, `source` the file's bytes. Runs nothing."""
        self.name = name
        self.path = os.path.abspath(name)
        self.function = None
        self._folder = os.path.dirname(self.path)
        self.text = _decode(source)
        self._code = None
        self._modules = []

    def load(self):
        """Runs the file as a new module with globals of its own; returns its reward_function."""
        if self._code is None:
            self._code = self._compile()
            writer.start()
            if self._folder not in sys.path:
                sys.path.insert(0, self._folder)

        # every car's copy would say the same
        writer.is_muted = bool(self._modules)
        try:
            self._run()
        finally:
            writer.is_muted = False
        return self.function

    def _run(self):
        # dataclasses and pickle look a class's module up by name
        module = types.ModuleType(f"lapforge_reward_{next(_numbers)}")
        module.__file__ = self.path
        sys.modules[module.__name__] = module
        self._modules.append(module)
        known = set(sys.modules)
        exec(self._code, vars(module))

        # modules beside the file belong to this copy: the next one gets its own
        for name in sys.modules.keys() - known:
            if self._is_beside(name, getattr(sys.modules[name], "__file__", None)):
                del sys.modules[name]

        self.function = _find_function(vars(module))

    def unload(self):
        """Frees all globals, so that files left open are flushed."""
        for module in self._modules:
            sys.modules.pop(module.__name__, None)
            vars(module).clear()

    def _compile(self):
        lines = [line + "\n" for line in self.text.split("\n")]
        linecache.cache[self.name] = (len(self.text), None, lines, self.name)
        return compile(self.text, self.name, "exec", dont_inherit=True)

    def describe_error(self, error):
        """One line: file, line, what went wrong, the source line."""
        if isinstance(error, LoadError):
            return f"{self.name}: {error}"
        file, line = self.place_of(error)
        message = f"{_place(file, line)}: {type(error).__name__}{_message_of(error)}"
        source = linecache.getline(file, line).strip() if line else ""
        return f"{message}; the line is: {_short(source)}" if source else message

    def describe_result(self, result):
        """One line about a return value that is no reward."""
        code = getattr(self.function, "__code__", None)
        place = _place(self.name, code and code.co_firstlineno)
        try:
            value = _short(repr(result), MAX_VALUE)
        except Exception:
            value = f"a {type(result).__name__}"
        hint = " (does every path end in a return?)" if result is None else ""
        return f"{place}: reward_function returned {value}{hint}; expected a number in -1e5 .. 1e5"

    def place_of(self, error):
        if isinstance(error, SyntaxError) and error.filename:
            return error.filename, error.lineno
        place = self.name, None
        for frame, line in traceback.walk_tb(error.__traceback__):
            file = frame.f_code.co_filename
            name = frame.f_globals.get("__name__", "")
            if file == self.name or self._is_beside(name, file):
                place = file, line
        return place

    def _is_beside(self, name, file):
        """True for a module or a package's part that was found in the user's folder."""
        start = os.path.join(self._folder, name.partition(".")[0])
        return isinstance(file, str) and file.startswith(start)


class Interrupted(BaseException):
    """The user's code did not come back when the training was to stop."""

    def __str__(self):
        return "still running when a stop was asked for"


def install_interrupt():
    """What the program's InterruptPython does to the code that runs."""

    def interrupt(number, frame):
        raise Interrupted

    signal.signal(signal.SIGINT, interrupt)


def _forbid(name):
    """Makes a call that would end the program an error; child processes end as they like."""
    original = getattr(os, name)
    program = os.getpid()

    def refuse(*arguments, **options):
        if os.getpid() == program:
            raise SystemExit
        return original(*arguments, **options)

    setattr(os, name, refuse)
    setattr(posix, name, refuse)


class LoadError(Exception):
    """The file ran, but holds no usable reward_function."""


def _decode(source):
    # old files of Windows editors are not UTF-8; latin-1 takes any bytes
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = source.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _find_function(names):
    function = names.get("reward_function")
    if function is None:
        others = [name for name, value in names.items() if inspect.isfunction(value)]
        hint = _lapforge.did_you_mean("reward_function", others)
        if others and not hint:
            hint = f" (it defines {_short(', '.join(others))})"
        raise LoadError(f"there is no function reward_function(params){hint}")
    if not callable(function):
        raise LoadError(f"reward_function is {_short(repr(function))}; expected a function")
    try:
        signature = inspect.signature(function)
        signature.bind(None)
    except TypeError:
        raise LoadError(f"reward_function takes {signature}; expected one argument, params")
    except ValueError:
        pass  # a built-in without a signature
    return function


def _message_of(error):
    if isinstance(error, SystemExit):
        return ": exit() was called, which a reward function may not"
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        text = _short(" ".join(text.split()))
    except Exception:
        text = ""  # the exception's own __str__ failed
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        text += f" (rewards run on the system's Python: apt install python3-{package})"
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        keys, extras = _lapforge.param_keys(), _lapforge.extra_keys()
        missing = error.args[0]
        if missing in extras:
            text += " (an extra key: the file itself must name it in quotes)"
        elif missing not in keys:
            text += _lapforge.did_you_mean(missing, keys) or _lapforge.did_you_mean(missing, extras)
    return f": {text}" if text else ""


def _place(file, line):
    return f"{file}:{line}" if line else file


def _short(text, limit=MAX_TEXT):
    return text if len(text) <= limit else text[:limit] + "..."


writer = LimitedWriter()
for call in ("_exit", "abort", "execv", "execve"):
    _forbid(call)
sys.stdin = None  # input() fails at once instead of waiting for a key
