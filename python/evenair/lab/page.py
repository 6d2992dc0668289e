"""The files of the page, compressed once."""

from __future__ import annotations

import gzip
import os
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import Response

from evenair.lab.errors import LabError

if TYPE_CHECKING:
    from starlette.requests import Request

FOLDER = Path(os.environ.get("EVENAIR_LAB_PAGE") or Path(__file__).parent / "page")
"""Where `make site` builds the page, and a released wheel has it. The variable names another one,
for work on the page."""

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".toml": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
}
_OTHER = "application/octet-stream"


class _File(NamedTuple):
    """A file as it is sent."""

    modified_ns: int
    content: bytes
    compressed: bytes
    etag: str


class Page:
    """The files below a folder; others cannot be asked for. Raises LabError if there is no page."""

    def __init__(self, folder: Path = FOLDER) -> None:
        if not (folder / "index.html").is_file():
            raise LabError(
                "the page of the lab is not in this installation; make lab in the sources of"
                " evenair builds, installs and opens it, and a released wheel has it"
            )
        self._folder = folder.resolve()
        self._files: dict[Path, _File] = {}

    def answer(self, request: Request) -> Response:
        """Return the file that a request names; of a folder its index.html."""
        file = self._read(request.path_params["path"])
        if file is None:
            return Response("there is no such file\n", 404, media_type="text/plain")
        path, content = file
        headers = {
            "Cache-Control": "no-cache",  # stored, and asked for again by its ETag
            "ETag": content.etag,
            "Vary": "Accept-Encoding",
        }
        if content.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        body = content.content
        if "gzip" in request.headers.get("accept-encoding", "") and len(content.compressed) < len(
            body
        ):
            body, headers["Content-Encoding"] = content.compressed, "gzip"
        headers["Content-Type"] = _TYPES.get(path.suffix, _OTHER)
        return Response(body, headers=headers)

    def _read(self, name: str) -> tuple[Path, _File] | None:
        try:
            path = (self._folder / name).resolve()
            if path.is_dir():
                path = (path / "index.html").resolve()
            if not path.is_relative_to(self._folder):
                return None
            modified = path.stat().st_mtime_ns
            known = self._files.get(path)
            if known is None or known.modified_ns != modified:
                content = path.read_bytes()
                etag = f'"{blake2b(content, digest_size=12).hexdigest()}"'
                compressed = gzip.compress(content, 6, mtime=0)
                known = self._files[path] = _File(modified, content, compressed, etag)
        except (OSError, ValueError):  # a name with a null character
            return None
        return path, known
