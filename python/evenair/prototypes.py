"""Prototypes: queue disciplines, congestion controls and rate controls as Python classes.

    import evenair as ea

    ea.register(queue=MyQueue)
    ea.run(ea.load("gong2006").with_(cell__queue="my-queue"))

docs/prototypes.md has what each kind of class must define. A time is a whole number of nanoseconds,
a rate one of bit/s.
"""

from __future__ import annotations

import builtins
import hashlib
import inspect
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args, get_origin
from typing import get_type_hints as type_hints

from evenair._core import (
    AckEvent,
    Link,
    NextFrame,
    Packet,
    QueueContext,
    RandomStream,
    RateSample,
    SentEvent,
    Window,
    register_prototype,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "MS",
    "US",
    "AckEvent",
    "Duration",
    "Link",
    "NextFrame",
    "Packet",
    "PluginError",
    "QueueContext",
    "RandomStream",
    "Range",
    "Rate",
    "RateSample",
    "S",
    "SentEvent",
    "Window",
    "any_registered",
    "load_plugin",
    "register",
    "sources",
]

US = 1_000
"""Nanoseconds of a microsecond."""
MS = 1_000_000
"""Nanoseconds of a millisecond."""
S = 1_000_000_000
"""Nanoseconds of a second."""

_LARGEST = 10**15
"""Bound of numbers that have no Range; whole numbers up to it are exact as a float."""


@dataclass(frozen=True)
class Range:
    """The bounds of a number, both accepted: `Annotated[int, Range(1, 1000)]`."""

    low: float
    high: float


@dataclass(frozen=True)
class _Unit:
    """What a whole number is in a scenario."""

    type: str
    unit: str


Duration = Annotated[int, _Unit("duration", "ns")]
"""The type of a parameter that is a time: "5 ms" in a scenario, nanoseconds in the class."""
Rate = Annotated[int, _Unit("rate", "bps")]
"""The type of a parameter that is a rate: "11 Mbps" in a scenario, bit/s in the class."""

Kind = Literal["queue", "congestion_control", "rate_control"]


class _Contract(NamedTuple):
    """What a class of a kind must have."""

    methods: tuple[str, ...]
    has_context: bool
    """Whether the first argument of the constructor is its queue or link."""


_CONTRACTS: dict[Kind, _Contract] = {
    "queue": _Contract(("enqueue", "dequeue"), True),
    "congestion_control": _Contract(("on_ack", "on_loss", "on_timeout"), False),
    "rate_control": _Contract(("choose", "report", "present"), True),
}

_LOSS_DETECTIONS = ("configured", "fine-grained")

_registered: dict[tuple[Kind, str], str | None] = {}
"""Kind and name of each class, with the SHA-256 of its file; None if it has no file."""


RESERVED_COLUMNS = frozenset(
    {
        "goodput_bps",
        "cwnd",
        "allowed_rate_bps",
        "loss_event_rate",
        "rtt_mean_s",
        "rtt_p50_s",
        "rtt_p95_s",
        "one_way_delay_p50_s",
        "one_way_delay_p95_s",
    }
)
"""The columns of a flow's series that are not those of its congestion control."""


def register(
    *,
    queue: type | None = None,
    congestion_control: type | None = None,
    rate_control: type | None = None,
    replace: bool = False,
) -> None:
    """Make classes available to the scenarios of this process.

    The name in a scenario is the attribute `kind` of the class, or else the name of the class in
    lower case with hyphens. The parameters of its constructor that have an annotation and a default
    are the keys: int, float, bool, a Literal of names, Duration or Rate, and Annotated with a Range
    or a text that says what it is. `replace` permits the name of a class that is registered.

    Raises ValueError or TypeError, which say what is missing.
    """
    classes: dict[Kind, type | None] = {
        "queue": queue,
        "congestion_control": congestion_control,
        "rate_control": rate_control,
    }
    given = {kind: cls for kind, cls in classes.items() if cls is not None}
    if not given:
        raise TypeError(
            "register: nothing to register; pass queue, congestion_control or rate_control"
        )
    for kind, cls in given.items():
        description = _description(kind, cls)
        register_prototype(kind, cls, json.dumps(description), replace)
        _registered[kind, description["name"]] = _digest(description["file"])


