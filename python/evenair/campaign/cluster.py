"""Run a campaign on a Dask scheduler: tasks are batches of runs and return their records.

Only the client selects runs and writes the store. A worker may therefore be lost at any time: Dask
reassigns its tasks, and each batch is reported once, when its task has finished. Importing this
module imports dask and distributed.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from evenair._core import RunError, run_jobs
from evenair.campaign.errors import CampaignError
from evenair.campaign.storage.identity import ENGINE
from evenair.campaign.storage.record import Record
from evenair.result import RunResult
from evenair.text.messages import shown

try:
    from distributed import Client, LocalCluster, Security, as_completed
    from distributed.comm import connect as connect_comm
    from distributed.core import Status
    from distributed.deploy import Cluster
    from distributed.scheduler import KilledWorker
    from distributed.utils import LoopRunner
except ImportError as error:
    raise CampaignError(
        f"cluster: {error.name} is not installed; pip install 'evenair[cluster]'"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from distributed import Future

    from evenair._core import Scenario as CoreScenario
    from evenair.campaign.jobs import Execute, Report, Run

BATCH_S = 2.0
"""Seconds of work per task: much less than the minutes lost with a worker, much more than the
milliseconds of overhead per task."""

LARGEST_BATCH = 1000
FIRST_BATCH = 4
"""Runs per task until the duration of a run is known."""

CONNECT_TIMEOUT_S = 10
"""Timeout of the connection to a scheduler, in seconds."""

RESULT_TIMEOUT_S = 5.0
"""Longest wait for the result of a finished task until the workers are looked at, in seconds: if
the worker that holds it is lost, the task is run again, which without workers never ends."""

POLL_S = 0.01
"""Interval between two looks for finished tasks, in seconds."""

TASKS_PER_THREAD = 2
"""Tasks submitted per thread, so that a worker never waits for its next one."""

_ADDRESS = re.compile(r"local|([a-z]+://)?[^\s/]*[^\s/:]:[0-9]{1,5}/?")


class TaskResult(NamedTuple):
    """The result of a task."""

    engine: str
    outcomes: list[Record | str]
    """In the order of the batch; a string is the reason of a failure."""
    seconds: float
    """Total run time."""


def run_batch(jobs: list[tuple[CoreScenario, int]], engine: str) -> TaskResult:
    """Run jobs sequentially on a worker; the tasks of one worker run in parallel."""
    if engine != ENGINE:
        return TaskResult(ENGINE, [], 0.0)
    outcomes: list[Record | str] = [""] * len(jobs)
    seconds = 0.0

    def on_results(results: list[tuple[int, str | None, str | None]]) -> None:
        nonlocal seconds
        for index, text, reason in results:
            outcomes[index] = str(reason) if text is None else Record.of(text)
            seconds += 0.0 if text is None else RunResult(text).wall_s

    run_jobs(iter(jobs), 1, on_results)
    return TaskResult(ENGINE, outcomes, seconds)


def connect(cluster: str | Client | Cluster, jobs: int) -> tuple[Execute, Callable[[], None]]:
    """Connect to a scheduler, or start one with `jobs` processes if the address is "local".

    A client or cluster of the caller's is used and left open. Returns the executor and the function
    that closes what was opened. Raises CampaignError. The executor raises RunError when all local
    processes have ended.
    """
    if isinstance(cluster, str):
        return _connect(cluster, jobs)
    if not isinstance(cluster, Client | Cluster) or cluster.asynchronous:
        expected = "an address such as tcp://HOST:8786, or a Dask client or cluster"
        raise CampaignError(f"cluster: got {shown(cluster)}, expected local, {expected}")
    if cluster.status not in ("running", Status.running):
        raise CampaignError(f"cluster: got {shown(cluster)}, which is closed")
    if isinstance(cluster, Client):
        return _executor(cluster, []), lambda: None
    client = Client(cluster, timeout=CONNECT_TIMEOUT_S, set_as_default=False)
    return _executor(client, []), lambda: _close(lambda: client.close(timeout=1))


def _executor(client: Client, workers: Sequence[subprocess.Popen[bytes]]) -> Execute:
    return lambda runs, report: _Dispatcher(client, runs, report, workers).run()


def _connect(address: str, jobs: int) -> tuple[Execute, Callable[[], None]]:
    if not _ADDRESS.fullmatch(address):
        raise CampaignError(f"cluster: got {address[:80]!r}, expected local or tcp://HOST:8786")
    # Runs of lost workers are repeated, so Dask's messages about them are suppressed. These loggers
    # have a level of their own.
    for name in ("distributed", "distributed.client", "distributed.gc"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    resources = ExitStack()
    workers: list[subprocess.Popen[bytes]] = []
    try:
        if address == "local":
            address = _start(jobs, resources, workers)
        # A client that cannot connect takes 20 s to close, and prints a traceback.
        LoopRunner().run_sync(_probe, address)
        client = Client(address, timeout=CONNECT_TIMEOUT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError, ImportError) as error:
        resources.close()
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise CampaignError(
            f"cluster: got {address[:80]!r}, but no scheduler answers there ({reason[:200]});"
            " expected local or an address such as tcp://HOST:8786"
        ) from None
    except BaseException:
        resources.close()
        raise
    resources.callback(_close, lambda: client.close(timeout=1))
    return _executor(client, workers), resources.close


async def _probe(address: str) -> None:
    """Connect to a scheduler and disconnect again, with the security that a client has."""
    security = Security().get_connection_args("client")
    comm = await connect_comm(address, timeout=CONNECT_TIMEOUT_S, **security)
    await comm.close()


def _start(jobs: int, resources: ExitStack, workers: list[subprocess.Popen[bytes]]) -> str:
    """Start a scheduler in this process and `jobs` worker processes; return its address.

    LocalCluster can also start the workers, but needs ten seconds to stop busy ones, and a guard in
    the user's main module. These are killed at once: they hold no state.
    """
    cluster = LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=logging.CRITICAL)
    resources.callback(_close, lambda: cluster.close(timeout=1))
    address: str = cluster.scheduler_address
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address]
    options = ["--nthreads", "1", "--no-dashboard", "--death-timeout", "30"]
    for _ in range(jobs):
        # A session of its own: only the client receives Ctrl-C.
        worker = subprocess.Popen(
            [*command, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        resources.callback(_kill, worker)
        workers.append(worker)
    return address


def _kill(worker: subprocess.Popen[bytes]) -> None:
    """Kill a worker and its nanny process."""
    if os.name == "posix":
        with suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
    else:
        worker.kill()
    worker.wait()


def _close(close: Callable[[], object]) -> None:
    """Close a resource that may have failed already."""
    with suppress(Exception):
        close()


class _Dispatcher:
    """Submits runs to a cluster so that every worker has tasks."""

    def __init__(
        self,
        client: Client,
        runs: Iterator[Run],
        report: Report,
        workers: Sequence[subprocess.Popen[bytes]],
    ) -> None:
        """Take the local workers; there are none if the scheduler is another process."""
        self._client, self._runs, self._report, self._workers = client, runs, report, workers
        self._pending: dict[Future, list[Run]] = {}
        self._seconds, self._finished = 0.0, 0

    def run(self) -> None:
        completed = as_completed(loop=self._client.loop)
        self._fill(completed)
        try:
            while self._pending:
                while not completed.has_ready():
                    self._check_workers()
                    time.sleep(POLL_S)
                future = next(completed)
                for again in self._handle(future, self._pending.pop(future)):
                    self._submit(again, completed)
                self._fill(completed)
        finally:
            with suppress(Exception):
                self._client.cancel(list(self._pending), force=True)

    def _result(self, future: Future) -> TaskResult:
        while True:
            try:
                result: TaskResult = future.result(timeout=RESULT_TIMEOUT_S)
            except TimeoutError:
                self._check_workers()
            else:
                return result

    def _check_workers(self) -> None:
        if self._workers and all(worker.poll() is not None for worker in self._workers):
            raise RunError(
                f"cluster: all {len(self._workers)} local worker processes have ended;"
                " finished runs are kept, repeat the command to continue"
            )

    def _fill(self, completed: as_completed) -> None:
        # Workers may join and leave during a campaign.
        threads = sum(self._client.nthreads().values())
        while len(self._pending) < TASKS_PER_THREAD * max(threads, 1):
            batch = list(islice(self._runs, self._batch_size()))
            if not batch:
                return
            self._submit(batch, completed)

    def _submit(self, batch: list[Run], completed: as_completed) -> None:
        jobs = [(run.scenario, run.seed) for run in batch]
        future = self._client.submit(run_batch, jobs, ENGINE, pure=False)
        self._pending[future] = batch
        completed.add(future)

    def _batch_size(self) -> int:
        if not self._finished:
            return FIRST_BATCH
        each = max(self._seconds / self._finished, BATCH_S / LARGEST_BATCH)
        return max(1, round(BATCH_S / each))

    def _handle(self, future: Future, batch: list[Run]) -> list[list[Run]]:
        """Report a finished task; return the batches to submit again."""
        try:
            done = self._result(future)
        except (KilledWorker, CancelledError) as error:
            # Several workers were lost with this task: submit its runs singly to find the cause.
            if len(batch) > 1:
                return [[run] for run in batch]
            self._report([(batch[0], f"seed {batch[0].seed}: the worker was lost: {_line(error)}")])
            return []
        except RunError:
            raise
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
