"""What can be asked about a position of Triplicity: who threatens what, what captures pay, and where each man and
player can go."""

from __future__ import annotations

from typing import Any

from tercet.core.game import Game, Position
from tercet.core.texts import listed
from tercet.core.view import Exploration, Finding, Findings, Mark, Threat
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.positions import men, still_playing
from tercet.games.triplicity.rules import KINDS, PLAYERS, rules_of

EXPLORATIONS = (
    Exploration(
        "threats",
        "Threatened pieces",
        "Which pieces could be captured next turn, and by what?",
        live=True,
        threatens=True,
    ),
    Exploration(
        "balance", "Attack and defence", "How many pieces attack each piece, and how many defend it?", live=True
    ),
    Exploration(
        "captures", "What captures pay", "What can be captured this turn, and who pays how much for it?", live=True
    ),
    Exploration("reach", "Where a piece can go", "Where could the piece on this cell go?", "cell", live=True),
    *(
        Exploration(
            f"reach-{name.lower()}", f"Where {name} can go", f"Where could {name}'s pieces go if it were {name}'s turn?"
        )
        for name in PLAYERS
    ),
)


def reach(game: Game, row: Any, cell: int) -> tuple[int, ...]:
    """Return the cells to which the man on ``cell`` could go on its owner's turn, jeopardy apart; none if frozen."""
    man = int(row[layout.CELLS + cell])
    if not man or row[layout.STATE + (man >> 3)] != layout.ACTIVE:
        return ()
    begins = game.rules.data[layout.RAYS + 13 * cell : layout.RAYS + 13 * cell + 14]
    return tuple(
        sorted(
            int(game.rules.data[layout.TO + path])
            for path in range(begins[0], begins[13])
            if game.kernels.reaches(game.data, row, path)
        )
    )


