"""The command line: arguments, tables on the terminal, exit statuses.

`program` has `main`; each command has a module. A command's module is imported to build the parser,
so it imports heavy libraries (rich, NumPy, pyarrow, matplotlib) only inside its functions.
"""

from evenair.cli.program import main

__all__ = ["main"]
