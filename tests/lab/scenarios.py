"""Scenarios of the tests, short so that they wait for the page and not for the engine."""

from __future__ import annotations

import base64
import zlib

SHORT = """\
# Two up, one down.
duration = "20 s"
[cell]
kind = "wlan"
phy = "802.11b"
queue = { kind = "droptail", limit = 60 }

[[station]]
count = 2
flows = [{ direction = "up" }]

[[station]]
flows = [{ direction = "down" }]
"""


def deflated(data: bytes) -> bytes:
    compressor = zlib.compressobj(9, wbits=-15)
    return compressor.compress(data) + compressor.flush()


def fragment(toml: str, seed: int = 1, seeds: int = 1) -> str:
    """Return what a link to a scenario ends with, by docs/lab.md."""
    packed = base64.urlsafe_b64encode(deflated(toml.encode())).decode().rstrip("=")
    return f"#scenario={packed}&seed={seed}&seeds={seeds}"