def threatened(game: Game, row: Any, player: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Cells of ``player``'s men that could be captured at once, each with the players who could."""
    mine = [cell for cell, man in men(row) if man >> 3 == player]
    return tuple((cell, by) for cell in mine if (by := attackers(game, row, player, cell)))


def attackers(game: Game, row: Any, player: int, cell: int) -> tuple[int, ...]:
    """The players who could capture ``player``'s man on ``cell`` at once."""
    attacked, data = game.kernels.attacked, game.data
    return tuple([other for other in still_playing(row) if other != player and attacked(data, row, cell, other, -1)])


def threats(game: Game, row: Any, cell: int) -> tuple[int, ...]:
    """Cells of the men that could capture the man on ``cell`` if it were their owner's turn, jeopardy apart."""
    owner = int(row[layout.CELLS + cell]) >> 3
    paths = rules_of(game).paths
    return tuple(
        at
        for at, man in men(row)
        if man >> 3 != owner
        and row[layout.STATE + (man >> 3)] == layout.ACTIVE
        and (at, cell) in paths
        and game.kernels.reaches(game.data, row, paths[at, cell])
    )


def defenders(game: Game, row: Any, at: int, cell: int) -> tuple[int, ...]:
    """Cells of the men that could take back, were the man on ``cell`` taken by that on ``at``, jeopardy apart."""
    owner = int(row[layout.CELLS + cell]) >> 3
    after = row.copy()
    after[layout.TURN], after[layout.PENDING] = int(row[layout.CELLS + at]) >> 3, 0
    game.kernels.apply(game.data, after, rules_of(game).paths[at, cell], game.new_events())
    return tuple(found for found in threats(game, after, cell) if int(after[layout.CELLS + found]) >> 3 == owner)


def explorations(_game: Game) -> tuple[Exploration, ...]:
    """Threatened men, attack and defence, what captures pay, the reach of a man and of each player."""
    return EXPLORATIONS


def explore(position: Position, exploration: str, cell: str | None = None, limit: int = 50) -> Findings:
    """The answer to an exploration; KeyError where there is none of that id or no such cell. What
    captures pay has at most ``limit`` lines, the others have none."""
    asked = next((known for known in EXPLORATIONS if known.id == exploration), None)
    if asked is None:
        raise KeyError(exploration)
    if (asked.needs == "cell") != (cell is not None):
        raise KeyError(cell)
    if exploration == "threats":
        return _all_threats(position)
    if cell is not None:
        return _reach_of_man(position, position.game.board.index[cell])
    if exploration == "balance":
        return _balance(position)
    if exploration == "captures":
        return _captures(position, limit)
    return _reach_of_player(position, [name.lower() for name in PLAYERS].index(exploration.removeprefix("reach-")))


def _name(row: Any, cell: int) -> str:
    man = int(row[layout.CELLS + cell])
    return f"{PLAYERS[man >> 3]}'s {KINDS[man & 7]}"


def _all_threats(position: Position) -> Findings:
    game, row, names = position.game, position.row, position.game.board.names
    marks, threats_to = [], []
    counts = [0, 0, 0]
    for cell, man in men(row):
        by = threats(game, row, cell)
        if by and not position.is_over:
            taken = f"{_name(row, cell)} on {names[cell]}"
            takers = listed([f"{_name(row, at)} on {names[at]}" for at in by])
            marks.append(Mark("danger", (names[cell],), f"{taken} could be taken by {takers}"))
            counts[man >> 3] += 1
            for at in by:
                says = f"{_name(row, at)} on {names[at]} could take {taken}."
                threats_to.append((man & 7, Threat(int(row[layout.CELLS + at]) >> 3, (names[at], names[cell]), says)))
    if not marks:
        return Findings(text="No piece is under attack.")
    parts = [f"{name} {count}" for name, count in zip(PLAYERS, counts, strict=True)]
    # Kings first, then by what a man is worth; threats to the mover before the mover's own.
    threats_to.sort(key=lambda threat: (threat[1].player == position.mover, -threat[0]))
    text = f"Pieces under attack: {', '.join(parts)}."
    return Findings(tuple(marks), text=text, threats=tuple(threat for _, threat in threats_to))


def _balance(position: Position) -> Findings:
    game, row, names = position.game, position.row, position.game.board.names
    marks, weak = [], 0
    for cell, _ in men(row):
        by = threats(game, row, cell)
        if not by or position.is_over:
            continue
        back = [len(defenders(game, row, at, cell)) for at in by]
        weak += len(by) > min(back)
        could = str(min(back)) if min(back) == max(back) else f"{min(back)} to {max(back)}"
        says = f"{_name(row, cell)} on {names[cell]}: attackers {len(by)}, defenders {could}"
        marks.append(Mark("danger" if len(by) > min(back) else "hint", (names[cell],), says))
    if not marks:
        return Findings(text="No piece is under attack.")
    attacked = "1 piece is attacked" if len(marks) == 1 else f"{len(marks)} pieces are attacked"
    return Findings(tuple(marks), text=f"{attacked}; too weakly defended: {weak}.")


def _captures(position: Position, limit: int) -> Findings:
    game, row, names = position.game, position.row, position.game.board.names
    marks, lines = [], []
    for action in position.legal_actions:
        goal = int(game.kernels.target(game.data, action.id))
        if action.id >= layout.PURCHASES or not row[layout.CELLS + goal]:
            continue
        events = position.transition(action).events
        gain = sum(event.data["amount"] for event in events if event.data.get("to") == position.mover)
        says = " ".join(event.says for event in events)
        marks.append(Mark("danger", (names[goal],), says))
        lines.append(Finding(f"{gain:+d}" if gain else "0", (str(action),), says, float(gain)))
    if not lines:
        return Findings(text="There is nothing to capture now.")
    lines.sort(key=lambda line: -line.value)
    ways = "capture" if len(lines) == 1 else "captures"
    text = f"{len(lines)} {ways}; the best pays {lines[0].value:g} at once."
    return Findings(tuple(marks), tuple(lines[:limit]), text, len(lines) <= limit)


def _reach_of_man(position: Position, cell: int) -> Findings:
    game, row, names = position.game, position.row, position.game.board.names
    man = int(row[layout.CELLS + cell])
    if not man:
        return Findings(text=f"{names[cell]} is vacant.")
    whose = _name(row, cell)
    if row[layout.STATE + (man >> 3)] != layout.ACTIVE:
        return Findings(text=f"{whose} on {names[cell]} is frozen.")
    goals = reach(game, row, cell)
    if not goals:
        return Findings(text=f"{whose} on {names[cell]} has nowhere to go.")
    taken = [goal for goal in goals if row[layout.CELLS + goal]]
    marks = [Mark("hint", tuple(names[goal] for goal in goals), f"{whose} on {names[cell]} could go here")]
    marks += [Mark("danger", (names[goal],), f"could take {_name(row, goal)}") for goal in taken]
    ways = f"{len(goals)} cell{'' if len(goals) == 1 else 's'}"
    text = f"{whose} on {names[cell]} could go to {ways}"
    if taken:
        text += f" and take {listed([f'{_name(row, goal)} on {names[goal]}' for goal in taken])}"
    return Findings(tuple(marks), text=text + ".")


def _reach_of_player(position: Position, player: int) -> Findings:
    game, row, names = position.game, position.row, position.game.board.names
    goals = {goal for cell, man in men(row) if man >> 3 == player for goal in reach(game, row, cell)}
    name = PLAYERS[player]
    if not goals:
        return Findings(text=f"{name}'s pieces have nowhere to go.")
    cells = tuple(names[goal] for goal in sorted(goals))
    taken = sum(bool(row[layout.CELLS + goal]) for goal in goals)
    text = f"{name}'s pieces could go to {len(cells)} cell{'' if len(cells) == 1 else 's'} and take {taken}."
    return Findings((Mark("hint", cells, f"{name} could go here"),), text=text)
