"""pyarrow for commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


def import_pyarrow() -> None:
    """Import pyarrow, but not pandas.

    pyarrow imports pandas, where that is installed, with the first table that it makes or reads, to
    know its Series. That takes longer than most commands. It looks for pandas once, and again only
    for a conversion into pandas.
    """
    if "pandas" in sys.modules:  # a plugin may use it
        return
    finder = _WithoutPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.array([0])
    finally:
        sys.meta_path.remove(finder)


class _WithoutPandas:
    # Not a subclass of MetaPathFinder, whose module imports shutil, tempfile and random.
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(name=fullname)
