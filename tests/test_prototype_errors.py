"""Classes against the contract of components in Python."""

from __future__ import annotations

import inspect
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated, Any

import evenair as ea
import pytest
from evenair.prototypes import MS, Duration, Range
from prototype_support import PlainFifo, fingerprint, load, measured, registered  # noqa: F401 (a fixture)

if TYPE_CHECKING:
    from pathlib import Path


class Aimd:
    def on_ack(self, window: Any, event: Any) -> None:
        window.grow(event.credit)

    def on_loss(self, window: Any, event: Any) -> None:
        window.ssthresh = window.cwnd = max(event.flight / 2, 2)

    def on_timeout(self, window: Any, event: Any, first: bool) -> None:
        window.cwnd = 1


class Lowest:
    def __init__(self, link: Any) -> None: ...

    def choose(self, frame: Any) -> Any:
        return 0

    def report(self, now: int, sent_data: bool, outcome: str) -> None: ...

    def present(self) -> Any:
        return 0


class Raises(PlainFifo):
    def dequeue(self, now: int) -> Any:
        if now > 100 * MS:
            raise LookupError("of\nthe class")  # the line
        return super().dequeue(now)


class RaisesAtOnce(PlainFifo):
    def __init__(self, queue: Any) -> None:
        raise SystemExit("at once")  # the line


class KeepsAll(PlainFifo):
    def enqueue(self, now: int, packet: Any) -> None:  # the line
        self.packets.append(packet)


class ReturnsTwice(PlainFifo):
    def dequeue(self, now: int) -> Any:  # the line
        return self.packets[0] if self.packets else None


class ReturnsNumbers(PlainFifo):
    def dequeue(self, now: int) -> Any:  # the line
        return 7


class Withholds(PlainFifo):
    def dequeue(self, now: int) -> Any:  # the line
        return None


class Shared(PlainFifo):
    everywhere: tuple[list[Any]] = ([],)

    def __init__(self, queue: Any) -> None:
        self.queue, self.packets = queue, self.everywhere[0]

    def dequeue(self, now: int) -> Any:  # the line
        return super().dequeue(now)


class DropsTwice(PlainFifo):
    def enqueue(self, now: int, packet: Any) -> None:
        self.queue.drop(packet)
        self.queue.drop(packet)  # the line


class DropsForNoReason(PlainFifo):
    def enqueue(self, now: int, packet: Any) -> None:
        self.queue.drop(packet, "at-will")  # the line


class NoMargin(PlainFifo):
    def ready_at(self) -> Any:  # the line
        return "soon"


class NanWindow(Aimd):
    def on_ack(self, window: Any, event: Any) -> None:  # the line
        window.cwnd = float("nan")


class TextWindow(Aimd):
    def on_ack(self, window: Any, event: Any) -> None:
        window.cwnd = "large"  # the line


class NoSuchRate(Lowest):
    def choose(self, frame: Any) -> Any:  # the line
        return 12


class NoRate(Lowest):
    def present(self) -> Any:  # the line
        return None


BROKEN: dict[type, tuple[str, str]] = {
    Raises: ("queue", "LookupError: of\\nthe class"),
    RaisesAtOnce: ("queue", "SystemExit: at once"),
    KeepsAll: ("queue", "enqueue: kept a packet beyond the queue's limit"),
    ReturnsTwice: ("queue", "dequeue: returned a packet that has left the queue"),
    ReturnsNumbers: ("queue", "dequeue: returned 7; accepted: a packet that waits in this queue"),
    Withholds: ("queue", "dequeue: returned None, but 1 packets wait"),
    Shared: ("queue", "dequeue: the packet is of another queue; do instances share a list?"),
    DropsTwice: ("queue", "ValueError: the packet has left the queue"),
    DropsForNoReason: ("queue", 'ValueError: reason: got "at-will"; accepted: "on-arrival"'),
    NoMargin: ("queue", "ready_at: returned 'soon'; accepted: a time in whole nanoseconds"),
    NanWindow: ("congestion_control", "on_ack: set cwnd to NaN; accepted: a number from 1"),
    TextWindow: ("congestion_control", "TypeError: "),
    NoSuchRate: ("rate_control", "choose: returned 12; accepted: the index of a rate, 0 to 3"),
    NoRate: ("rate_control", "present: returned None; accepted: the index of a rate, 0 to 3"),
}


@pytest.mark.parametrize("cls", BROKEN, ids=lambda cls: cls.__name__)
def test_an_error_in_a_class_ends_the_run_with_its_line(cls: type) -> None:
    kind, message = BROKEN[cls]
    ea.register(**{kind: cls, "replace": True})
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()
    place = {
        "queue": {"cell__queue__kind": name, "station__0__queue": {"kind": name, "limit": 20}},
        "congestion_control": {"station__0__flows__0__transport": name},
        "rate_control": {"station__0__rate_control": name},
    }[kind]
    scenario = ea.load("gong2006").with_(duration="5 s", **place)
    with pytest.raises(ea.RunError) as raised:
        ea.run(scenario)
    lines, first = inspect.getsourcelines(cls)
    line = first + next(i for i, text in enumerate(lines) if "# the line" in text)
    text = str(raised.value)
    assert text.startswith(f'scenario "{scenario.name}", seed 1: {__file__}:{line}: {message}')
    assert "\n" not in text


