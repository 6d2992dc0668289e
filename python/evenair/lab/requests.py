"""Reading the bodies of requests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from evenair.engine import MAX_SEED
from evenair.text.messages import shown, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

MOST_BYTES = 1_000_000
"""Of a body."""
_MOST_S = 1e12
_MOST_ACCESSES = 100_000
"""To the medium, in one air trace."""


class BadRequest(Exception):
    """A request is not valid. The message is one line."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


async def read(request: Request, keys: Sequence[str]) -> dict[str, Any]:
    """Return the body, a JSON object that has no other keys. Raises BadRequest."""
    too_large = BadRequest(f"the body has more than {MOST_BYTES} bytes", 413)
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > MOST_BYTES:
        raise too_large
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise too_large
    try:
        document = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise BadRequest(f"the body is not JSON: {reason}") from None
    if not isinstance(document, dict):
        raise BadRequest(f"the body: got {shown(document)}, expected an object")
    for key in document:
        if key not in keys:
            raise BadRequest(f"{shown(key)}: no such key; accepted: {', '.join(keys)}")
    return document


def engine_call(call: str, document: Mapping[str, Any]) -> str:
    """Return the request of the page's WebAssembly, which has the same keys. Raises BadRequest."""
    text_of(document, "toml")
    _check_whole(document, "seed", 0, MAX_SEED)
    if document.get("trace_s") is not None:
        _check_seconds(document, "trace_s", "above 0")
    if call == "air_trace":
        _check_seconds(document, "from_s", "at least 0")
        _check_whole(document, "accesses", 1, _MOST_ACCESSES)
    return json.dumps({"call": call, **document})


def text_of(document: Mapping[str, Any], key: str) -> str:
    """Return a text. Raises BadRequest."""
    value = document.get(key)
    if not isinstance(value, str):
        raise BadRequest(f"{key}: got {shown(value)}, expected a text")
    return value


def _check_whole(document: Mapping[str, Any], key: str, least: int, most: int) -> None:
    try:
        whole_number(key, document.get(key), least, most)
    except ValueError as error:
        raise BadRequest(str(error)) from None


def _check_seconds(document: Mapping[str, Any], key: str, bound: str) -> None:
    value = document.get(key)
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or not 0 <= value < _MOST_S
        or (value == 0 and bound == "above 0")
    ):
        raise BadRequest(f"{key}: got {shown(value)}, expected a number of seconds, {bound}")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
