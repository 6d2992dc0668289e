"""The command line: arguments, tables on the terminal, exit statuses.

`program` runs a command, `commands` has a module for each, and `printing` their tables.
"""

# Before signals are handled, only what the interpreter has in itself is imported.
import sys

from evenair.cli.signals import Signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run the command line and return its exit status.

    0: done; 1: a run failed, or a tested claim of a paper; 2: bad input, with one line on
    standard error; 129: the terminal was closed; 130: interrupted; 141: standard output was closed;
    143: terminated. Without arguments it is the command of this process, which then ends: from its
    end on, Ctrl-C is ignored.
    """
    signals = Signals()
    try:
        signals.install()
        from evenair.cli.program import run_command

        status = run_command(argv, signals.received)
        signals.close(is_end=argv is None)
    except KeyboardInterrupt:
        signals.close(is_end=argv is None)
        if sys.stderr is not None:  # closed
            print("evenair: interrupted; nothing was written", file=sys.stderr)
        status = 128 + signals.received[0] if signals.received else 130
    except BaseException:  # SystemExit of --help and --version, or a traceback that is asked for
        signals.close(is_end=argv is None)
        raise
    return status
