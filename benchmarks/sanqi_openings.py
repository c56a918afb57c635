"""How even SanQi's openings are at level 9.

``find`` lets an engine of level 9 set up positions, Second to move, plays games from each and appends what came of them
to a file of JSON lines, so that it can be stopped and started again; ``refine`` plays more games from those that are
split so far; ``book`` writes those that are even in so many games as a book::

    python -m benchmarks.sanqi_openings find --side 8 --pieces 4 --setups 40 --seed 1 --out found.jsonl
    python -m benchmarks.sanqi_openings refine --side 8 --games 120 --seed 1 --out found.jsonl
    python -m benchmarks.sanqi_openings book --side 8 --games 120 --out found.jsonl > src/tercet/games/sanqi/books/8.txt

Level 9 is deterministic: from one position it plays the same game again and again, so that no position is split. In
``find`` and ``refine`` each of its moves has 30 to 60 simulations, by chance; level 9 has 60.
Every game starts from an image of the position by one of its symmetries, drawn at random, and from engines that
remember nothing.
``find`` drops a position as soon as its first games are lopsided. A position that is kept for its results looks more
even than it is: only the study ``sanqi/book``, whose games choose nothing, says how even a book is.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tercet
from tercet.core.figures import wilson
from tercet.engines import level
from tercet.engines.base import Engine, Limits
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.rules import TYPES

GAMES = 24  # of a position of the book
LEAST = {4: 1, 6: 1, 8: 2, 12: 3, 16: 5}  # points that each side must have after so many games
LOW, HIGH = 0.4, 0.6  # First's share in a position that is split
EVEN_LOW, EVEN_HIGH = 0.45, 0.55  # in a position of the book

Pair = tuple[Engine, Engine]


def engines(game: tercet.Game) -> Pair:
    """Return two engines of level 9."""
    return level(game, 9), level(game, 9)


def placed(game: tercet.Game, actions: Sequence[int]) -> tercet.Position:
    """Return the position with these pieces and Second to move; ko protects the last piece."""
    row = game.new_row()
    game.kernels.clear(game.data, row)
    for action in actions:
        game.kernels.flip(game.data, row, action // 3, action % 3 + 1)
    row[layout.MOVER], row[layout.KO] = layout.SECOND, actions[-1] // 3 + 1
    game.kernels.refresh(game.data, row)
    return tercet.Position(game, row)


def play(position: tercet.Position, pair: Pair, chance: random.Random) -> float:
    """Return First's points of a game from ``position``, each move limited by ``chance``."""
    for engine in pair:
        engine.new_game(chance.getrandbits(32))
    while position.mover is not None:
        position = position.play(pair[position.mover].think(position, Limits(nodes=chance.randint(30, 60))).action)
    return (position.scores or (0.5, 0.5))[0]


def set_up(game: tercet.Game, setter: Engine) -> list[int]:
    """Return the pieces that ``setter`` sets up."""
    position, actions = game.start(), []
    while position.row[layout.STAGE] == layout.SETTING_UP:
        actions.append(setter.think(position, Limits()).action.id)
        position = position.play(actions[-1])
    return actions


def find(side: int, pieces: int, setups: int, seed: int, out: Path) -> None:
    """Let an engine set up so many positions, append to ``out`` what came of each, and print how many are split."""
    game = tercet.game("sanqi", side=side, opening="swap", setup=pieces)
    known = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []
    done = [each for each in known if (each["side"], len(each["order"]), each.get("seed")) == (side, pieces, seed)]
    free = tercet.game("sanqi", side=side)
    setter, pair = level(game, 9), engines(free)
    for number in range(len(done), setups):
        setter.new_game(1_000_003 * seed + number)
        actions = set_up(game, setter)
        images, chance = placed(free, actions).images(), random.Random(f"{seed} {number}")
        won, games = 0.0, 0
        while games < GAMES and min(won, games - won) >= LEAST.get(games, 0):
            won += play(chance.choice(images), pair, chance)
            games += 1
        order = [f"{TYPES[action % 3]}{game.board.names[action // 3]}" for action in actions]
        done.append({"side": side, "seed": seed, "order": order, "won": won, "n": games})
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(done[-1]) + "\n")
    split = sum(each["n"] == GAMES and LOW <= each["won"] / GAMES <= HIGH for each in done)
    low, high = wilson(split / setups, setups)
    print(f"Split: {split} of {setups} set-ups of {pieces} pieces ({low:.3f} to {high:.3f})")


@dataclass
class Found:
    """A position of a file of JSON lines, with the games from it and from its images."""

    order: list[str]
    position: tercet.Position
    won: float = 0.0
    games: int = 0

    @property
    def is_split(self) -> bool:
        """Whether each side has enough of enough games."""
        return self.games >= GAMES and LOW <= self.won / self.games <= HIGH


def found_in(out: Path, side: int) -> list[Found]:
    """Return the positions of ``out``, each once."""
    game, found = tercet.game("sanqi", side=side), dict[Any, Found]()
    for line in out.read_text(encoding="utf-8").splitlines():
        known: dict[str, Any] = json.loads(line)
        if known["side"] == side and known.get("n"):
            actions = [3 * game.board.index[piece[1:]] + TYPES.index(piece[0]) for piece in known["order"]]
            position = placed(game, actions)
            one = found.setdefault(position.canonical_key(), Found(known["order"], position))
            one.won, one.games = one.won + known["won"], one.games + known["n"]
    return list(found.values())


def refine(side: int, games: int, seed: int, out: Path) -> None:
    """Play on to so many games from each position of ``out`` that is split, while it is, and append what came of it."""
    pair = engines(tercet.game("sanqi", side=side))
    for one in found_in(out, side):
        images, chance = one.position.images(), random.Random(f"{seed} {one.order}")
        while one.is_split and one.games < games:
            won = sum(play(chance.choice(images), pair, chance) for _ in range(GAMES))
            one.won, one.games = one.won + won, one.games + GAMES
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"side": side, "order": one.order, "won": won, "n": GAMES}) + "\n")


def book(side: int, games: int, out: Path) -> None:
    """Print the positions of ``out`` that are even in at least so many games, as a book."""
    for one in found_in(out, side):
        if one.games >= games and EVEN_LOW <= one.won / one.games <= EVEN_HIGH:
            print(f"{' '.join(one.order)} = {one.won:g}/{one.games}")


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("find", "refine", "book"))
    parser.add_argument("--side", type=int, required=True)
    parser.add_argument("--pieces", type=int, default=5)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--setups", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    if chosen.out is None:
        sys.exit(f"{chosen.what} needs --out, a file of JSON lines.")
    elif chosen.what == "find":
        find(chosen.side, chosen.pieces, chosen.setups, chosen.seed, chosen.out)
    elif chosen.what == "refine":
        refine(chosen.side, chosen.games, chosen.seed, chosen.out)
    else:
        book(chosen.side, chosen.games, chosen.out)


if __name__ == "__main__":
    main()
