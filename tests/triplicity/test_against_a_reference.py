"""The kernels against a second, slow reading of the rules file: dictionaries of coordinates and no table at all."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import Position

Cell = tuple[int, int, int]

ORTHOGONAL = sorted(set(permutations((0, 1, -1))))
DIAGONAL = sorted({*permutations((2, -1, -1)), *permutations((-2, 1, 1))})
LEAPS = sorted({*permutations((1, 2, -3)), *permutations((-1, -2, 3))})
VALUE = {"P": 1, "N": 2, "B": 2, "R": 3, "Q": 4, "K": 5}
CELLS = [(x, y, 14 - x - y) for x in range(13) for y in range(13) if 0 <= 14 - x - y <= 12]


def name(cell: Cell) -> str:
    return f"{'abcdefghijklm'[cell[1]]}{13 - cell[0]}"


AT = {name(cell): cell for cell in CELLS}


def add(cell: Cell, step: tuple[int, ...], times: int = 1) -> Cell:
    x, y, z = (a + times * b for a, b in zip(cell, step, strict=True))
    return x, y, z


class Reference:
    """A position by the letter of the rules file."""

    def __init__(self, text: str) -> None:
        head, rows, turn, tokens, states, quiet, pending, *felled = text.split(" ")
        options = dict(word.split("=") for word in head.partition("/")[2].split(",") if word)
        self.jeopardy = options.get("jeopardy", "text")
        self.anywhere = options.get("drops") == "anywhere"
        self.limit = int(options.get("quiet_limit", "150"))
        self.men: dict[Cell, tuple[int, str]] = {}
        for x, row in enumerate(rows.split("/")):
            places = [cell for cell in CELLS if cell[0] == x]
            while row:
                if row[0] in "wbr":
                    self.men[places.pop(0)] = ("wbr".index(row[0]), row[1])
                    row = row[2:]
                else:
                    digits = row[:2] if row[:2].isdigit() else row[0]
                    del places[: int(digits)]
                    row = row[len(digits) :]
        self.turn = "WBR".index(turn)
        self.tokens = [int(number) for number in tokens.split(",")]
        self.states = states.split(",")
        self.quiet = int(quiet)
        self.captor = None if pending == "-" else "wbr".index(pending)
        self.felled = bool(felled)

    def playing(self) -> list[int]:
        return [player for player in range(3) if self.states[player] == "a"]

    def over(self) -> bool:
        return len(self.playing()) == 1 or self.quiet >= self.limit

    def kings(self, player: int) -> list[Cell]:
        return [cell for cell, man in self.men.items() if man == (player, "K")]

    def reached(self, cell: Cell) -> Iterator[Cell]:
        """Where the man on ``cell`` may end a move as the pieces go."""
        player, kind = self.men[cell]
        if kind == "P":
            for step in ORTHOGONAL + DIAGONAL:
                target = add(cell, step)
                enemy = target in self.men and self.men[target][0] != player
                if step[player] < 0 and target in AT.values() and (enemy if 0 in step else target not in self.men):
                    yield target
            return
        steps = {"R": ORTHOGONAL, "B": DIAGONAL, "N": LEAPS}.get(kind, ORTHOGONAL + DIAGONAL)
        for step in steps:
            for times in range(1, 2 if kind in "NK" else 14):
                target = add(cell, step, times)
                if max(target) > 12 or min(target) < 0:
                    break
                if target not in self.men or self.men[target][0] != player:
                    yield target
                if target in self.men:
                    break

    def allowed(self, cell: Cell, target: Cell, becomes: str) -> bool:
        """Whether the rule on last kings lets the man on ``cell`` go to ``target``."""
        me = self.turn
        if target not in self.men or self.men[target][1] != "K":
            return True
        victim = self.men[target][0]
        if len(self.kings(victim)) > 1 or self.jeopardy == "off":
            return True
        if self.jeopardy == "no-successive":
            return not self.felled
        if len(self.playing()) < 3:
            return True
        after = deepcopy(self)
        after.men[target] = (me, becomes or self.men[cell][1])
        del after.men[cell]
        third = 3 - me - victim
        own = after.kings(me)
        return len(own) > 1 or not any(own[0] in after.reached(c) for c, man in after.men.items() if man[0] == third)

    def actions(self) -> set[str]:
        me = self.turn
        if self.over():
            return set()
        mine = [cell for cell, man in self.men.items() if man[0] == me]
        if self.captor is not None:
            return {f"~{name(cell)}" for cell in mine if self.men[cell][1] != "K" or len(self.kings(me)) > 1}
        found = set()
        for cell in mine:
            for target in self.reached(cell):
                promotes = self.men[cell][1] == "P" and target[me] == 0
                for becomes in "NBRQK" if promotes else [""]:
                    if self.allowed(cell, target, becomes):
                        sign = "x" if target in self.men else "-"
                        found.add(f"{name(cell)}{sign}{name(target)}" + (f"={becomes}" if becomes else ""))
        for kind, value in VALUE.items():
            for cell in CELLS:
                if (
                    value * len(self.playing()) <= self.tokens[me]
                    and cell not in self.men
                    and (self.anywhere or 0 in cell or 12 in cell)
                    and not (kind == "P" and cell[me] == 0)
                ):
                    found.add(f"{kind}@{name(cell)}")
        return found or {"pass"}

    def follow(self, player: int) -> int:
        return next(p % 3 for p in range(player + 1, player + 4) if self.states[p % 3] == "a")

    def after(self, text: str) -> Reference:
        new = deepcopy(self)
        new.play(text)
        return new

    def play(self, text: str) -> None:
        me = self.turn
        if text[0] == "~":
            del self.men[AT[text[1:]]]
            assert self.captor is not None
            self.turn, self.captor = self.follow(self.captor), None
            return
        self.felled = False
        self.quiet += 1
        if "@" in text:
            value = VALUE[text[0]]
            self.men[AT[text[2:]]] = (me, text[0])
            self.tokens[me] -= value * len(self.playing())
            for other in self.playing():
                self.tokens[other] += value if other != me else 0
            self.quiet = 0
        elif text != "pass":
            way, _, becomes = text.replace("x", "-").partition("=")
            start, end = way.split("-")
            self.move(AT[start], AT[end], becomes)
        if self.captor is None:
            self.turn = self.follow(me)

    def move(self, cell: Cell, target: Cell, becomes: str) -> None:
        me = self.turn
        kind = self.men.pop(cell)[1]
        taken = self.men.get(target)
        self.men[target] = (me, becomes or kind)
        if kind == "P" or taken:
            self.quiet = 0
        if not taken:
            return
        victim, what = taken
        third = 3 - me - victim
        owes = self.states[third] == "a" and (
            self.states[victim] == "a" or (self.states[victim] == "r" and what == "K")
        )
        if what == "K" and not self.kings(victim):
            if self.states[victim] == "a":
                self.states[victim] = "v"
            self.tokens[me] += self.tokens[victim]
            self.tokens[victim] = 0
            self.felled = self.jeopardy == "no-successive"
        if owes and self.tokens[third]:
            paid = min(self.tokens[third], VALUE[what])
            self.tokens[third] -= paid
            self.tokens[me] += paid
        elif owes and [man[0] for man in self.men.values()].count(third) > 1:
            self.captor, self.turn = me, third

    def fields(self) -> list[str]:
        """All of the position string but its rows."""
        return [
            "WBR"[self.turn],
            ",".join(map(str, self.tokens)),
            ",".join(self.states),
            str(self.quiet),
            "-" if self.captor is None else "wbr"[self.captor],
            *(["k"] if self.felled else []),
        ]

    def perft(self, depth: int) -> int:
        if depth == 1:
            return len(self.actions())
        return sum(self.after(text).perft(depth - 1) for text in self.actions())


def lively(rng: random.Random, texts: list[str]) -> str:
    """An action, more often than not a capture, a promotion or a purchase."""
    marked = [text for text in texts if rng.random() < 0.3 and ("x" in text or "=" in text or "@" in text)]
    return rng.choice(marked or texts)


def resigned(position: Position, player: int) -> Position:
    row: Any = position.row.copy()
    position.game.kernels.resign(position.game.data, row, player, position.game.new_events())
    return Position(position.game, row)


def compare(position: Position, seed: int, plies: int) -> None:
    rng = random.Random(seed)
    for _ in range(plies):
        reference = Reference(str(position))
        texts = sorted(str(action) for action in position.legal_actions)
        assert texts == sorted(reference.actions()), str(position)
        assert position.is_over == reference.over()
        if position.is_over:
            break
        text = lively(rng, texts)
        position = position.play(text)
        reference.play(text)
        if position.is_over:
            reference.captor = None
        assert reference.fields() == str(position).split(" ")[2:], text
        assert reference.men == Reference(str(position)).men, text
        if rng.random() < 0.003:
            position = resigned(position, rng.randrange(3))


OPTIONS: list[dict[str, Any]] = [
    {},
    {"jeopardy": "no-successive"},
    {"jeopardy": "off", "drops": "anywhere"},
    {"quiet_limit": 9},
]


@pytest.mark.parametrize("seed", range(8))
def test_random_games_agree_with_the_reference(seed: int) -> None:
    compare(tercet.game("triplicity", **OPTIONS[seed % len(OPTIONS)]).start(), seed, 150)


@pytest.mark.parametrize("seed", range(24))
def test_bare_games_agree_with_the_reference(seed: int) -> None:
    """Few men and poor players: kings fall, pawns promote, debts are paid in men."""
    rng = random.Random(seed)
    game = tercet.game("triplicity", **OPTIONS[seed % len(OPTIONS)])
    rows = [["1"] * len(cells) for cells in game.board.rows]
    places = [(x, i) for x, row in enumerate(rows) for i in range(len(row))]
    rng.shuffle(places)
    men = ["wK", "bK", "rK", *(rng.choice("wbr") + rng.choice("PPPNBRQK") for _ in range(rng.randrange(3, 24)))]
    for man in men:
        x, i = places.pop()
        if man[1] != "P" or 0 not in game.board.coordinates[game.board.rows[x][i]]:
            rows[x][i] = man
    written = "/".join("".join(_runs(row)) for row in rows)
    tokens = ",".join(str(rng.randrange(4)) for _ in range(3))
    changed = game.option_text(changed_only=True).replace(" ", ",")
    head = "triplicity" + (f"/{changed}" if changed else "")
    compare(game.parse(f"{head} {written} {rng.choice('WBR')} {tokens} a,a,a 0 -"), seed, 80)


def _runs(row: list[str]) -> Iterator[str]:
    empty = 0
    for place in [*row, ""]:
        if place == "1":
            empty += 1
            continue
        if empty:
            yield str(empty)
        empty = 0
        yield place


@pytest.mark.long
@pytest.mark.timeout(0)
def test_perft_files_agree_with_the_reference() -> None:
    for path in sorted(Path(__file__).parent.glob("perft/*.perft")):
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                text, *counts = (part.strip() for part in line.split(";"))
                for count in counts[:2]:
                    assert Reference(text).perft(int(count[1])) == int(count.split()[1]), line