def any_registered() -> bool:
    """Return whether any class is registered in this process."""
    return bool(_registered)


def sources(resolved: object) -> dict[str, str | None]:
    """Return the classes that a resolved scenario uses, with the SHA-256 of the file of each.

    They are named KIND:NAME. A name that stands for something else in the scenario counts as well.
    """
    if not _registered:
        return {}
    texts = set(_texts(resolved))
    return {f"{kind}:{name}": of for (kind, name), of in _registered.items() if name in texts}


class PluginError(ValueError):
    """A file that is to register classes cannot be used. The message is one line."""


def load_plugin(path: Path) -> None:
    """Execute a Python file that calls `register`. Raises PluginError.

    It can import modules of its own folder.
    """
    before = dict(_registered)
    module = ModuleType(f"evenair_plugin_{path.stem}")
    module.__file__ = str(path.resolve())
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(path.resolve().parent))
    try:
        # Errors name the file as it was given.
        exec(compile(path.read_bytes(), path, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        raise PluginError(f"{_place(error, path)}: {_line(error)}") from None
    if _registered == before:
        raise PluginError(f"{path}: registers nothing; call evenair.register(queue=MyQueue) in it")


def _description(kind: Kind, cls: type) -> dict[str, Any]:
    """Return what the extension module is told of a class."""
    if not isinstance(cls, type):
        raise TypeError(f"{kind}: got {cls!r}, expected a class")
    contract = _CONTRACTS[kind]
    missing = [name for name in contract.methods if not callable(getattr(cls, name, None))]
    if missing:
        raise TypeError(f"{kind}: {cls.__name__} has no method {', '.join(missing)}")
    detection = getattr(cls, "loss_detection", _LOSS_DETECTIONS[0])
    if kind == "congestion_control" and detection not in _LOSS_DETECTIONS:
        accepted = ", ".join(map(repr, _LOSS_DETECTIONS))
        raise ValueError(f"{cls.__name__}.loss_detection: got {detection!r}; accepted: {accepted}")
    if kind == "congestion_control":
        _check_observed(cls)
    name = getattr(cls, "kind", None) or _hyphenated(cls.__name__)
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(
            f"{cls.__name__}.kind: got {name!r}, expected lower-case words and hyphens"
        )
    file = _file(cls)
    text = (cls.__doc__ or "").strip()
    if text.startswith(f"{cls.__name__}("):  # what @dataclass writes
        text = ""
    summary = text.splitlines()[:1] or ["a Python class"]
    return {
        "name": name,
        "summary": summary[0].rstrip("."),
        "source": getattr(cls, "source", Path(file).name if file else "a Python class"),
        "file": file,
        "parameters": list(_parameters(cls, contract)),
    }


def _check_observed(cls: type) -> None:
    """Refuse names of attributes that no column of a series can have."""
    names = getattr(cls, "observed", ())
    accepted = "a list or tuple of different attributes' names, lower-case and none of a flow's"
    if (
        not isinstance(names, (list, tuple))
        or not all(
            isinstance(name, str) and re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names
        )
        or len(set(names)) < len(names)
        or not RESERVED_COLUMNS.isdisjoint(names)
    ):
        raise ValueError(f"{cls.__name__}.observed: got {names!r}; accepted: {accepted}")


def _parameters(cls: type, contract: _Contract) -> Iterator[dict[str, Any]]:
    """Describe the parameters of a constructor."""
    if cls.__init__ is object.__init__:  # type: ignore[misc]
        if contract.has_context:
            raise TypeError(f"{cls.__name__}: __init__ must take the queue or link as its first")
        return
    try:
        names = _Names(getattr(cls.__init__, "__globals__", {}))  # type: ignore[misc]
        hints = type_hints(cls.__init__, localns=names, include_extras=True)  # type: ignore[misc]
    except (AttributeError, SyntaxError, TypeError) as error:
        problem = f"an annotation is not valid: {_line(error)}"
        raise TypeError(f"{cls.__name__}.__init__: {problem}") from None
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]  # type: ignore[misc]
    if contract.has_context:
        if not parameters or parameters[0].kind is parameters[0].KEYWORD_ONLY:
            raise TypeError(f"{cls.__name__}: __init__ must take the queue or link as its first")
        del parameters[0]
    for parameter in parameters:
        where = f"{cls.__name__}.__init__: {parameter.name}"
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"{where}: expected a parameter with a name")
        if parameter.name in ("kind", "limit"):
            raise ValueError(f"{where}: the name is reserved")
        if parameter.default is parameter.empty or parameter.name not in hints:
            raise TypeError(
                f"{where}: expected an annotation and a default, as in ecn: bool = False"
            )
        yield {
            "name": parameter.name,
            **_typed(where, hints[parameter.name], parameter.default),
        }


