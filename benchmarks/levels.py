"""How much stronger is each level than the one below it?

    python benchmarks/levels.py sanqi --games 100 --results levels.jsonl
    python benchmarks/levels.py triplicity sparklies --pairs all --games 12
    python benchmarks/levels.py sanqi --table

Level 10 takes its strength from time; here it gets so many nodes a move (``--nodes``), so that the table is the same on
every machine and under any load. Every finished game is a line of the results file: stop and go on as you like, with
more games too; games of another ``--seed`` belong into a file of their own. ``--seed`` settles the openings and the
engines' random numbers: those that settings were found with say too much of them. ``--table`` plays nothing and shows
what the file holds, each level against each.

``duel`` is Sparklies for two with ``mode=duel``; each board belongs into a file of its own.

In SanQi the one who moves second wins nearly every game of strong levels from the start; there the games begin from a
book of balanced openings (``--book``), which is made where there is none. A result is whose seats did better on the
mean, as in ``tercet match``: of three players each level has one seat, then two.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import tercet
from tercet.core.game import Game
from tercet.engines import FULL, Limits, engine, level
from tercet.engines.match import elo, match
from tercet.engines.openings import Opening, balanced, read_book

NODES = {"sanqi": 3_000, "triplicity": 100_000, "sparklies": 1_000_000, "duel": 1_000}
OPENINGS, PLIES = 100, 12
LEAST, MOST = 0.6, 0.8


def named(name: str, board: str) -> Game:
    """The game that is called ``name`` here."""
    return tercet.game("sparklies", mode="duel", board=board) if name == "duel" else tercet.game(name)


def name_of(game: Game) -> str:
    return "duel" if game.options.get("mode") == "duel" else game.name


def book_of(game: Game, path: Path) -> list[Opening]:
    """The openings in ``path``, made if it is not there."""
    if not path.exists():
        judge = engine("net", game, seed=0)
        found = balanced(game, judge, Limits(nodes=300), plies=PLIES, within=0.2, seed=3)
        kept = (opening.record().write() for _, opening in found if opening is not None)
        path.write_text("\n".join(next(kept) for _ in range(OPENINGS)) + "\n", encoding="utf-8")
    return list(read_book(path, game))


def play_pair(game: Game, strong: int, weak: int, games: int, done: list[dict[str, Any]], chosen: Any) -> None:
    """Play what is left of the games between these levels."""
    first = len(results(game, strong, weak, done))
    if first >= games:
        return
    book = book_of(game, chosen.book) if game.name == "sanqi" else []
    full = Limits(nodes=chosen.nodes or NODES[name_of(game)])
    limits = tuple(full if number == FULL else Limits() for number in (strong, weak))
    players = level(game, strong, seed=strong), level(game, weak, seed=100 + weak)
    seed = 100 * chosen.seed + strong
    playing = match(*players, game, games, limits=(limits[0], limits[1]), seed=seed, first=first, book=book)
    for played in playing:
        result = {
            "game": name_of(game), "strong": strong, "weak": weak, "number": played.number, "result": played.result,
            "seats": played.seats, "first": played.outcome.scores[0] if played.outcome else None,
            "plies": len(played.actions), "seconds": [round(value, 2) for value in played.seconds],
        }  # fmt: skip
        done.append(result)
        with chosen.results.open("a") as out:
            out.write(json.dumps(result) + "\n")


def results(game: Game, strong: int, weak: int, done: list[dict[str, Any]]) -> list[int]:
    """The results of the stronger one's games."""
    wanted = (name_of(game), strong, weak)
    return [result["result"] for result in done if (result["game"], result["strong"], result["weak"]) == wanted]


def row(game: Game, strong: int, weak: int, done: list[dict[str, Any]]) -> str:
    """One line of the table."""
    found = results(game, strong, weak, done)
    wins, draws, losses = found.count(1), found.count(0), found.count(-1)
    share = (wins + draws / 2) / max(1, len(found))
    verdict = "" if strong - weak != 1 or LEAST <= share <= MOST else "outside 60 to 80 %"
    played = f"{len(found)}: +{wins} ={draws} -{losses}"
    return f"| {name_of(game)} | {strong} - {weak} | {share:.0%} | {elo(wins, draws, losses)} | {played} | {verdict} |"


def table(game: Game, done: list[dict[str, Any]]) -> str:
    """The points of each level (rows) against each weaker one, in brackets the games."""
    lines = [f"| {name_of(game)} |" + "".join(f" {weak} |" for weak in range(1, FULL)), "| --- " * FULL + "|"]
    for strong in range(2, FULL + 1):
        cells = []
        for weak in range(1, FULL):
            found = results(game, strong, weak, done)
            share = sum(result + 1 for result in found) / max(1, 2 * len(found))
            cells.append(f" {share:.0%} ({len(found)}) |" if found else " |")
        lines.append(f"| **{strong}** |" + "".join(cells))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=list(NODES))
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--nodes", type=int, help="a move for level 10")
    parser.add_argument("--pairs", choices=["neighbours", "all"], default="neighbours")
    parser.add_argument("--board", default="9x9", help="of the duel (default: 9x9)")
    parser.add_argument("--levels", type=int, nargs="*", default=list(range(2, FULL + 1)), help="the stronger ones")
    parser.add_argument("--seed", type=int, default=0, help="of openings and random numbers (default: 0)")
    parser.add_argument("--table", action="store_true", help="show what the results file holds, and play nothing")
    parser.add_argument("--results", type=Path, default=Path("levels.jsonl"))
    parser.add_argument("--book", type=Path, default=Path("levels-book.txt"))
    chosen = parser.parse_args()
    done = []
    if chosen.results.exists():
        done = [json.loads(line) for line in chosen.results.read_text().splitlines()]
    if chosen.table:
        print("\n\n".join(table(named(name, chosen.board), done) for name in chosen.names))
        return
    print("| game | levels | points | Elo, 95 % | games | |\n| --- | --- | --- | --- | --- | --- |", flush=True)
    for name in chosen.names:
        game = named(name, chosen.board)
        for strong in chosen.levels:
            for weak in range(strong - 1, 0, -1) if chosen.pairs == "all" else [strong - 1]:
                play_pair(game, strong, weak, chosen.games, done, chosen)
                print(row(game, strong, weak, done), flush=True)


if __name__ == "__main__":
    main()
