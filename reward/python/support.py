"""The Python half of the Python reward: runs the user's file, words its errors, limits its prints.

Built into the program; `_lapforge` is the program's own module (interpreter.cpp). Standard modules
are imported here, before a user's folder can shadow them.
"""

import ast
import builtins
import importlib.util
import inspect
import io
import itertools
import linecache
import math
import os
import re
import sys
import traceback
import types

import _lapforge
from lapforge_guards import BUILTINS, Interrupted, change_folder, copy_of_builtins, put_back

MAX_PRINTED_LINES = 20  # of each loaded file
MAX_TEXT = 300  # characters of a message or a source line in an error
MAX_VALUE = 60  # characters of a value in an error
MAX_KEPT = 100_000_000  # characters of prints in a file: a night of prints must not fill the disk
MATH = dict(vars(math))  # as it was before any user's file could change it
KEPT_MODULES = "reward_modules"  # folder beside a run's copy of the file: what it imports

# what the system's package manager has, under these names
PACKAGES = {"matplotlib", "networkx", "numba", "numpy", "pandas", "scipy", "shapely", "sympy"}

_numbers = itertools.count(1)


class LimitedWriter(io.TextIOBase):
    """Stands in for sys.stdout and sys.stderr: the first lines go to the log, all to a file."""

    encoding = "utf-8"

    def __init__(self):
        self._kept = None
        self.start("")

    def start(self, kept_name):
        """Gives a new file its lines, whatever the one before did to sys. `kept_name`: a file to
        append all that is printed to, or "" for none."""
        self.is_muted = False
        self._lines_left = MAX_PRINTED_LINES
        self._partial = ""
        self.stop()
        if kept_name:
            self._kept = open(kept_name, "a", 1, "utf-8", "backslashreplace")
        self._kept_left = MAX_KEPT
        sys.stdout = sys.stderr = self

    def stop(self):
        """What was printed is in the file."""
        kept, self._kept = self._kept, None
        try:
            if kept:
                kept.close()
        except OSError as error:
            _lapforge.log(f"prints are lost: {error}")

    def writable(self):
        return True

    def fileno(self):
        return 2  # for what writes past Python: faulthandler, other programs

    def _keep(self, text):
        self._kept_left -= len(text)
        try:
            self._kept.write(text if self._kept_left > 0 else "\n(full: no more prints are kept)\n")
        except OSError as error:
            _lapforge.log(f"prints are no longer kept: {error}")
            self._kept_left = 0
        if self._kept_left <= 0:
            self.stop()

    def write(self, text):
        if self._kept and not self.is_muted:
            self._keep(text)
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

    def __init__(self, name, source, kept_name=""):
        """`name` is the path as the user gave it, `source` the file's bytes, `kept_name` where
        prints are kept. Runs nothing."""
        self.name = name
        self.path = os.path.abspath(name)
        self._start = _folder_now()
        self.function = None
        self.is_batch = False  # `function` is reward_batch, known once loaded
        self.mutes_loading = False  # another process shows what the file prints while it loads
        self._kept_name = kept_name
        folder = os.path.dirname(self.path)
        self._folders = [os.path.join(folder, KEPT_MODULES), folder]
        self.text = _decode(source)
        self._code = None
        self._modules = []

    def load(self):
        """Runs the file as a new module with globals of its own; returns its reward_function, or
        its reward_batch where it has one."""
        if self._code is None:
            self._code = self._compile()
            writer.start(self._kept_name)
            _search_first(self._folders)
            self._warn_of_hidden_modules()

        # every car's copy would say the same
        writer.is_muted = bool(self._modules) or self.mutes_loading
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
        vars(math).update(MATH)
        if self._start:
            change_folder(self._start)
        try:
            exec(self._code, vars(module))
        finally:
            found = copy_of_builtins()
            put_back()
        if len(self._modules) == 1:
            self._warn_of_changes(math, MATH, vars(math), "for all cars alike")
            self._warn_of_changes(builtins, BUILTINS, found, "which is undone")

        # modules beside the file belong to this copy: the next one gets its own
        for name in sys.modules.keys() - known:
            if self._is_beside(name, getattr(sys.modules[name], "__file__", None)):
                del sys.modules[name]

        names = vars(module)
        self.is_batch = "reward_batch" in names
        self.function = _find_function(names, "reward_batch" if self.is_batch else "reward_function")

    def _warn_of_changes(self, module, before, after, consequence):
        changed = sorted(name for name, value in before.items() if after.get(name) is not value)
        if changed:
            _lapforge.log(f"{self.name} changes {module.__name__}.{changed[0]}, {consequence}; write "
                          "a function of your own instead")

    def _warn_of_hidden_modules(self):
        for name in sorted(_imported_names(self.text) & sys.stdlib_module_names):
            for _, path in self._files_of(name):
                _lapforge.log(f"{path} is not used: 'import {name}' means Python's own module; "
                              "give the file another name")

    def unload(self):
        """Frees all globals, so that files left open are flushed."""
        for module in self._modules:
            sys.modules.pop(module.__name__, None)
            vars(module).clear()
        writer.stop()

    def params_for(self, params):
        """What the function gets for the params of a single car."""
        return batch_of_one(params) if self.is_batch else params

    def reward_from(self, result):
        """The reward in what the function returned for these."""
        return self.batch_rewards(result, 1)[0] if self.is_batch else result

    def batch_rewards(self, result, count):
        """What reward_batch returned as an array of `count` float64, its values not yet judged."""
        import numpy

        array = numpy.asarray(result)
        expected = f"expected an array of {count} numbers, one for each car"
        if array.dtype.kind not in "biuf":
            value = _short_repr(result)
            raise BadBatch(f"reward_batch returned {value}; {expected}")
        if array.shape != (count,):
            shape = " x ".join(map(str, array.shape)) or "a single number"
            raise BadBatch(f"reward_batch returned {shape} numbers; {expected}"
                           if array.shape else f"reward_batch returned {shape}; {expected}")
        return numpy.ascontiguousarray(array, dtype=numpy.float64)

    def describe_batch_value(self, value, env_index):
        """One line about an element of what reward_batch returned that is no reward."""
        return (f"{self._function_place()}: reward_batch returned {value} for the car of env_index "
                f"{env_index}; expected numbers in -1e5 .. 1e5")

    def _function_place(self):
        code = getattr(self.function, "__code__", None)
        return _place(self.name, code and code.co_firstlineno)

    def _compile(self):
        lines = [line + "\n" for line in self.text.split("\n")]
        linecache.cache[self.name] = (len(self.text), None, lines, self.name)
        return compile(self.text, self.name, "exec", dont_inherit=True)

    def describe_error(self, error):
        """One line: file, line, what went wrong, the source line."""
        put_back()
        if isinstance(error, LoadError):
            return f"{self.name}: {error}"
        if isinstance(error, BadBatch):
            return f"{self._function_place()}: {error}"
        file, line = self.place_of(error)
        message = f"{_place(file, line)}: {type(error).__name__}{self._message_of(error)}"
        source = linecache.getline(file, line).strip() if line else ""
        return f"{message}; the line is: {_short(source)}" if source else message

    def _message_of(self, error):
        if isinstance(error, SystemExit):
            return f": {getattr(error, 'call', 'exit')}() was called, which a reward function may not"
        try:
            text = error.msg if isinstance(error, SyntaxError) else str(error)
            text = _short(" ".join(text.split()))
        except Exception:
            text = ""  # the exception's own __str__ failed
        if isinstance(error, MemoryError) and not text:
            text = "it may not take more memory"
        if isinstance(error, ModuleNotFoundError) and error.name:
            text += self._where_to_find(error.name.partition(".")[0])
        if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
            keys, extras = _lapforge.param_keys(), _lapforge.extra_keys()
            missing = error.args[0]
            if missing in extras:
                text += " (an extra key: the file itself must name it in quotes)"
            elif missing not in keys:
                text += _lapforge.did_you_mean(missing, keys) or _lapforge.did_you_mean(missing, extras)
        return f": {text}" if text else ""

    def _where_to_find(self, package):
        if package in PACKAGES:
            return f" (rewards run on the system's Python: apt install python3-{package})"
        return (f" (a module of your own must be in {self._folders[-1]}, beside the file; others must "
                f"be installed for {sys.executable})")

    def describe_result(self, result):
        """One line about a return value that is no reward."""
        put_back()
        place = self._function_place()
        try:
            value = _short_repr(result)
        except Exception:
            value = f"a {type(result).__name__}"
        hint = " (does every path end in a return?)" if result is None else ""
        name = "reward_batch" if self.is_batch else "reward_function"
        return f"{place}: {name} returned {value}{hint}; expected a number in -1e5 .. 1e5"

    def place_of(self, error):
        if isinstance(error, SyntaxError) and error.filename:
            return error.filename, error.lineno
        place = self.name, None
        for frame, line in traceback.walk_tb(error.__traceback__):
            file = frame.f_code.co_filename
            if self.is_own(frame.f_globals.get("__name__", ""), file):
                place = file, line
        return place

    def is_own(self, name, file):
        """True for the file itself, and for a module, or a package's part, found beside it."""
        return file in (self.name, self.path) or self._is_beside(name, file)

    def _is_beside(self, name, file):
        first = name.partition(".")[0]
        return isinstance(file, str) and any(
            file.startswith(os.path.join(folder, first)) for folder in self._folders)

    def modules(self):
        """[(name in KEPT_MODULES, path)] of all that the file may import from beside it: found in
        the source, so that an import inside a function counts before it is run."""
        found, sources, seen = {}, [self.text], set()
        while sources:
            for name in _imported_names(sources.pop()) - seen - sys.stdlib_module_names:
                seen.add(name)
                for relative, path in self._files_of(name):
                    found.setdefault(relative, path)
                    if path.endswith(".py"):
                        sources.append(_read_source(path))
        return sorted(found.items())

    def _files_of(self, name):
        """The files of a module or package beside this file."""
        for folder in self._folders:
            for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
                path = os.path.join(folder, entry)
                is_module = entry == name + ".py" or re.fullmatch(
                    re.escape(name) + r"(\.[\w-]+)?\.so", entry)
                if is_module and os.path.isfile(path) and path != self.path:
                    yield entry, path
                elif entry == name and _is_package(path):
                    for inside, _, names in os.walk(path):
                        for part in names:
                            if part.endswith((".py", ".so")):
                                part = os.path.join(inside, part)
                                yield os.path.relpath(part, folder), part


