"""Puzzles: positions in which something can be forced, with the proof that it can (``docs/puzzles.md``).

:func:`make` plays games with a share of random actions, and lets the game look for what can be forced in them. What it
finds is checked, and left out if it is there already. A file has a puzzle on each line, as JSON; it is compressed where
its name ends in ``.gz``. ``checker`` shares nothing with the search that finds puzzles.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tercet
from tercet.core.abilities.knowledge import PuzzleIdea, Puzzles, PuzzleSource
from tercet.core.game import Game, Position
from tercet.core.rules import PlainNumbers
from tercet.engines import Limits, engine
from tercet.errors import TercetError
from tercet.games import game_definition
from tercet.learning.puzzles.checker import Refused, check

__all__ = ["PuzzleError", "Refused", "check", "from_positions", "key_of", "make", "read", "shipped", "write"]

FIELDS = {
    "id": str, "game": str, "options": dict, "position": str, "mover": int, "task": str, "attackers": list,
    "goal": dict, "turns": int, "right": dict, "tags": list, "rating": int, "source": dict,
}  # fmt: skip


class PuzzleError(TercetError, ValueError):
    """A file that holds no puzzles, or a game without any."""


def read(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the puzzles of a file, in order. PuzzleError names the line that is none; OSError."""
    path = Path(path)
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        for number, line in enumerate(_lines(file, path.name), 1):
            try:
                puzzle = json.loads(line)
                missing = [name for name, kind in FIELDS.items() if not isinstance(puzzle[name], kind)]
            except (ValueError, KeyError, TypeError) as error:
                raise PuzzleError(f"{path.name}, line {number}: A line must be a puzzle in JSON ({error}).") from None
            if missing:
                raise PuzzleError(f"{path.name}, line {number}: The field {missing[0]} has a wrong type.")
            yield puzzle


def _lines(file: Iterable[bytes], name: str) -> Iterator[bytes]:
    try:
        yield from file
    except EOFError:
        raise PuzzleError(f"{name} is damaged: its compressed text ends too early.") from None


def write(path: str | Path, puzzles: Iterable[dict[str, Any]]) -> None:
    """Write a file of puzzles."""
    text = "".join(json.dumps(puzzle, ensure_ascii=False, separators=(",", ":")) + "\n" for puzzle in puzzles)
    data = text.encode()
    Path(path).write_bytes(gzip.compress(data, 9, mtime=0) if Path(path).suffix == ".gz" else data)


def shipped(game: str) -> list[Path]:
    """Return the files of puzzles that come with a game, the compressed ones last; none if it has none."""
    puzzles = game_definition(game).puzzles
    files = [] if puzzles is None else puzzles.folder.glob("*.jsonl*")
    return sorted(files, key=lambda path: (path.suffix == ".gz", path))


MAX_RIGHT_ACTIONS = 3  # right first actions of a puzzle
MAX_PROOF_LENGTH = 30_000  # characters of the proof of the right actions; a puzzle with a longer one is left out
MAX_OTHER_PROOF_LENGTH = 6_000  # of each other proof, which is left out by itself if it is longer
WAVE_GAMES = 8  # games for each worker that are handed out together

Progress = Callable[[int, int], None]  # puzzles made, games played


def ability(name: str) -> Puzzles:
    """Return how puzzles of the game ``name`` are found; PuzzleError where it has none."""
    puzzles = game_definition(name).puzzles
    if puzzles is None:
        raise PuzzleError(f"The game {name} does not declare how to find puzzles.")
    return puzzles


@dataclass(frozen=True)
class Task(PlainNumbers):
    """Game ``number`` of those played with ``seed``, for puzzles that have one of ``tags`` (any, if there are none) and
    the ``motif`` (empty: any)."""

    game: str
    seed: int
    number: int
    tags: tuple[str, ...] = ()
    motif: str = ""


