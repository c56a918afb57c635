"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tercet.training.data.schema import DataError

__all__ = ["MANIFEST", "check_manifest", "parquet_bytes", "parts", "read_manifest", "replace", "whole_file"]

COMPRESSION = "zstd"
MANIFEST = "manifest.json"


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside ``path`` to write to. It takes the place of ``path`` if the block ends well,
    else it is removed: no reader ever sees half of a file, even after a kill."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def replace(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def parquet_bytes(table: Any) -> bytes:
    """Return a table as a Parquet file in memory, the same bytes for the same table."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression=COMPRESSION)
    return bytes(sink.getvalue())


def parts(directory: Path) -> dict[int, Path]:
    """Return the parts of a directory by number."""
    try:
        return {int(path.stem.removeprefix("part-")): path for path in sorted(directory.glob("part-*.parquet"))}
    except ValueError as error:
        raise DataError(f"{directory} has a part without a number ({error}). Move that file elsewhere.") from None


def part_path(directory: Path, number: int) -> Path:
    """Return the path of part ``number`` of a directory."""
    return directory / f"part-{number:05d}.parquet"


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a file. DataError where there is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise DataError(f"{path} is missing or damaged.")
    return found


def read_manifest(directory: Path) -> dict[str, Any] | None:
    """Return what ``directory`` says that its parts are made from; None where it says nothing, DataError where that is
    damaged."""
    path = directory / MANIFEST
    return read_json(path) if path.exists() else None


def check_manifest(directory: Path, content: Mapping[str, Any]) -> None:
    """Say in ``directory`` what its parts are made from. DataError where it says something else already: parts of two
    different runs must not stand side by side."""
    wanted = json.loads(json.dumps(content))
    known = read_manifest(directory)
    if known is not None:
        differing = sorted(name for name in {*known, *wanted} if known.get(name) != wanted.get(name))
        if differing:
            was, now = (content.get(differing[0]) for content in (known, wanted))
            raise DataError(f"{directory} has {differing[0]} {was!r}, not {now!r}. Choose another folder.")
        return
    if directory.exists() and any(directory.iterdir()):
        raise DataError(f"{directory} is not empty, and its files are not Tercet's. Choose another folder.")
    replace(directory / MANIFEST, json.dumps(wanted, indent=1, ensure_ascii=False).encode() + b"\n")