class LoadError(Exception):
    """The file ran, but holds no usable reward_function."""


class BadBatch(Exception):
    """reward_batch returned something else than one number for each car."""


def batch_of_one(params):
    """What reward_batch gets for one car; the program does this for all cars at once."""
    import numpy

    batch = {}
    for key, value in params.items():
        if key == "waypoints":
            batch[key] = numpy.array(value)
        elif isinstance(value, list) and not key.startswith("closest"):
            batch[key] = [value]
        else:
            batch[key] = numpy.array([value])
    batch["env_index"] = numpy.zeros(1, dtype=numpy.int64)
    return batch


def _decode(source):
    # old files of Windows editors are not UTF-8; latin-1 takes any bytes
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = source.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _folder_now():
    try:
        return os.getcwd()
    except OSError:
        return ""  # it is gone


def _read_source(path):
    try:
        with open(path, "rb") as file:
            return _decode(file.read())
    except OSError:
        return ""


def _is_package(path):
    """A folder without __init__.py is one where nothing installed has its name."""
    if not os.path.isdir(path) or os.path.exists(os.path.join(path, "__init__.py")):
        return os.path.isdir(path)
    spec = importlib.util.find_spec(os.path.basename(path))
    return spec is None or spec.origin is None


def _imported_names(source):
    """The first parts of all names that a source imports."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name.partition(".")[0] for name in names}


def _search_first(folders):
    """Makes modules of the user's folders importable: before installed packages, but behind the
    standard library, which a file called random.py must not hide from anybody."""
    at = next((i for i, path in enumerate(sys.path) if path.endswith("-packages")), len(sys.path))
    sys.path[at:at] = [folder for folder in folders if folder not in sys.path]


def _find_function(names, name):
    function = names.get(name)
    if name == "reward_batch":
        try:
            import numpy  # noqa: F401
        except ImportError:
            raise LoadError("reward_batch needs numpy: apt install python3-numpy") from None
    if function is None:
        others = [other for other, value in names.items() if inspect.isfunction(value)]
        hint = _lapforge.did_you_mean("reward_function", others)
        if others and not hint:
            hint = f" (it defines {_short(', '.join(others))})"
        raise LoadError(f"there is no function reward_function(params){hint}")
    if not callable(function):
        raise LoadError(f"{name} is {_short_repr(function)}; expected a function")
    if inspect.iscoroutinefunction(function):
        raise LoadError(f"{name} is an 'async def', which returns no number; write 'def'")
    if inspect.isgeneratorfunction(function):
        raise LoadError(f"{name} has a yield and returns no number; write return")
    try:
        signature = inspect.signature(function)
        signature.bind(None)
    except TypeError:
        raise LoadError(f"{name} takes {signature}; expected one argument, params")
    except ValueError:
        pass  # a built-in without a signature
    return function


def _place(file, line):
    return f"{file}:{line}" if line else file


def _short(text, limit=MAX_TEXT):
    return text if len(text) <= limit else text[:limit] + "..."


def _short_repr(value):
    """On one line and without addresses, which would make each message another one."""
    return _short(" ".join(re.sub(r" at 0x[0-9a-f]+", "", repr(value)).split()), MAX_VALUE)


writer = LimitedWriter()
sys.stdin = None  # input() fails at once instead of waiting for a key
