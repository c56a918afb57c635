"""SanQi's lessons: the files beside this one, what their goals say in words of the game, and advice for first games."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from tercet.core.abilities.knowledge import Advice, LessonParts
from tercet.core.game import Position
from tercet.core.view import Mark
from tercet.games.sanqi.findings import Unfinished, pivots, unfinished
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.notation import LETTERS, TYPE_NAMES, decode, types
from tercet.games.sanqi.positions import seat_of
from tercet.games.sanqi.rules import LINES, REASONS, SIDES, patterns
from tercet.games.sanqi.view import scene

CIRCLE_AIM = "Make a circle (six of one kind around a cell) or a triangle (three cells to a side)."
LINE_AIMS = {
    "both": "Make a line ({count} of one kind in a row) or a triangle (three cells to a side).",
    "first": "Make a line ({count} of one kind in a row). A triangle wins only for First.",
}
BEFORE_THE_CHOICE = "Equal chances for both sides: one player sets up the position, the other chooses a side."

PATTERNS = REASONS[1:4]
PROGRESS = {"pattern", "pieces", "places", "symbol"}


def threats(position: Position, player: int, value: Any) -> bool:
    """``threats = 2``: the player could complete patterns in so many different ways, or more, on their turn."""
    if type(value) is not int or value < 1:
        raise ValueError("threats: The value must be a number from 1 on.")
    side = seat_of(position.row, player)
    return len({known.lacks for known in unfinished(position, 1) if known.side == side}) >= value


def progress(position: Position, _player: int, value: Any) -> bool:
    """``progress = { pattern = "circle", pieces = 3, places = 2, symbol = "R" }``: in so many places (1) where that
    pattern fits, so many pieces of one kind stand, and nothing else."""
    if not isinstance(value, dict) or value.get("pattern") not in PATTERNS or set(value) - PROGRESS:
        raise ValueError(f"progress: Give a pattern ({', '.join(PATTERNS)}), pieces, and perhaps places and a symbol.")
    standing = types(position.game, position.row)
    wanted = (LETTERS.index(value["symbol"]) + 1,) if value.get("symbol") in tuple(LETTERS) else (1, 2, 3)
    places = 0
    for cells in patterns(position.game.board, position.game.options["line"])[value["pattern"]]:
        there = [standing[cell] for cell in cells if standing[cell]]
        places += len(there) >= value["pieces"] and any(set(there) == {kind} for kind in wanted)
    return places >= int(value.get("places", 1))


def solitary(position: Position, _player: int, value: Any) -> bool:
    """``solitary = true``: the piece just played has no like piece within two cells. A cell's name in place of `true`
    asks about the piece there."""
    board = position.game.board
    cell = int(position.row[layout.KO]) - 1 if value is True else board.index.get(value, -1)
    if cell < 0:
        raise ValueError("solitary: The value must be true, or the name of a cell.")
    outside = len(board)
    around = set(board.neighbours[cell]) - {outside}
    near = around.union(*(board.neighbours[beside] for beside in around)) - {cell, outside}
    standing = types(position.game, position.row)
    return standing[cell] > 0 and all(standing[other] != standing[cell] for other in near)


def advise(position: Position, player: int) -> Advice:
    """One's own pattern first, then the opponent's, then what makes several at once, then a place to begin."""
    side = seat_of(position.row, player)
    if position.row[layout.STAGE] >= layout.CHOOSING:
        return Advice(BEFORE_THE_CHOICE)
    options = position.game.options
    aim = CIRCLE_AIM if side == layout.FIRST else LINE_AIMS[options["triangle"]].format(count=LINES[options["line"]])
    if position.is_over or position.mover != player:
        return Advice(aim)
    close = unfinished(position, 1)
    mine = next((known for known in close if known.side == side), None)
    if mine is not None:
        return _about(position, aim, mine, "You can complete your {pattern}: {kind} on {cell} wins.", "hint")
    other = next((known for known in close if known.side != side), None)
    if other is not None:
        says = (
            "{player} could complete a {pattern} with {kind} on {cell}. Put another kind there, or replace one of its "
            "pieces."
        )
        return _about(position, aim, other, says, "danger")
    several = sorted(pivots(position).items(), key=lambda entry: -len(entry[1]))
    for (who, action), found in several:
        if who == side:
            place, kind = decode(action)
            cell = position.game.board.names[place]
            says = f"{TYPE_NAMES[kind]} on {cell} would leave {len(found)} patterns with just one piece missing."
            return Advice(aim, says, (Mark("hint", (cell,), says),))
    double = _doubles(position, player)
    if double:
        says = f"On {double[0]} {SIDES[1 - side]} would have two ways to win. Put another kind there."
        return Advice(aim, says, (Mark("danger", double, says),))
    fifth = _fifth(position, player)
    if fifth:
        says = "A triangle has four of its six pieces. Don't place the fifth: the other player would place the sixth."
        return Advice(aim, says, (Mark("danger", fifth, says),))
    nearer = next((known for known in unfinished(position, 2) if known.side == side), None)
    if nearer is not None:
        return _about(position, aim, nearer, "A {kind} {pattern} needs two more pieces: {cells}.", "hint")
    return Advice(aim, "Put two or three pieces of one kind close together: they can grow into a pattern.")


def _about(position: Position, aim: str, known: Unfinished, says: str, mark: str) -> Advice:
    """Advice on a pattern that lacks a piece or two."""
    cells = tuple(position.game.board.names[cell] for cell in known.lacks)
    text = says.format(
        pattern=known.pattern,
        kind=TYPE_NAMES[known.kind],
        cell=cells[0],
        cells=" and ".join(cells),
        player=SIDES[known.side],
    )
    return Advice(aim, text, (Mark(mark, cells, text),))


def _growing(position: Position, pattern: str, least: int) -> tuple[str, ...]:
    """The place of a pattern in which most pieces of one kind stand, and nothing else; none with fewer than ``least``.
    Of several the one nearest to the middle of the board."""
    board, kinds = position.game.board, types(position.game, position.row)
    found = []
    for cells in patterns(board, position.game.options["line"])[pattern]:
        there = [kinds[cell] for cell in cells if kinds[cell]]
        if len(there) >= least and len(set(there)) == 1:
            x, y = (sum(board.centres[cell][axis] for cell in cells) for axis in range(2))
            found.append((-len(there), math.hypot(x, y), cells))
    return _named(position, min(found)[2]) if found else ()


def _named(position: Position, cells: Iterable[int]) -> tuple[str, ...]:
    return tuple(position.game.board.names[cell] for cell in dict.fromkeys(cells))


def _lacking(position: Position, player: int, lacking: int, mine: bool) -> list[Unfinished]:
    """Patterns one or two moves away with which ``player`` wins, or another."""
    side = seat_of(position.row, player)
    return [known for known in unfinished(position, lacking) if (known.side == side) == mine]


def _stands(position: Position, player: int) -> tuple[str, ...]:
    """Cells of the player's patterns that stand, completed by the other player."""
    return _named(position, (cell for known in _lacking(position, player, 0, True) for cell in known.cells))


