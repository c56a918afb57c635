"""Records as Parquet and back, and decisions (what a player saw, could do and did) as rows of a table. Nothing is lost:
``Record.write()`` gives the same text before and after."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tercet.core.game import Game, Position
from tercet.errors import IllegalAction, ParseError
from tercet.record import FileRecords, Node, Record, is_token, read_file
from tercet.record.tree import seed_of
from tercet.training.data import schema
from tercet.training.data.schema import DataError, parts

PART_GAMES = 1000


def record_row(record: Record) -> dict[str, Any]:
    """Return a record as a row of the games table."""
    game = record.game
    seed = seed_of(record.headers.get("Seed", "0"))
    from_seed = record.start == game.start(seed)
    return {
        "name": game.name,
        "options": game.option_text(),
        "rules_hash": schema.rules_hash(game),
        "seed": seed if from_seed else None,
        "position": None if from_seed else str(record.start),
        "result": record.result,
        "headers": [{"name": name, "value": value} for name, value in record.headers.items()],
        "comment": record.root.comment,
        "nags": record.root.nags,
        "nodes": list(_nodes(record.root)),
    }


def _nodes(root: Node) -> Iterator[dict[str, Any]]:
    """Yield all nodes below the root, each after its parent and before its younger siblings; parents by their place, -1
    for the root."""
    todo: list[tuple[int, Node]] = [(-1, node) for node in reversed(root.variations)]
    place = 0
    while todo:
        parent, node = todo.pop()
        before = node.parent
        assert before is not None
        text = node.action_text or ""
        action = None if is_token(text) else int(before.position.action(text))
        yield {"parent": parent, "action": action, "text": text, "comment": node.comment, "nags": node.nags}
        todo += [(place, child) for child in reversed(node.variations)]
        place += 1


def record_of(row: Mapping[str, Any], game: Game, where: str) -> Record:
    """Return the record that a row of the games table holds; DataError where it cannot be played."""
    try:
        start = game.start(row["seed"] or 0) if row["position"] is None else game.parse(row["position"])
        root = Node(None, start, row["comment"])
        root.nags = tuple(row.get("nags") or ())
        places = [root]
        for entry in row["nodes"]:
            if not -1 <= entry["parent"] < len(places) - 1:
                raise DataError(f"{where}: node {len(places) - 1} must come after its parent.")
            node = places[entry["parent"] + 1].play(entry["text"])
            node.comment, node.nags = entry["comment"], tuple(entry.get("nags") or ())
            places.append(node)
    except (IllegalAction, ParseError) as error:
        raise DataError(f"{where}: {error}") from None
    headers = {header["name"]: header["value"] for header in row["headers"]}
    return Record(start.game, start, headers, root)


def games_table(records: Iterable[Record], metadata: Mapping[str, Any] | None = None) -> Any:
    """Return an Arrow table of records."""
    return pa.Table.from_pylist([record_row(record) for record in records], schema=schema.games_schema(metadata))


def records_of(table: Any, where: str) -> Iterator[Record]:
    """Yield the records of an Arrow table of games; DataError names the row."""
    known: dict[tuple[str, str], Game] = {}
    for index, row in enumerate(table.to_pylist()):
        key = (row["name"], row["options"])
        if key not in known:
            known[key] = schema.game_of(*key, row["rules_hash"], f"{where}, game {index}")
        yield record_of(row, known[key], f"{where}, game {index}")


def read_records(path: str | Path) -> Iterator[Record]:
    """Yield the records of a Parquet file of games, or of all parts of a folder, with one batch in memory."""
    source = Path(path)
    files = list(parts(source).values()) if source.is_dir() else [source]
    if not files:
        raise DataError(f"{source} has no parts of a dataset.")
    for file in files:
        with schema.parquet_errors(file), pq.ParquetFile(file) as parquet:
            schema.metadata_of(parquet.schema_arrow, "games", str(file))
            for batch in parquet.iter_batches(batch_size=PART_GAMES):
                yield from records_of(batch, str(file))


def write_records(source: str | Path, out: str | Path) -> int:
    """Write the records of a Parquet file or folder as text to ``out``; how many there were."""
    count = 0
    with schema.whole_file(Path(out)) as temporary, temporary.open("w", encoding="utf-8") as file:
        for record in read_records(source):
            file.write(("\n" if count else "") + record.write())
            count += 1
    return count


def export_records(
    source: str | Path,
    out: str | Path,
    *,
    positions: bool = False,
    part_games: int = PART_GAMES,
    lenient: bool = False,
    problems: list[ParseError] | None = None,
) -> Iterator[int]:
    """Write the records of a text file as Parquet, yielding how many are done after each part. A ``lenient`` reading
    adds what it leaves out to ``problems``.

    ``out`` is one file if it ends in ``.parquet``, else a folder of parts of ``part_games`` games each, in which a
    second run goes on where the first was stopped. With ``positions`` the decisions of the main lines are written
    instead, of one game with one set of options. DataError, ParseError.
    """
    target = Path(out)
    kind = "positions" if positions else "games"
    chunks = _chunks(_noted(read_file(source, lenient), [] if problems is None else problems), part_games)
    if target.suffix == ".parquet":
        yield from _one_file(target, chunks, positions)
        return
    with Path(source).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    schema.check_manifest(target, {"kind": kind, "source": digest, "part_games": part_games, "lenient": lenient})
    ready = parts(target)
    done = 0
    game: Game | None = None
    for number, chunk in enumerate(chunks):
        game = game or chunk[0].game
        if number not in ready:
            with schema.whole_file(schema.part_path(target, number)) as temporary:
                pq.write_table(_table(chunk, positions, game, done), temporary, compression=schema.COMPRESSION)
        done += len(chunk)
        yield done


def _one_file(target: Path, chunks: Iterable[list[Record]], positions: bool) -> Iterator[int]:
    done = 0
    writer: Any = None
    game: Game | None = None
    with schema.whole_file(target) as temporary:
        try:
            for chunk in chunks:
                game = game or chunk[0].game
                table = _table(chunk, positions, game, done)
                writer = writer or pq.ParquetWriter(temporary, table.schema, compression=schema.COMPRESSION)
                writer.write_table(table)
                done += len(chunk)
                yield done
        finally:
            if writer is not None:
                writer.close()
        if writer is None:
            raise DataError("There is no game to write.")


def _table(chunk: list[Record], positions: bool, game: Game, first: int) -> Any:
    if not positions:
        return games_table(chunk)
    for record in chunk:
        if record.game != game:
            raise DataError(f"All records must be of {game.option_text()}, but one is of {record.game.option_text()}.")
    return positions_table(
        game, [decision for number, record in enumerate(chunk, first) for decision in decisions_of(record, number)]
    )


def _noted(found: FileRecords, problems: list[ParseError]) -> Iterator[Record]:
    """Yield the records, and add what was left out of them, and the games lost altogether, to ``problems``."""
    for record in found:
        problems += record.problems
        yield record
    problems += found.problems


def _chunks(records: Iterator[Record], size: int) -> Iterator[list[Record]]:
    if size < 1:
        raise DataError(f"A part must have at least one game, not {size}.")
    while chunk := list(islice(records, size)):
        yield chunk


@dataclass(frozen=True)
class Decision:
    """One action of a game.

    ``number`` and ``seed`` are the game's, and ``ply`` counts its actions from 0. ``policy`` divides 1 among the
    actions that the engine preferred. ``values`` are the players' shares of the point at the end (None if the game
    did not end), and ``estimates`` the shares that the engine expected (None if unknown).
    """

    position: Position
    action: int
    number: int = 0
    seed: int = 0
    ply: int = 0
    policy: Mapping[int, float] | None = None
    values: Sequence[float] | None = None
    estimates: Sequence[float] | None = None


def positions_table(game: Game, decisions: Iterable[Decision], metadata: Mapping[str, Any] | None = None) -> Any:
    """Return an Arrow table of decisions of one game; DataError where one is of another."""
    chosen = list(decisions)
    rules = game.rules
    rows = np.zeros((len(chosen), rules.row_size), np.int64)
    legal = np.zeros((len(chosen), rules.actions), np.bool_)
    policies: list[Mapping[int, float]] = []
    for index, decision in enumerate(chosen):
        position = decision.position
        if position.game != game:
            raise DataError(f"All positions must be of {game!r}, but one is of {position.game!r}.")
        rows[index] = position.row
        legal[index, np.asarray(position.legal_actions.ids)] = True
        if not legal[index, decision.action]:
            raise DataError(f"Game {decision.number}: action {decision.action} is not legal at ply {decision.ply}.")
        policies.append(decision.policy or {decision.action: 1.0})
    bits = np.packbits(legal, axis=1, bitorder="little")
    columns = {
        "game": [decision.number for decision in chosen],
        "seed": [decision.seed for decision in chosen],
        "ply": [decision.ply for decision in chosen],
        "mover": [decision.position.mover for decision in chosen],
        "row": pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), rules.row_size),
        "legal": pa.FixedSizeListArray.from_arrays(pa.array(bits.reshape(-1)), bits.shape[1]),
        "action": [decision.action for decision in chosen],
        "policy_actions": [list(policy) for policy in policies],
        "policy_weights": [list(policy.values()) for policy in policies],
        "values": [None if decision.values is None else list(decision.values) for decision in chosen],
        "estimates": [None if decision.estimates is None else list(decision.estimates) for decision in chosen],
    }
    return pa.Table.from_pydict(columns, schema=schema.positions_schema(game, metadata))


def decisions_of(record: Record, number: int = 0) -> list[Decision]:
    """Return the decisions that stand on a record's main line. What was taken back is left out; resignations, offers
    and agreements are no actions of the game and leave no decision, and the position after them is what it is."""
    stands: list[Node] = [record.root]
    for node in record.main():
        if node.action_text is not None and node.action_text.startswith("retract"):
            while stands[-1].position is not node.position:
                stands.pop()
        elif not (node.action_text or "").startswith("draw?"):
            stands.append(node)
    seed = seed_of(record.headers.get("Seed", "0"))
    values = None if record.result == "*" else tuple(float(Fraction(share)) for share in record.result.split("-"))
    found: list[Decision] = []
    for before, node in pairwise(stands):
        if not is_token(node.action_text):
            action = int(before.position.action(node.action_text or ""))
            found.append(Decision(before.position, action, number, seed, len(found), values=values))
    return found