def test_an_error_ends_one_run_of_several() -> None:
    class FailsOnce(PlainFifo):
        def __init__(self, queue: Any) -> None:
            super().__init__(queue)
            self.fails = queue.rng.uniform() < 0.5

        def dequeue(self, now: int) -> Any:
            if self.fails:
                raise RuntimeError("half of them")
            return super().dequeue(now)

    ea.register(queue=FailsOnce)
    scenario = ea.load("gong2006").with_(duration="1 s", cell__queue="fails-once")
    campaign = ea.sweep(scenario, {}, runs=12)
    assert 0 < len(campaign.failures) < 12
    assert len(campaign.failures) + campaign.table.num_rows == 12
    assert all("RuntimeError: half of them" in failure.reason for failure in campaign.failures)


def test_ctrl_c_ends_a_class_that_does_not_return(tmp_path: Path) -> None:
    """Two runs at a time, where there are two processors, are in the loop."""
    (tmp_path / "endless.py").write_text(
        "import os\nfrom typing import Any\nimport evenair as ea\n\n\n"
        f"{inspect.getsource(PlainFifo)}\n\nclass Endless(PlainFifo):\n"
        "    def dequeue(self, now):\n        os.write(2, b'called\\n')\n"
        "        while True:\n            now += 1\n\n\nea.register(queue=Endless)\n"
    )
    options = ("--plugin", "endless.py", "--set", "cell.queue.kind=endless", "--runs", "2")
    process = subprocess.Popen(
        [sys.executable, "-m", "evenair", "run", "gong2006", *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "called\n"
    process.send_signal(signal.SIGINT)
    try:
        stdout, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, stdout) == (130, "")
    assert stderr.splitlines()[-1] == "evenair: interrupted; nothing was written"


NO_METHOD = type("NoMethod", (), {"__init__": lambda self, queue: None})


def no_default(self: object, queue: object, a: int) -> None: ...
def no_annotation(self: object, queue: object, a=1) -> None: ...  # type: ignore[no-untyped-def]
def reserved(self: object, queue: object, limit: int = 1) -> None: ...
def a_text(self: object, queue: object, a: str = "x") -> None: ...
def wrong_default(self: object, queue: object, a: Annotated[int, Range(2, 4)] = 5) -> None: ...
def wrong_type(self: object, queue: object, a: int = 0.5) -> None: ...  # type: ignore[assignment]
def no_queue(self: object) -> None: ...
def ranged(self: object, queue: object, a: Annotated[Duration, Range(1, 2)] = 5) -> None: ...
def no_syntax(self: object, queue: object, a: int = 1) -> None: ...


no_syntax.__annotations__["a"] = "int +"

REFUSED = {
    no_default: "a: expected an annotation and a default",
    no_annotation: "a: expected an annotation and a default",
    reserved: "limit: the name is reserved",
    a_text: "a: got the type <class 'str'>; accepted: int, float, bool, Literal, Duration or Rate",
    wrong_default: "a: default: got 5; accepted: a whole number from 2 to 4",
    wrong_type: "a: got the default 0.5, expected int",
    no_queue: "__init__ must take the queue or link as its first",
    ranged: "a: a Duration or Rate has no Range",
    no_syntax: "Refused.__init__: an annotation is not valid: SyntaxError: ",
}


@pytest.mark.parametrize("constructor", REFUSED, ids=lambda function: function.__name__)
def test_a_class_against_the_contract_is_not_registered(constructor: Any) -> None:
    cls = type("Refused", (PlainFifo,), {"__init__": constructor})
    with pytest.raises((TypeError, ValueError), match=re.escape(REFUSED[constructor])):
        ea.register(queue=cls)


def test_names_are_registered_once() -> None:
    with pytest.raises(TypeError, match="NoMethod has no method enqueue, dequeue"):
        ea.register(queue=NO_METHOD)
    with pytest.raises(TypeError, match="nothing to register"):
        ea.register()
    for kind, cls, names in [
        ("queue", PlainFifo, ["las", "droptail"]),
        ("congestion_control", Aimd, ["cubic", "udp", "tfrc"]),
        ("rate_control", Lowest, ["minstrel"]),
    ]:
        for name in names:
            taken = type("Taken", (cls,), {"kind": name})
            for replace in (False, True):
                with pytest.raises(
                    ValueError, match=f'{kind}: got "{name}", the name of a built-in'
                ):
                    ea.register(**{kind: taken, "replace": replace})
    with pytest.raises(ValueError, match="kind: got 'My Queue', expected lower-case words"):
        ea.register(queue=type("Named", (PlainFifo,), {"kind": "My Queue"}))
    ea.register(queue=PlainFifo)
    with pytest.raises(ValueError, match='queue: got "plain-fifo", the name is registered'):
        ea.register(queue=PlainFifo)
    droptail = ea.load("gong2006").with_(duration="1 s")
    fifo = droptail.with_(cell__queue__kind="plain-fifo")
    assert fingerprint(ea.run(fifo)) == fingerprint(ea.run(droptail))

    class DropsAll(PlainFifo):
        kind = "plain-fifo"

        def enqueue(self, now: int, packet: Any) -> None:
            self.queue.drop(packet)

    ea.register(queue=DropsAll, replace=True)
    # A scenario that has been made keeps the class that it was made with.
    assert fingerprint(ea.run(fifo)) == fingerprint(ea.run(droptail))
    changed = ea.run(droptail.with_(cell__queue__kind="plain-fifo"))
    assert measured(changed)["ap_queue"]["drops_on_arrival"] > 0
    assert fingerprint(changed) != fingerprint(ea.run(droptail))
