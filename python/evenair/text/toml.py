"""Write a scenario as TOML in the layout of the documentation."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def dumps(document: Mapping[str, Any]) -> str:
    """Return a scenario document as TOML text.

    Top-level tables have a header (`[cell]`, `[[station]]`); nested tables are inline
    (`queue = { kind = "las" }`). Members that are None are left out: TOML has no null.
    """
    plain = {key: value for key, value in document.items() if not _is_section(value)}
    blocks = [_pairs(plain)] if plain else []
    for key, content in document.items():
        if key in plain:
            continue
        if isinstance(content, dict):
            blocks.append(f"[{_key(key)}]\n{_pairs(content)}")
        else:
            blocks.extend(f"[[{_key(key)}]]\n{_pairs(table)}" for table in content)
    return "\n".join(blocks)


def value(content: Any) -> str:
    """Return one value, which may be NumPy's, as TOML text on one line.

    Raises TypeError or ValueError if TOML cannot express it.
    """
    match content:
        case bool():
            return "true" if content else "false"
        case int():
            return str(int(content))
        case float():  # NumPy's repr of its own is "np.float64(1.5)"
            return repr(float(content)) if math.isfinite(content) else str(content)
        case str():
            if not content.isascii():
                content.encode()  # raises UnicodeEncodeError (a ValueError) for a lone surrogate
            # A JSON string is a TOML basic string, except for DEL.
            return json.dumps(content, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple() | range():
            return f"[{', '.join(value(item) for item in content)}]"
        case dict():
            pairs = [f"{_key(k)} = {value(v)}" for k, v in content.items() if v is not None]
            return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if callable(tolist := getattr(content, "tolist", None)):
        return value(tolist())
    raise TypeError(f"{content!r} ({type(content).__name__}) is not valid in a scenario")


def _is_section(content: Any) -> bool:
    if isinstance(content, list):
        return bool(content) and all(isinstance(item, dict) for item in content)
    return isinstance(content, dict)


def _pairs(table: Mapping[str, Any]) -> str:
    return "".join(f"{_key(k)} = {value(v)}\n" for k, v in table.items() if v is not None)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else value(key)
