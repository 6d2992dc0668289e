"""Signals that end a command: they raise KeyboardInterrupt, but not while a module is imported.

An exception in the middle of an import can be lost in a callback of the interpreter, or become
another one in a library that is not written in Python. So the interruption waits until the import
is over; it takes place after `_LONGEST_S` in any case, as a plugin may never end to import.

This module is imported before signals are handled, so it imports only what the interpreter has in
itself: `signal` would import `enum` and more.
"""

import _signal  # type: ignore[import-not-found]  # what `signal` consists of
import _thread
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

_AGAIN_S = 0.005
"""How often an interruption that waits is tried again."""
_LONGEST_S = 2.0
"""How long it waits."""
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


class Signals:
    """The signals of a command: `install` handles them, `close` ends that."""

    def __init__(self) -> None:
        self.received: list[int] = []
        """The numbers of those that have raised KeyboardInterrupt."""
        self._before: dict[int, Any] = {}
        """The handlers that were replaced, by number."""
        self._hook = sys.unraisablehook
        self._since: float | None = None
        """When the one that waits came."""
        self._is_closed = False
        self._main = _thread.get_ident()

    def install(self) -> None:
        """Handle the signals, except for those that the caller or the parent process handles.

        In a thread other than the main one, signals cannot be handled.
        """
        for name in _NAMES:
            number = getattr(_signal, name, None)
            if number is None:
                continue
            before = _signal.getsignal(number)
            if before not in (_signal.SIG_DFL, _signal.default_int_handler):
                continue
            try:
                _signal.signal(number, self._handle)
            except ValueError:  # of another thread
                return
            self._before[number] = before
        sys.unraisablehook = self._unraisable

    def close(self, *, is_end: bool) -> None:
        """Handle signals as before, or at the end of the process ignore Ctrl-C: all is done."""
        self._is_closed = True
        sys.unraisablehook = self._hook
        for number, handler in self._before.items():
            is_ignored = is_end and number == _signal.SIGINT
            _signal.signal(number, _signal.SIG_IGN if is_ignored else handler)

    def _handle(self, number: int, frame: "FrameType | None") -> None:
        if self._is_closed:
            return
        if _is_importing(frame) and self._may_wait():
            _thread.start_new_thread(self._send_again, (number,))
            return
        self._since = None
        self.received.append(number)
        for each in self._before:
            if each != _signal.SIGINT:
                _signal.signal(each, _signal.SIG_IGN)  # a second one must not stop the clean-up
        raise KeyboardInterrupt

    def _may_wait(self) -> bool:
        now = time.monotonic()
        if self._since is None:
            self._since = now
        return now - self._since < _LONGEST_S

    def _send_again(self, number: int) -> None:
        time.sleep(_AGAIN_S)
        if hasattr(_signal, "pthread_kill"):
            _signal.pthread_kill(self._main, number)  # ends what the main thread waits for
        else:
            _thread.interrupt_main(number)  # type: ignore[arg-type]

    def _unraisable(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Interrupt again where the exception was lost, as in a finalizer."""
        if not issubclass(unraisable.exc_type, KeyboardInterrupt) or self._is_closed:
            self._hook(unraisable)
        elif self.received:
            number = self.received.pop()
            _signal.signal(number, self._handle)
            _thread.start_new_thread(self._send_again, (number,))


def _is_importing(frame: "FrameType | None") -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
