"""What makes a run the same run: its resolved scenario, its seed, and the engine that ran it."""

from __future__ import annotations

import hashlib
import json

from evenair import _core

ENGINE = f"{_core.__version__}/{_core.RESULT_VERSION}"
"""Versions of package and results: results of another engine are other results."""


class Identity:
    """The identities of the runs of one scenario.

    An identity is the SHA-256 of the canonical JSON (sorted keys, no spaces) of
    `{"result_version": ..., "scenario": ..., "seed": ..., "version": ...}`, the scenario without
    its name, which changes no result.
    """

    def __init__(self, resolved: str) -> None:
        """Take a resolved scenario as JSON text."""
        document = json.loads(resolved)
        document.pop("name", None)
        scenario = _canonical(document)
        start = f'{{"result_version":{_core.RESULT_VERSION},"scenario":{scenario},"seed":'
        # What all seeds have in common is hashed once.
        self._start = hashlib.sha256(start.encode())
        self._end = f',"version":{_canonical(_core.__version__)}}}'

    def of(self, seed: int) -> bytes:
        """Return the identity of the run with this seed, 32 bytes."""
        digest = self._start.copy()
        digest.update(f"{seed}{self._end}".encode())
        return digest.digest()


def _canonical(document: object) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))