def make(
    name: str,
    count: int,
    seed: int = 0,
    *,
    tags: Sequence[str] = (),
    motif: str = "",
    without: Iterable[Mapping[str, Any]] = (),
    workers: int | None = None,
    progress: Progress | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield ``count`` puzzles of the game ``name``, no two the same up to symmetry, nor one of those in ``without``;
    only such as have one of ``tags``, if there are any, and the ``motif``, if one is named. They depend on these and on
    ``seed`` alone, not on the number of ``workers`` (processes; as many as cores if None). PuzzleError where the game
    has none, or no such motif."""
    wanted(name, tags, motif)
    from tercet.workers import Workers  # here: no browser has processes

    known = {key_of(puzzle) for puzzle in without}
    made = played = 0
    with Workers("local", workers) as crew:
        while True:
            numbers = range(played, played + WAVE_GAMES * (workers or 8))
            wave = [Task(name, seed, number, tuple(tags), motif) for number in numbers]
            done: dict[int, list[tuple[str, dict[str, Any]]]] = {}
            for index, found in crew.run(find, wave):
                done[index] = found
                while (played - wave[0].number) in done:  # in the order of the games, however they finish
                    for key, puzzle in done.pop(played - wave[0].number):
                        if key not in known:
                            known.add(key)
                            made += 1
                            yield puzzle
                            if made == count:
                                return
                    played += 1
                    if progress is not None:
                        progress(made, played)


def wanted(name: str, tags: Sequence[str], motif: str) -> Callable[[Mapping[str, Any]], bool]:
    """Return whether a puzzle of the game ``name`` has one of ``tags``, if there are any, and the ``motif``, if one is
    named; PuzzleError where the game has no such motif."""
    known = {one.key: one for one in ability(name).motifs}
    if motif and motif not in known:
        raise PuzzleError(f"The game {name} has no motif {motif[:40]!r}. Its motifs: {', '.join(known) or 'none'}.")

    def fits(puzzle: Mapping[str, Any]) -> bool:
        return (not tags or bool(set(tags) & set(puzzle["tags"]))) and (not motif or known[motif].holds(puzzle))

    return fits


def key_of(puzzle: Mapping[str, Any]) -> str:
    """Return a key, the same for all puzzles that ask the same of positions that are the same but for a symmetry."""
    return _key(tercet.parse(puzzle["position"]), puzzle["goal"], puzzle["turns"])


def _key(position: Position, goal: Mapping[str, Any], turns: int) -> str:
    return f"{position.without_history().canonical_key().hex()} {json.dumps(goal, sort_keys=True)} {turns}"


def find(task: Task) -> list[tuple[str, dict[str, Any]]]:
    """Return the puzzles of one game, each with its key (as `key_of`)."""
    sources = _sources(task)
    source = sources[task.number % len(sources)]
    digest = hashlib.sha256(f"tercet puzzles {task.seed} {task.number}".encode()).digest()
    chance = random.Random(int.from_bytes(digest[:8], "little"))
    positions = play(source, task.game, chance)
    origin: dict[str, Any] = {"seed": task.seed, "game": task.number, "engine": source.engine}
    origin |= {"tags": list(task.tags)} if task.tags else {}
    origin |= {"motif": task.motif} if task.motif else {}
    fits = wanted(task.game, task.tags, task.motif)
    found = from_positions(positions, chance.getrandbits(32), origin, source.find)
    return [(key, puzzle) for key, puzzle in found if fits(puzzle)]


def _sources(task: Task) -> Sequence[PuzzleSource]:
    """Return the sources whose games are played: those for the tags, where the game has some for each."""
    puzzles = ability(task.game)
    tags = [*task.tags, *(tag for motif in puzzles.motifs if motif.key == task.motif for tag in motif.tags)]
    rare = [source for tag in tags for source in puzzles.by_tag.get(tag, ())]
    return rare if all(tag in puzzles.by_tag for tag in tags) and rare else puzzles.sources


def play(source: PuzzleSource, name: str, chance: random.Random) -> list[Position]:
    """Return the positions of a game in which a share of the actions is random."""
    game = Game(game_definition(name), source.options)
    player = engine(source.engine, game, seed=chance.getrandbits(30))
    limits = Limits(nodes=source.nodes)
    beginning = chance.getrandbits(62)
    position = game.start(beginning) if source.start is None else source.start(beginning)
    positions = [position]
    try:
        while not position.is_over and len(positions) <= source.plies:
            if chance.random() < source.noise:
                position = position.play(chance.choice(position.legal_actions))
            else:
                position = position.play(player.think(position, limits).action)
            positions.append(position)
    finally:
        player.close()
    return [position for position in positions if not position.is_over]


def from_positions(
    positions: Sequence[Position],
    seed: int,
    origin: dict[str, Any],
    find: Callable[[Sequence[Position], int], Iterable[PuzzleIdea]] | None = None,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the puzzles in the positions of a game, each with its key, as ``find`` (None: the game) sees them;
    ``origin`` says where they come from."""
    if not positions:
        return
    for idea in (find or ability(positions[0].game.name).find)(positions, seed):
        if 1 <= len(idea.right) <= MAX_RIGHT_ACTIONS and len(json.dumps(idea.right)) <= MAX_PROOF_LENGTH:
            puzzle = puzzle_data(idea, origin)
            check(puzzle)
            yield _key(idea.position, idea.goal, idea.turns), puzzle


def puzzle_data(idea: PuzzleIdea, origin: dict[str, Any]) -> dict[str, Any]:
    """Return a puzzle as it is written."""
    position = idea.position
    mover = position.mover
    text = str(position)
    said = json.dumps([text, idea.goal, list(idea.attackers), idea.turns], sort_keys=True)
    tags = ["attack" if mover in idea.attackers else "defence", *idea.tags]
    tags += [f"{idea.turns} turn{'' if idea.turns == 1 else 's'}"]
    tags += ["only move"] if len(idea.right) == 1 else []
    puzzle: dict[str, Any] = {
        "id": f"{position.game.name}-{hashlib.sha256(said.encode()).hexdigest()[:10]}",
        "game": position.game.name,
        "options": dict(position.game.options),
        "position": text,
        "mover": mover,
        "task": idea.task,
        "attackers": list(idea.attackers),
        "goal": dict(idea.goal),
        "turns": idea.turns,
        "tags": list(dict.fromkeys(tags)),
        "rating": idea.difficulty,
        "source": origin,
        "right": dict(idea.right),
    }
    if idea.wrong is not None and len(json.dumps(idea.wrong)) <= MAX_OTHER_PROOF_LENGTH:
        puzzle["wrong"] = idea.wrong
    if idea.best is not None and len(json.dumps(idea.best)) <= MAX_OTHER_PROOF_LENGTH:
        puzzle["best"] = dict(idea.best)
    return puzzle
