"""What does and what keeps the runs of a campaign: the executor and the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair import prototypes
from evenair.campaign import local
from evenair.campaign.errors import CampaignError
from evenair.campaign.storage.store import Store
from evenair.engine import useful
from evenair.files.atomic import is_disk_full
from evenair.text.messages import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from distributed import Client
    from distributed.deploy import Cluster

    from evenair.campaign.jobs import Execute


def check_prototypes(resolved: Mapping[str, Any], out: Path | None, *, is_cluster: bool) -> None:
    """Refuse what cannot be done with classes that are registered in this process."""
    for name, source in prototypes.sources(resolved).items():
        kind, _, name = name.partition(":")
        if is_cluster:
            raise CampaignError(
                f"cluster: the {kind} {name!r} is a Python class of this process, which a cluster"
                " does not have"
            )
        if out is not None and source is None:
            raise CampaignError(
                f"out: the {kind} {name!r} is not defined in a file, so stored runs of one version"
                " of it cannot be told from those of another; define it in a file"
            )


def executor(
    jobs: int | None, cluster: str | Client | Cluster | None
) -> tuple[Execute, Callable[[], None]]:
    """Return the executor, and the function that closes it."""
    threads = useful(jobs)
    if cluster is None:
        return lambda runs, report: local.execute(runs, report, threads=threads), lambda: None
    from evenair.campaign.cluster import connect

    return connect(cluster, threads)


def open_store(out: Path | None) -> Store:
    """Return the store of finished runs beside the output; without one, in memory."""
    if out is None:
        return Store(None)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if is_disk_full(error):
            raise
        # Of a file in the place of a folder the system says that it exists.
        why = "is a file" if isinstance(error, FileExistsError) else reason(error)
        folder = error.filename or out.parent
        raise CampaignError(f"out: {out}: cannot be written: {folder}: {why}") from None
    return Store(out.with_name(f"{out.name}.runs"))
