"""`python -m evenair` is the command `evenair`."""

from evenair.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