class _Names(dict[str, Any]):
    """The names of a module; what it imports for type checkers alone is Any."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def _typed(where: str, hint: Any, default: Any) -> dict[str, Any]:
    """Describe the type and the default of a parameter."""
    extras = hint.__metadata__ if get_origin(hint) is Annotated else ()
    base = hint.__origin__ if extras else hint
    meaning = next((extra for extra in extras if isinstance(extra, str)), "of the Python class")
    unit = next((extra for extra in extras if isinstance(extra, _Unit)), None)
    bounds = next((extra for extra in extras if isinstance(extra, Range)), None)
    if get_origin(base) is Literal and all(isinstance(name, str) for name in get_args(base)):
        names = list(get_args(base))
        return {"type": "names", "names": names, "default": default, "meaning": meaning}
    if base is bool:
        return {"type": "switch", "default": default, "meaning": meaning}
    if base not in (int, float):
        accepted = "int, float, bool, Literal, Duration or Rate"
        raise TypeError(f"{where}: got the type {base!r}; accepted: {accepted}")
    if isinstance(default, bool) or not isinstance(default, int if base is int else (int, float)):
        raise TypeError(f"{where}: got the default {default!r}, expected {base.__name__}")
    if unit is not None:
        if bounds is not None:
            raise TypeError(f"{where}: a Duration or Rate has no Range")
        return {"type": unit.type, "default": f"{default} {unit.unit}", "meaning": meaning}
    if base is int:
        low, high = (int(bounds.low), int(bounds.high)) if bounds else (0, _LARGEST)
        if low < 0:
            raise ValueError(f"{where}: got a range from {low}; whole numbers are from 0")
        return {"type": "integer", "min": low, "max": high, "default": default, "meaning": meaning}
    floor, top = (bounds.low, bounds.high) if bounds else (-_LARGEST, _LARGEST)
    return {"type": "number", "min": floor, "max": top, "default": default, "meaning": meaning}


def _hyphenated(name: str) -> str:
    """Return MyQueue as my-queue."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", "-", name.strip("_"))
    return words.lower()


def _file(cls: type) -> str | None:
    """Return the file that defines a class, as tracebacks name it if it has methods, or None."""
    for value in vars(cls).values():
        code = getattr(value, "__code__", None)
        if code is not None:
            return str(code.co_filename)
    # Of a class that only changes attributes of another one, its module's.
    return getattr(sys.modules.get(cls.__module__), "__file__", None)


def _digest(file: str | None) -> str | None:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    except OSError:
        return None


def _texts(tree: object) -> Iterator[str]:
    """Return all texts in a tree of lists and tables."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict | list):
        children: Iterable[object] = tree.values() if isinstance(tree, dict) else tree
        for child in children:
            yield from _texts(child)


def _place(error: BaseException, path: Path) -> str:
    """Return the file and line of an exception, the innermost in `path`."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{error.filename}:{error.lineno}"
    line, entry = None, error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_code.co_filename == str(path):
            line = entry.tb_lineno
        entry = entry.tb_next
    return str(path) if line is None else f"{path}:{line}"


def _line(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return " ".join(f"{type(error).__name__}: {text}".split())[:300]
