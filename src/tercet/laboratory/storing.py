"""Rows of games as Parquet: one file for each step of an arm, there whole or not at all."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from types import ModuleType
from typing import Any

from tercet.errors import TercetError, needs_extra

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    raise TercetError(needs_extra("A study's folder", "lab")) from None

from tercet import __version__, engines, kernel
from tercet.core import playout
from tercet.core.variants import digest as variant_digest
from tercet.core.variants import files
from tercet.engines import politics, trials
from tercet.engines.politics import DecisionEffect, Shift
from tercet.games import game_definition
from tercet.laboratory import playing
from tercet.laboratory.playing import Arm, GameRow
from tercet.training.data import schema
from tercet.training.data.schema import DataError, replace

__all__ = ["StudyFolder", "made_by", "read_rows", "replace", "rows_bytes"]

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
        pa.field("cells", pa.int32(), nullable=False),
        pa.field("forced", pa.list_(pa.list_(pa.int8())), nullable=False),
        pa.field("shifts", pa.string(), nullable=False),
    ]
)
PLAYING = (engines, kernel, playing, playout, politics, trials)  # what plays and counts games, beside the game
NOT_PLAYING = {"__pycache__", "lessons", "puzzles", "samples", "studies", "translations"}  # folders of a game
_JSON = ("counts", "fired", "politics", "shifts")


def rows_bytes(rows: Sequence[GameRow]) -> bytes:
    """Return rows as a Parquet file in memory, the same bytes for the same rows."""

    def plain(row: GameRow) -> dict[str, Any]:
        found = {name: getattr(row, name) for name in SCHEMA.names}
        for name in ("politics", "shifts"):
            found[name] = [astuple(decision) for decision in found[name]]
        return found | {name: json.dumps(found[name]) for name in _JSON}

    return schema.parquet_bytes(pa.Table.from_pylist([plain(row) for row in rows], schema=SCHEMA))


def read_rows(path: Path) -> list[GameRow]:
    """Return the rows in a file; DataError where it is damaged."""
    found = []
    with schema.parquet_errors(path):
        for one in pq.read_table(path).select(SCHEMA.names).to_pylist():
            one |= {name: json.loads(one[name]) for name in _JSON}
            one["politics"] = tuple(DecisionEffect(*decision) for decision in one["politics"])
            one["shifts"] = tuple(Shift(*decision) for decision in one["shifts"])
            for name in ("entrants", "scores", "choices", "fights", "moves", "ahead"):
                one[name] = tuple(one[name])
            for name in ("judged", "forced"):
                one[name] = tuple(map(tuple, one[name]))
            found.append(GameRow(**one))
    return found


@functools.cache
def made_by(game: str, engine_names: tuple[str, ...]) -> str:
    """Return which code plays and counts: Tercet's version, and a signature of the sources and networks used."""
    own = game_definition(game).pack.__module__
    digest = hashlib.sha256(variant_digest(game))
    for module in (*PLAYING, sys.modules[own.rpartition(".")[0] or own]):
        for path in _files(module):
            digest.update(path.read_bytes())
    for name in engine_names:
        if (given := Path(name.partition(":")[2])).is_file():
            digest.update(given.read_bytes())
    return f"Tercet {__version__} ({digest.hexdigest()[:16]})"


def _files(module: ModuleType) -> list[Path]:
    """Return the files of a module, or of a package."""
    folders = [Path(folder) for folder in getattr(module, "__path__", ())]
    if not folders:
        return [Path(module.__file__)] if module.__file__ else []
    found = [(folder, path) for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for folder, path in found if NOT_PLAYING.isdisjoint(path.relative_to(folder).parts)]


class StudyFolder:
    """A folder with the games of a study: ``games/ARM/part-00000.parquet`` ..., and in each arm's folder a manifest
    that says what its games are made from and which code played them. DataError where it holds games that were made
    otherwise. Games that other code played are removed first if ``afresh``."""

    def __init__(self, folder: Path, afresh: bool = False) -> None:
        self.folder = folder
        self.afresh = afresh

    def place(self, arm: Arm) -> Path:
        """Return the folder of an arm, whose manifest is written or compared."""
        place = self.folder / "games" / re.sub(r"[^\w.=-]+", "-", arm.name).strip("-")
        now = made_by(arm.game, arm.engine_names)
        known = schema.read_manifest(place)
        if known is not None and known.get("made_by") != now:
            if not self.afresh:
                was = known.get("made_by", "an earlier version")
                own = f", or {arm.game}.py has changed" if arm.game in files() else ""
                raise DataError(
                    f"The games in {place} were played by {was}, and this is {now}: "
                    f"its engines may play otherwise{own}. "
                    "Choose another folder, or play these games again with --afresh (in Python, afresh=True)."
                )
            for path in sorted(place.iterdir(), key=lambda path: path.name == schema.MANIFEST):  # which goes last
                path.unlink()
        described: Mapping[str, Any] = {
            "kind": "laboratory",
            **asdict(arm),
            "options": dict(arm.made().options),
            "rules_hash": schema.rules_hash(arm.made()),
            "made_by": now,
        }
        schema.check_manifest(place, {name: value for name, value in described.items() if name != "gap"})
        return place

    def steps(self, arm: Arm) -> dict[int, Path]:
        """Return the files of the steps that are there, by number."""
        return schema.parts(self.place(arm))

    def write(self, arm: Arm, step: int, rows: Sequence[GameRow]) -> None:
        """Write a step, whole or not at all."""
        replace(schema.part_path(self.place(arm), step), rows_bytes(rows))
