"""Rows of games as Parquet: one file for each step of an arm, there whole or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tercet.data.files import check_manifest, parquet_bytes, part_path, parts, replace
from tercet.data.schema import rules_hash
from tercet.laboratory.playing import Arm, GameRow
from tercet.politics import DecisionEffect

__all__ = ["StudyFolder", "read_rows", "rows_bytes"]

_SHARES = pa.list_(pa.float64())
SCHEMA = pa.schema(
    [
        pa.field("number", pa.int64(), nullable=False),
        pa.field("entrants", pa.list_(pa.int8()), nullable=False),
        pa.field("scores", _SHARES, nullable=False),
        pa.field("actions", pa.int32(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("counts", pa.string(), nullable=False),
        pa.field("turns", pa.int32(), nullable=False),
        pa.field("choices", pa.list_(pa.int32()), nullable=False),
        pa.field("fired", pa.string(), nullable=False),
        pa.field("fights", pa.list_(pa.int32()), nullable=False),
        pa.field("moves", pa.list_(pa.int32()), nullable=False),
        pa.field("judged", pa.list_(_SHARES), nullable=False),
        pa.field("politics", pa.string(), nullable=False),
        pa.field("ahead", pa.list_(pa.int32()), nullable=False),
    ]
)
_LATER = (("head_start", 0), ("least_nodes", None), ("always", ()))  # manifests of version 0.2 lack these
_JSON = ("counts", "fired", "politics")


def rows_bytes(rows: Sequence[GameRow]) -> bytes:
    """Return rows as a Parquet file in memory, the same bytes for the same rows."""

    def plain(row: GameRow) -> dict[str, Any]:
        found = {name: getattr(row, name) for name in SCHEMA.names}
        found["politics"] = [astuple(decision) for decision in row.politics]
        return found | {name: json.dumps(found[name]) for name in _JSON}

    return parquet_bytes(pa.Table.from_pylist([plain(row) for row in rows], schema=SCHEMA))


def read_rows(path: Path) -> list[GameRow]:
    """Return the rows in a file."""
    found = []
    for one in pq.read_table(path).to_pylist():
        one |= {name: json.loads(one[name]) for name in _JSON}
        one["politics"] = tuple(DecisionEffect(*decision) for decision in one["politics"])
        for name in ("entrants", "scores", "choices", "fights", "moves", "ahead"):
            one[name] = tuple(one.get(name, ()))  # games of version 0.2 have no head start
        one["judged"] = tuple(tuple(shares) for shares in one["judged"])
        found.append(GameRow(**one))
    return found


def _since_0_2(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in fields if (name, value) not in _LATER}


class StudyFolder:
    """A folder with the games of a study: ``games/ARM/part-00000.parquet`` ..., and in each arm's folder a manifest
    that says what its games are made from. DataError where it holds games that were made otherwise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, arm: Arm) -> Path:
        """Return the folder of an arm, whose manifest is written or compared."""
        place = self.folder / "games" / re.sub(r"[^\w.=-]+", "-", arm.name).strip("-")
        described: Mapping[str, Any] = {
            "kind": "laboratory",
            **asdict(arm, dict_factory=_since_0_2),
            "options": dict(arm.made().options),
            "rules_hash": rules_hash(arm.made()),
        }
        check_manifest(place, described)
        return place

    def steps(self, arm: Arm) -> dict[int, Path]:
        """Return the files of the steps that are there, by number."""
        return parts(self.place(arm))

    def write(self, arm: Arm, step: int, rows: Sequence[GameRow]) -> None:
        """Write a step, whole or not at all."""
        replace(part_path(self.place(arm), step), rows_bytes(rows))
