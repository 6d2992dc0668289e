"""Parquet files in which damage is noticed. The functions import pyarrow.

Pages have checksums (CRC-32), which any reader can verify; the footer, with the schema and what the
table says of its campaign, has none in Parquet. So a file has a seal: 16 bytes `evenair-sha256-1`
and the SHA-256 of all other bytes. It is between the data and the footer, where readers look at
nothing, because the footer says where the data are (Apache Parquet format, "File format"). Of a
table that another program has made from it, no seal is left.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.parquet as pq

    _File: TypeAlias = IO[bytes] | pa.NativeFile

_MARK = b"evenair-sha256-1"
_SEAL_BYTES = len(_MARK) + 32
_MAGIC = b"PAR1"
"""At both ends of a file; before the last one is the length of the footer, 4 bytes."""
_NEAR_BITS = 16
"""A mark with at most so many wrong bits is a damaged one. Of 128 bits, half are wrong in other
data, and 40 in other text."""
_BLOCK = 1 << 20


class Damaged(ValueError):
    """A file is not what was written. The message is one line."""


class Content(NamedTuple):
    """What has been read."""

    table: pa.Table
    is_sealed: bool
    """Whether the file has a seal, which fits. Those of other programs have none, nor have those of
    evenair before it wrote any; damage of these is not noticed."""


@contextmanager
def writer(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Write a file: it is complete and sealed when the `with` block ends without an error."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True) as content:
        yield content
    with path.open("r+b") as file:
        start = _footer(file, file.seek(0, os.SEEK_END))
        if start is None:
            raise OSError(f"{path}: the file that was written has no footer")
        file.seek(start)
        footer = file.read()
        digest = _digest(file, start, start)
        file.seek(start)
        file.write(_MARK + digest + footer)


def write(table: pa.Table, path: Path) -> None:
    """Write a table as a file."""
    with writer(path, table.schema) as content:
        content.write_table(table)


def read(path: Path) -> Content:
    """Read a table. Raises Damaged, OSError, pyarrow.ArrowException."""
    with opened(path) as (file, is_sealed):
        return Content(file.read(), is_sealed)


@contextmanager
def opened(path: Path) -> Iterator[tuple[pq.ParquetFile, bool]]:
    """Open a file whose seal fits, or that has none, and say whether it has one.

    Raises Damaged, OSError, pyarrow.ArrowException.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    # What has been verified is what is read: another file of this name does not matter. A file of
    # Python's would be read in threads of pyarrow, which abort at the end of an interpreter.
    with pa.OSFile(str(path)) as content:
        is_sealed = _verify(content, path)
        with pq.ParquetFile(content, page_checksum_verification=True) as file:
            yield file, is_sealed


def _verify(file: pa.NativeFile, path: Path) -> bool:
    """Return whether a file has a seal. Raises Damaged if it does not fit."""
    start = _footer(file, file.size())
    if start is not None and start >= _SEAL_BYTES:
        file.seek(start - _SEAL_BYTES)
        seal = file.read(_SEAL_BYTES)
        mark, digest = seal[: len(_MARK)], seal[len(_MARK) :]
        if mark == _MARK:
            if _digest(file, start - _SEAL_BYTES, start) != digest:
                raise Damaged(f"{path}: is damaged: its content is not what was written")
            return True
        if _wrong_bits(mark) <= _NEAR_BITS:
            raise Damaged(f"{path}: is damaged: its checksum cannot be read")
    if _has_mark(file):
        raise Damaged(f"{path}: is damaged: its checksum is not where the file ends")
    return False


def _footer(file: _File, size: int) -> int | None:
    """Return where the footer of a file starts, None if it does not end like a Parquet file."""
    if size < 8:
        return None
    file.seek(size - 8)
    end = file.read(8)
    start = size - 8 - int.from_bytes(end[:4], "little")
    return start if end[4:] == _MAGIC and start >= len(_MAGIC) else None


def _digest(file: _File, gap: int, footer: int) -> bytes:
    """Return the SHA-256 of a file without the bytes from `gap` to `footer`."""
    import hashlib  # not all commands use it

    digest = hashlib.sha256()
    file.seek(0)
    left = gap
    while left and (block := file.read(min(left, _BLOCK))):
        digest.update(block)
        left -= len(block)
    file.seek(footer)
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.digest()


def _wrong_bits(mark: bytes) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(mark, _MARK, strict=True))


def _has_mark(file: pa.NativeFile) -> bool:
    """Return whether the mark of a seal is anywhere in a file."""
    file.seek(0)
    last = b""
    while block := file.read(_BLOCK):
        if _MARK in last + block:
            return True
        last = block[1 - len(_MARK) :]
    return False
