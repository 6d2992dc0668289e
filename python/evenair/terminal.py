"""What all commands have in common: exit statuses, how they print, and how they show progress."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DONE, FAILED, BAD_INPUT = 0, 1, 2
# 128 and the number of the signal, as shells have it.
INTERRUPTED, BROKEN_PIPE, TERMINATED = 130, 141, 143


def say(line: object) -> None:
    """Tell people something, in one line on standard error."""
    print("evenair:", " ".join(str(line).split("\n")), file=sys.stderr)


def print_bytes(data: bytes) -> None:
    """Print UTF-8 whatever the locale: equal runs must give equal bytes."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def print_json(document: object) -> None:
    """Print a document as one line of JSON."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    print_bytes(text.encode() + b"\n")


def why(error: Exception) -> str:
    """Return why an operation failed: not every OSError has the text of an error number."""
    reason = error.strerror if isinstance(error, OSError) else None
    return reason or str(error) or type(error).__name__


@contextmanager
def progress(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar if somebody may watch; yields the function that is told (done, total), or None."""
    if quiet or not sys.stderr.isatty():
        yield None
    else:
        from evenair.console import progress_bar

        with progress_bar(what) as update:
            yield update
