"""What a user's file may not do to the process that it shares with the program.

Imported before support.py, as its own module. What C++ can put back it does (user_turn.cpp); here is
what must not happen at all, and what belongs to Python.
"""

import _signal
import builtins
import os
import posix
import resource
import signal
import subprocess
import sys

import _lapforge

MAX_RECURSION = 10_000  # levels that a file may ask for
STACK_OF_LEVEL = 5 << 10  # bytes: sorted() with a key that sorts takes most
STOP_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
BUILTINS = dict(vars(builtins))
restore_builtins, copy_of_builtins = vars(builtins).update, vars(builtins).copy
change_folder = os.chdir


class Interrupted(BaseException):
    """The user's code did not come back when the training was to stop."""

    def __str__(self):
        return "still running when a stop was asked for"


def install_interrupt():
    """What the program's InterruptPython does to the code that runs."""

    def interrupt(number, frame):
        raise Interrupted

    signal.signal(signal.SIGINT, interrupt)
    _keep_stop_signals()


def put_back():
    """Makes the built-in functions what they were; uses none of them."""
    restore_builtins(BUILTINS)


def _forbid(name):
    """Makes a call that would end the program an error; child processes end as they like."""
    original = getattr(os, name)
    program = os.getpid()

    def refuse(*arguments, **options):
        if os.getpid() == program:
            error = SystemExit()
            error.call = f"os.{name}"
            raise error
        return original(*arguments, **options)

    setattr(os, name, refuse)
    setattr(posix, name, refuse)


def _keep_stop_signals():
    """What a file wants to happen at Ctrl-C and its kind is noted, and does not happen."""
    original, program, wanted = _signal.signal, os.getpid(), {}

    def set_handler(number, handler):
        if number not in STOP_SIGNALS or os.getpid() != program:
            return original(number, handler)
        before = wanted.get(number, signal.SIG_DFL)
        wanted[number] = handler
        return before

    _signal.signal = set_handler


def _limit_switch_interval():
    """A thread of the file's may not keep the program waiting for longer."""
    original, most = sys.setswitchinterval, sys.getswitchinterval()
    sys.setswitchinterval = lambda seconds: original(min(seconds, most))


def _system(command):
    """As os.system, which makes Ctrl-C the command's."""
    code = subprocess.call(command, shell=True)
    return code << 8 if code >= 0 else -code


def _keep_hard_limits():
    """A limit that a file sets holds for its turn; the program puts it back (user_turn.cpp)."""
    original = resource.setrlimit

    def set_limit(which, limits):
        original(which, (limits[0], resource.getrlimit(which)[1]))

    resource.setrlimit = set_limit


def _limit_recursion():
    """A file may raise the limit, but not beyond what the stack holds: that would end the program."""
    original = sys.setrecursionlimit
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = MAX_RECURSION * STACK_OF_LEVEL + (1 << 20)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
    most = MAX_RECURSION
    if soft != resource.RLIM_INFINITY:
        most = max(sys.getrecursionlimit(), min(most, soft // STACK_OF_LEVEL))

    told = []

    def set_limit(limit):
        if limit > most and not told:
            told.append(limit)
            _lapforge.log(f"sys.setrecursionlimit({limit}): deeper than {most} levels the program "
                          f"would crash; the limit is {most}")
        original(min(limit, most))

    sys.setrecursionlimit = set_limit


for call in ("_exit", "abort", "execv", "execve"):
    _forbid(call)
_limit_recursion()
_limit_switch_interval()
_keep_hard_limits()
os.system = _system
# so that the program's handler of forks sees processes that begin
subprocess._USE_VFORK = subprocess._USE_POSIX_SPAWN = False
