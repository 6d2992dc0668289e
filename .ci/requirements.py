"""Print what the package and its extra `dev` need, without the package itself."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = tomllib.loads(Path("pyproject.toml").read_text())["project"]


def of_extra(name: str) -> Iterator[str]:
    """The requirements of an extra, those of the extras that it includes among them."""
    for requirement in PROJECT["optional-dependencies"][name]:
        if included := re.fullmatch(rf"{PROJECT['name']}\[(.+)\]", requirement):
            for other in included[1].split(","):
                yield from of_extra(other.strip())
        else:
            yield requirement


print("\n".join([*PROJECT["dependencies"], *of_extra("dev")]))
