"""Run on a Dask scheduler: batches of runs go out as tasks, records come back.

The client alone decides what is run, and alone writes the store. So a worker may be lost at any
moment: Dask gives its tasks to others, a batch is reported when its task has finished, and that
happens once. dask and distributed are imported with this module.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from evenair import _core
from evenair.campaign.errors import CampaignError
from evenair.campaign.identity import ENGINE
from evenair.campaign.record import Record
from evenair.result import RunResult

try:
    from distributed import Client, LocalCluster, as_completed
    from distributed.scheduler import KilledWorker
except ImportError as error:
    raise CampaignError(
        f"cluster: {error.name} is not installed; pip install 'evenair[cluster]'"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distributed import Future

    from evenair.campaign.runs import Execute, Report, Run

BATCH_S = 2.0
"""Seconds of work per task: little against the minutes that a lost worker may cost, much against
the milliseconds that a task costs the scheduler."""

LARGEST_BATCH = 1000
FIRST_BATCH = 4
"""Runs per task, as long as nobody knows how long a run takes."""

PATIENCE_S = 10
"""Seconds in which a scheduler has to answer."""

AHEAD = 2
"""Tasks per thread that are under way, so that a worker finds its next one waiting."""


_ADDRESS = re.compile(r"local|([a-z]+://)?[^\s/]*[^\s/:]:[0-9]{1,5}/?")


class Done(NamedTuple):
    """What comes back from a task."""

    engine: str
    outcomes: list[Record | str]
    """In the order of the batch; a text is the reason of a failure."""
    seconds: float
    """That the runs took, all together."""


def run_batch(jobs: list[tuple[str, int]], engine: str) -> Done:
    """Run jobs one after the other, on a worker; tasks of one worker run side by side."""
    if engine != ENGINE:
        return Done(ENGINE, [], 0.0)
    outcomes: list[Record | str] = [""] * len(jobs)
    seconds = 0.0

    def on_results(results: list[tuple[int, str | None, str | None]]) -> None:
        nonlocal seconds
        for index, text, reason in results:
            outcomes[index] = str(reason) if text is None else Record.of(text)
            seconds += 0.0 if text is None else RunResult(text).wall_s

    _core.run_stream(iter(jobs), 1, on_results)
    return Done(ENGINE, outcomes, seconds)


def connect(address: str, jobs: int) -> tuple[Execute, Callable[[], None]]:
    """Connect to a scheduler, or start one with `jobs` processes if the address is "local".

    Returns what runs things on it, and what closes it. Raises CampaignError.
    """
    if not _ADDRESS.fullmatch(address):
        raise CampaignError(f"cluster: got {address[:80]!r}, expected local or tcp://HOST:8786")
    # What Dask logs about lost workers is no news for anybody: the runs are done again. These
    # loggers have a level of their own.
    for name in ("distributed", "distributed.client", "distributed.gc"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    resources = ExitStack()
    try:
        if address == "local":
            address = _start(jobs, resources)
        client = Client(address, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError, ImportError) as error:
        resources.close()
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise CampaignError(
            f"cluster: got {address[:80]!r}, where no scheduler answers ({reason[:200]});"
            " expected local or an address such as tcp://HOST:8786"
        ) from None
    except BaseException:
        resources.close()
        raise
    resources.callback(_quietly, lambda: client.close(timeout=1))
    return lambda runs, report: _Conductor(client, runs, report).conduct(), resources.close


def _start(jobs: int, resources: ExitStack) -> str:
    """Start a scheduler in this process and `jobs` worker processes; return its address.

    LocalCluster would start the workers, too, but needs ten seconds to stop busy ones, and a guard
    in the user's main module. Here they are ended at once: nothing that they hold is of any use.
    """
    cluster = LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=logging.CRITICAL)
    resources.callback(_quietly, lambda: cluster.close(timeout=1))
    address: str = cluster.scheduler_address
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address]
    options = ["--nthreads", "1", "--no-dashboard", "--death-timeout", "30"]
    for _ in range(jobs):
        # A session of its own: Ctrl-C is for the client alone to answer.
        worker = subprocess.Popen(
            [*command, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        resources.callback(_end, worker)
    return address


def _end(worker: subprocess.Popen[bytes]) -> None:
    """End a worker together with the nanny that watches it."""
    if os.name == "posix":
        with suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
    else:
        worker.kill()
    worker.wait()


def _quietly(close: Callable[[], object]) -> None:
    """Close what may be gone already."""
    with suppress(Exception):
        close()


class _Conductor:
    """Keeps a cluster busy."""

    def __init__(self, client: Client, runs: Iterator[Run], report: Report) -> None:
        self._client, self._runs, self._report = client, runs, report
        self._under_way: dict[Future, list[Run]] = {}
        self._seconds, self._finished = 0.0, 0

    def conduct(self) -> None:
        completed = as_completed(loop=self._client.loop)
        self._fill(completed)
        try:
            while self._under_way:
                future = next(completed)
                for again in self._handle(future, self._under_way.pop(future)):
                    self._submit(again, completed)
                self._fill(completed)
        finally:
            with suppress(Exception):
                self._client.cancel(list(self._under_way), force=True)

    def _fill(self, completed: as_completed) -> None:
        # Workers may come and go while a campaign is under way.
        threads = sum(self._client.nthreads().values())
        while len(self._under_way) < AHEAD * max(threads, 1):
            batch = list(islice(self._runs, self._batch_size()))
            if not batch:
                return
            self._submit(batch, completed)

    def _submit(self, batch: list[Run], completed: as_completed) -> None:
        jobs = [(run.scenario, run.seed) for run in batch]
        future = self._client.submit(run_batch, jobs, ENGINE, pure=False)
        self._under_way[future] = batch
        completed.add(future)

    def _batch_size(self) -> int:
        if not self._finished:
            return FIRST_BATCH
        each = max(self._seconds / self._finished, BATCH_S / LARGEST_BATCH)
        return max(1, round(BATCH_S / each))

    def _handle(self, future: Future, batch: list[Run]) -> list[list[Run]]:
        """Report a task that has come to its end; return the batches to try again."""
        try:
            done: Done = future.result()
        except (KilledWorker, CancelledError) as error:
            # Several workers were lost with it. One of its runs may be the reason: find which.
            if len(batch) > 1:
                return [[run] for run in batch]
            self._report([(batch[0], f"seed {batch[0].seed}: the worker was lost: {_line(error)}")])
            return []
        except Exception as error:
            raise CampaignError(f"cluster: a worker cannot run evenair: {_line(error)}") from None
        if done.engine != ENGINE:
            raise CampaignError(
                f"cluster: a worker has evenair {done.engine} (version/results), this is {ENGINE};"
                " install the same version everywhere"
            )
        self._seconds += done.seconds
        self._finished += len(batch)
        self._report(list(zip(batch, done.outcomes, strict=True)))
        return []


def _line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
