"""Exit statuses, printing and progress of all commands."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DONE, FAILED, BAD_INPUT = 0, 1, 2
# 128 plus the number of the signal, as shells report it.
INTERRUPTED, BROKEN_PIPE = 130, 141


def print_error(message: object) -> None:
    """Print a message as one line on standard error."""
    print("evenair:", " ".join(str(message).split("\n")), file=sys.stderr)


def print_bytes(data: bytes) -> None:
    """Print UTF-8 regardless of the locale: equal runs must give equal bytes."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def print_json(document: object) -> None:
    """Print a document as one line of JSON."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    print_bytes(text.encode() + b"\n")


@contextmanager
def progress(
    what: str, *, quiet: bool, total: int | None = None
) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar if standard error is a terminal; `total` is known before the first call.

    Yields the function to call with (done, total), or None without a bar.
    """
    if quiet or not sys.stderr.isatty():
        yield None
    else:
        from evenair.cli.printing.console import progress_bar  # imports rich

        with progress_bar(what, total) as update:
            yield update
