"""The identity of a run: a hash of its resolved scenario, its seed and the engine's version."""

from __future__ import annotations

import hashlib
import json

from evenair import prototypes
from evenair._core import RESULT_VERSION, __version__

ENGINE = f"{__version__}/{RESULT_VERSION}"
"""Versions of package and results. Results of different engines are never mixed."""


class Identity:
    """The identities of the runs of one scenario.

    An identity is the SHA-256 of the canonical JSON (sorted keys, no spaces) of
    `{"result_version": ..., "scenario": ..., "seed": ..., "version": ...}`. The scenario's name is
    left out: it does not affect the result. Of a scenario with prototypes the document has
    `"prototypes"` as well: the SHA-256 of the file of each class.
    """

    def __init__(self, resolved: str) -> None:
        """Take a resolved scenario as JSON text."""
        document = json.loads(resolved)
        document.pop("name", None)
        scenario = _canonical(document)
        classes = prototypes.sources(document)
        part = f'"prototypes":{_canonical(classes)},' if classes else ""
        start = f'{{{part}"result_version":{RESULT_VERSION},"scenario":{scenario},"seed":'
        # The part that all seeds share is hashed once.
        self._start = hashlib.sha256(start.encode())
        self._end = f',"version":{_canonical(__version__)}}}'

    def of(self, seed: int) -> bytes:
        """Return the identity of the run with this seed, 32 bytes."""
        digest = self._start.copy()
        digest.update(f"{seed}{self._end}".encode())
        return digest.digest()


def _canonical(document: object) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))