def _finish(position: Position, player: int) -> tuple[str, ...]:
    """Cells with which the player completes a pattern of their own."""
    return _named(position, (cell for known in _lacking(position, player, 1, True) for cell in known.lacks))


def _threatened(position: Position, player: int, stands: Collection[bool]) -> tuple[str, ...]:
    """Cells where the other player would complete a pattern: those where a piece ``stands``, vacant ones, or both."""
    kinds = types(position.game, position.row)
    cells = (cell for known in _lacking(position, player, 1, False) for cell in known.lacks)
    return _named(position, (cell for cell in cells if (kinds[cell] > 0) in stands))


def _answers(position: Position, player: int) -> list[int]:
    """Actions after which the other player cannot complete any of the patterns that lack one piece now. They lie on
    those patterns or beside what is missing."""
    board, threats_here = position.game.board, _lacking(position, player, 1, False)
    near = {cell for known in threats_here for cell in (*known.cells, *board.neighbours[known.lacks[0]])}

    def stops(action: int) -> bool:
        after = position.play(action)
        replies = [3 * known.lacks[0] + known.kind for known in threats_here]
        allowed = (one for one in replies if position.game.kernels.allows(position.game.data, after.row, one))
        return after.is_over or not any(after.play(one).is_over for one in allowed)

    return [action.id for action in position.legal_actions if action.id // 3 in near and stops(action.id)]


def _threats_and_answer(position: Position, player: int, stands: Collection[bool]) -> tuple[Mark, ...]:
    """The cells of :func:`_threatened`, and one that stops all of it."""
    cells = _threatened(position, player, stands)
    if not cells:
        return ()
    answers = _answers(position, player)
    if not answers:
        return (Mark("danger", cells, "Nothing stops it now"),)
    place, kind = decode(answers[0])
    name = position.game.board.names[place]
    says = f"{TYPE_NAMES[kind]} on {name} stops it"
    return Mark("hint", (name,), says), Mark("danger", cells, says)


def _doubles(position: Position, player: int) -> tuple[str, ...]:
    """Vacant cells on which one piece would give the other player two ways to win that ``player`` cannot use."""
    side, kinds = seat_of(position.row, player), types(position.game, position.row)
    shared = {(known.kind, known.lacks) for known in unfinished(position, 2) if known.side == side}
    lines = {
        action // 3: {known.lacks for known in found if (known.kind, known.lacks) not in shared}
        for (other, action), found in pivots(position).items()
        if other != side
    }
    return _named(position, (cell for cell, found in lines.items() if len(found) > 1 and not kinds[cell]))


def _fifth(position: Position, player: int) -> tuple[str, ...]:
    """The two cells that triangles of four lack: after a piece on one the other player may take the other."""
    found = [known for known in _lacking(position, player, 2, False) if known.pattern == "triangle"]
    return _named(position, (cell for known in found for cell in known.lacks))


def _replaceable(position: Position, player: int) -> tuple[str, ...]:
    """Cells of the pieces that can be replaced now without letting the other player win at once."""
    kinds, careless = types(position.game, position.row), _careless(position, player)
    legal = [action for action in position.legal_actions if str(action) not in careless]
    cells = [action.id // 3 for action in legal if action.id < 3 * len(kinds)]
    return _named(position, (cell for cell in cells if kinds[cell]))


def _soon_replaceable(position: Position, _player: int) -> tuple[Mark, ...]:
    """The piece that lacks the fewest neighbours of another kind to be replaced by it, and the vacant cells beside it.
    Of several, the one nearest to the middle of the board."""
    game, board, kinds = position.game, position.game.board, types(position.game, position.row)
    found = []
    for cell, own in enumerate(kinds):
        vacant = tuple(beside for beside in board.neighbours[cell] if beside < len(board) and not kinds[beside])
        around = [int(game.kernels.around(game.data, position.row, cell, kind)) for kind in range(4)]
        others = {kind: around[own] + layout.LEAD - around[kind] for kind in (1, 2, 3) if own and kind != own}
        lacks, kind = min(((lacks, kind) for kind, lacks in others.items()), default=(0, 0))
        if 0 < lacks <= min(2, len(vacant)):  # three more is hardly soon
            found.append((lacks, math.hypot(*board.centres[cell]), cell, kind, vacant))
    if not found:
        return ()
    lacks, _, cell, kind, vacant = min(found)
    old, new = TYPE_NAMES[kinds[cell] - 1], TYPE_NAMES[kind - 1]
    more = f"{lacks} more {new} neighbours" if lacks > 1 else f"one more {new} neighbour"
    says = f"With {more}, {old} on {board.names[cell]} can be replaced by {new}"
    # dashed both: a closed outline is that of the last move
    return Mark("hint", _named(position, (cell,)), says), Mark("hint", _named(position, vacant), says)


def _careless(position: Position, player: int) -> dict[str, str]:
    """Moves after which the other player may complete a pattern and win, with every pattern that would be completed. A
    move that only leaves such a threat as it was is none of them."""
    kernels, data, board = position.game.kernels, position.game.data, position.game.board
    legal = {action.id: action for action in position.legal_actions}
    side = seat_of(position.row, player)
    threatened = set(unfinished(position, 1))
    wins: dict[str, dict[str, int]] = defaultdict(dict)
    for known in unfinished(position, 2, playable=False) + unfinished(position, 1, playable=False):
        if known.side == side or known in threatened:
            continue
        for last in known.lacks:
            first = [3 * cell + known.kind for cell in known.lacks if cell != last]
            beside = [cell for cell in board.neighbours[last] if cell < len(board)]  # they decide what may be replaced
            for move in first or [3 * cell + kind for cell in beside for kind in range(3)]:
                after = position.play(legal[move]) if move in legal else None
                reply = 3 * last + known.kind
                if after is None or after.is_over or not kernels.allows(data, after.row, reply):
                    continue
                if after.play(reply).is_over:
                    wins[str(legal[move])].setdefault(f"the {known.pattern} on {board.names[last]}", known.side)
    return {
        action: f"Careful: {SIDES[max(found.values())]} could then complete {' or '.join([*found][:2])} and win."
        for action, found in wins.items()
    }


def _reason(position: Position, turn: Sequence[str]) -> str:
    """A win, a threat that it stops or makes, or a pattern that it hinders or brings forward."""
    if position.row[layout.STAGE] >= layout.CHOOSING or position.mover is None:
        return ""
    side, after = seat_of(position.row, position.mover), position.play(turn[0])
    if after.is_over:
        return "It wins at once."
    other = SIDES[1 - side]
    if stopped := _lacking(position, position.mover, 1, False):
        return f"It keeps {other} from completing the {stopped[0].pattern}."
    ways = [known for known in unfinished(after, 1) if known.side == side]
    if ways:
        several = len({known.lacks for known in ways})
        return f"Then you have {several} ways to win." if several > 1 else f"It threatens the {ways[0].pattern}."
    before, now = set(unfinished(position, 2)), set(unfinished(after, 2))
    if hindered := [known for known in before - now if known.side != side]:
        return f"It is in the way of the {min(hindered).pattern} that {other} could build."
    grown = [known for known in now - before if known.side == side]
    return f"Then your {min(grown).pattern} needs only two more pieces." if grown else ""


PARTS = LessonParts(
    Path(__file__).parent,
    {"threats": threats, "progress": progress, "solitary": solitary},
    advise,
    Path(__file__).parents[1] / "first_game.toml",
    {
        "ko": lambda position, _: tuple(
            cell for mark in scene(position).marks if mark.kind == "ko" for cell in mark.cells
        ),
        "circle": lambda position, _: _growing(position, "circle", 1),
        "line": lambda position, _: _growing(position, "line", 1),
        "triangle": lambda position, _: _growing(position, "triangle", 2),
        "stands": _stands,
        "finish": _finish,
        "threats": lambda position, player: _threats_and_answer(position, player, stands=(False, True)),
        "threatened": lambda position, player: _threatened(position, player, stands=(False,)),
        "retaken": lambda position, player: _threats_and_answer(position, player, stands=(True,)),
        "doubles": _doubles,
        "fifth": _fifth,
        "replaceable": _replaceable,
        "soon-replaceable": _soon_replaceable,
    },
    _careless,
    _reason,
)
