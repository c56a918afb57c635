"""How soon `tercet lab teaming` finds two who team up, and how often it suspects players who do not.

    python -m benchmarks.teaming --out teaming          # plays what the folder lacks, then prints the table

Games of Triplicity between engines of three levels: two who spare each other's pieces as long as all three play, two
who do so among their first 15 actions, and three who play for themselves. A judge of another level looks at each game
(0.8 s of processor a game, playing included). It can be stopped at any moment and goes on where it was. A trial draws
so many of the games of one kind and asks who is suspected: the two, or any of the three who favour no one.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from tercet.engines import Limits, engine
from tercet.engines.politics import Shift, shifts
from tercet.laboratory import Arm, Player
from tercet.laboratory.teaming import JudgedGame, suspicions

LEVELS = ("level:2", "level:5", "level:7")
JUDGE, NODES = "level:9", 300
KINDS = {"allies": 5, "allies for 15 actions": 6, "three for themselves": 7}  # with the seed of each
LENGTHS = (5, 10, 20)  # games of a trial
TRIALS = 200


def play(folder: Path, level: str, kind: str, games: int) -> list[JudgedGame]:
    """Return ``games`` judged games of a kind, those in ``folder`` first; the others are played and added to it."""
    until = 15 if "15" in kind else None
    ally = Player(level, title="ally", spares="ally", until=until)
    lone = Player(level, title="lone")
    honest = kind.startswith("three")
    arm = Arm("triplicity", {}, (lone,) * 3 if honest else (ally, ally, lone), seed=KINDS[kind], fight="captured")
    game = arm.made()
    file = folder / f"{level.replace(':', '-')}-{kind.replace(' ', '-')}.jsonl"
    found = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    judge = engine(JUDGE, game, seed=0)
    with file.open("a") as out:
        for number in range(len(found), games):
            (row,) = arm.play(number, 1)
            judge.new_game(number)
            seen = shifts(arm.start(game, number), row.moves, judge, Limits(nodes=NODES))
            found.append([row.entrants, [[one.mover, one.leader, round(one.taken, 4)] for one in seen]])
            out.write(json.dumps(found[-1]) + "\n")
            out.flush()
    judge.close()
    names = ("Ann", "Bob", "Cid")
    return [(tuple(names[one] for one in order), [Shift(*values) for values in seen]) for order, seen in found[:games]]


def rate(games: list[JudgedGame], length: int, honest: bool) -> float:
    """Return how often the two are suspected after ``length`` games, or each of three who favour no one."""
    chance, suspected = random.Random(length), 0
    for _ in range(TRIALS):
        found = suspicions(chance.sample(games, length))
        if honest:
            suspected += len({name for one in found if one.suspected for name in one.players})
        else:
            suspected += any(one.suspected and one.players == ("Ann", "Bob") for one in found)
    return suspected / (TRIALS * (3 if honest else 1))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("teaming"))
    parser.add_argument("--games", type=int, default=150, help="of each kind and level")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    print("| level | players | games | favour a game | " + " | ".join(f"{length} games" for length in LENGTHS) + " |")
    print("| --- | --- | --- | --- |" + " --- |" * len(LENGTHS))
    for level in LEVELS:
        for kind in KINDS:
            games = play(asked.out, level, kind, asked.games)
            pair = next(one for one in suspicions(games) if one.players == ("Ann", "Bob"))
            rates = (f"{100 * rate(games, length, kind.startswith('three')):.1f} %" for length in LENGTHS)
            print(f"| {level} | {kind} | {len(games)} | {pair.favour:+.2f} | {' | '.join(rates)} |", flush=True)


if __name__ == "__main__":
    main()
