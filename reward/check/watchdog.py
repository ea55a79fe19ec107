"""Ends a call of user code that takes too long, wherever in Python it is.

A trace function would not do: CPython 3.11 reports no event in `while True: pass`. Code outside of
Python, such as one long numpy call, cannot be interrupted.
"""

import ctypes
import threading
import time

MAX_CALL_S = 5.0  # as the console's validator allows
LOOKS_EVERY_S = 0.1


class Overtime(BaseException):
    """Raised inside the call; not an Exception, so that the user's own except lets it pass."""


class Watchdog:
    """One thread that looks at the clock; `call` is what it guards."""

    def __init__(self):
        self._deadline = None
        self._thread_id = None
        threading.Thread(target=self._watch, daemon=True).start()

    def call(self, function, *arguments):
        self._thread_id = threading.get_ident()
        self._deadline = time.monotonic() + MAX_CALL_S
        try:
            return function(*arguments)
        finally:
            self._deadline = None

    def _watch(self):
        while True:
            time.sleep(LOOKS_EVERY_S)
            deadline = self._deadline
            if deadline is not None and time.monotonic() > deadline:
                self._deadline = None
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread_id), ctypes.py_object(Overtime))


dog = Watchdog()
