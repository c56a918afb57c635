"""What can be asked about a position of Sparklies: every outcome that the active cells can still lead to, and what the
opponents could take next turn."""

from __future__ import annotations

from dataclasses import dataclass, field

from tercet.core.game import Game, Position
from tercet.core.view import Exploration, Finding, Findings, Mark, Threat
from tercet.games.sparklies.engine.search import Effort, Final, TurnSearch, row_key
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.notation import decode, decoded
from tercet.games.sparklies.positions import held


@dataclass(frozen=True)
class Way:
    """An outcome of the turn: the position string at its end, cells that its player gains until then, and the actions
    that lead there, in canonical notation."""

    position: str
    gained: int
    actions: tuple[str, ...]


@dataclass(frozen=True)
class Outcomes:
    """Outcomes of a turn, most cells gained first, then the shortest; ``complete`` if there are no others."""

    ways: tuple[Way, ...]
    complete: bool


@dataclass(frozen=True)
class Danger:
    """Cells of a player's that another could capture next turn, and the actions that take each, the shortest found.
    ``takers`` are who could, ``pings`` the cells that are pinged for it, in order. ``complete`` if the other cells are
    safe for certain."""

    cells: tuple[str, ...]
    ways: dict[str, tuple[str, ...]]
    complete: bool
    takers: dict[str, int] = field(default_factory=dict)
    pings: dict[str, tuple[str, ...]] = field(default_factory=dict)


def outcomes(position: Position, limit: int = 50, budget: int = 200_000, colours: bool = False) -> Outcomes:
    """Return what the turn in progress in ``position`` can end in (at the start of a turn: what a whole turn can): the
    best ``limit`` ends found by trying at most ``budget`` actions. Ends count as one if each player holds the same
    cells, unless ``colours`` count too."""
    if position.is_over:
        return Outcomes((), True)
    assert position.mover is not None
    game, mover = position.game, position.mover
    found: dict[bytes, Final] = {}
    part = slice(int(game.rules.data[layout.HOLD]), int(game.rules.data[layout.ACTIVE]))
    tried, width = 0, 16
    while True:
        search = TurnSearch(game, salt=width, merge=not colours)
        effort = Effort(width, width, 0, 16 + width, budget - tried, 4 * limit)
        finals = search.sweep(position.row, effort, cutoff=1 << 40, lines=True, all_pings=True)
        for final in finals:
            key = row_key(final.row if colours else final.row[part])
            known = found.get(key)
            if known is None or len(final.actions) < len(known.actions):
                found[key] = final
        tried += search.tried
        if search.complete or width >= 1024 or tried >= budget:
            break
        width *= 4
    complete = search.complete and len(finals) < effort.keep and len(found) <= limit
    before = held(position.row, mover)
    order = sorted(found.values(), key=lambda final: (-held(final.row, mover), len(final.actions), final.actions))
    ways = (
        Way(str(Position(game, final.row)), held(final.row, mover) - before, tuple(position.notate(final.actions)))
        for final in order[:limit]
    )
    return Outcomes(tuple(ways), complete)


def danger(position: Position, player: int, budget: int = 200_000) -> Danger:
    """Cells of ``player`` (from 0) that another could capture in one turn if it were that one's turn now.

    In the middle of a turn the active cells count as resolved. At most ``budget`` actions are tried. Nothing is in
    danger where no turn can follow, and nothing is said of a duel, whose turns are single steps.
    """
    game = position.game
    others = [other for other in range(len(game.players)) if other != player]
    free = int(position.row[layout.HELD])
    over = position.is_over or (free == 0 and game.options["end"] == "full")
    if over or not others or game.options["mode"] == "duel":
        return Danger((), {}, game.options["mode"] != "duel")
    lines: dict[int, tuple[str, ...]] = {}
    takers: dict[str, int] = {}
    pings: dict[str, tuple[str, ...]] = {}
    names = game.board.names
    complete = True
    for other in others:
        row = position.row.copy()
        for cell in range(len(game.board)):
            row[layout.PLACES + cell] &= ~(layout.ACTIVE_BIT | layout.PING_MASK)
        row[layout.MOVER] = other
        row[layout.STEP] = layout.CONTROL if free else layout.OPEN
        row[layout.PINGS] = 0
        row[layout.AGREED] = 0
        game.kernels.refresh(game.data, row)
        start = Position(game, row)
        if start.is_over or (free == 0 and held(row, other) == 0):
            continue
        found, sure = _losses(start, player, budget // len(others))
        complete = complete and sure
        for cell, actions in found.items():
            if cell not in lines or len(actions) < len(lines[cell]):
                lines[cell] = tuple(start.notate(actions))
                takers[names[cell]] = other
                pings[names[cell]] = tuple(
                    names[at] for kind, at, _ in (decode(game, action) for action in actions) if kind == "ping"
                )
    return Danger(
        tuple(names[cell] for cell in sorted(lines)),
        {names[cell]: lines[cell] for cell in sorted(lines)},
        complete or len(lines) == held(position.row, player),
        takers,
        pings,
    )


def _losses(start: Position, victim: int, budget: int) -> tuple[dict[int, tuple[int, ...]], bool]:
    """Cells of ``victim`` that a turn from ``start`` can take, with the actions that do; and whether these are all."""
    lost: dict[int, tuple[int, ...]] = {}
    tried, width = 0, 4
    while True:
        search = TurnSearch(start.game, salt=width, merge=False)
        effort = Effort(width, width, 0, 12 + width, budget - tried, 1)
        search.sweep(start.row, effort, cutoff=1 << 40, all_pings=True, victim=victim)
        for cell, actions in search.losses().items():
            if cell not in lost or len(actions) < len(lost[cell]):
                lost[cell] = actions
        tried += search.tried
        if search.complete or width >= 256 or tried >= budget or len(lost) == held(start.row, victim):
            return lost, search.complete
        width *= 4


BUDGET = 400_000  # actions tried: well below a second

DANGER = Exploration("danger", "Cells at risk", "Which cells could be captured next turn?", live=True, threatens=True)
CASCADE = Exploration("cascade", "Possible outcomes", "All ways in which this turn can end, the biggest gain first.")


def explorations(game: Game) -> tuple[Exploration, ...]:
    """The cascade, and (not alone, nor in a duel, whose turns are single steps) the danger."""
    if len(game.players) == 1 or game.options["mode"] == "duel":
        return (CASCADE,)
    return (DANGER, CASCADE)


def askable(position: Position) -> tuple[str, ...]:
    """Ids of the explorations that have an answer here: a cascade follows a ping, not the taking of a cell."""
    known = decoded(position.game)
    pings = any(known[number][0] not in ("control", "agree") for number in map(int, position.legal_actions.ids))
    found = explorations(position.game)
    return tuple(known.id for known in found if known is not CASCADE or pings)


def explore(position: Position, exploration: str, cell: str | None = None, limit: int = 50) -> Findings:
    """The answer to an exploration, KeyError where there is none of that id. ``cell`` is asked for by none."""
    if cell is not None or exploration not in {known.id for known in explorations(position.game)}:
        raise KeyError(exploration if cell is None else cell)
    return _danger(position) if exploration == "danger" else _cascade(position, limit)


def _cells(number: int) -> str:
    return f"{number} cell{'' if number == 1 else 's'}"


def _danger(position: Position) -> Findings:
    game = position.game
    marks, threats, parts, complete = [], [], [], True
    for player, name in enumerate(game.players):
        found = danger(position, player, BUDGET // len(game.players))
        complete = complete and found.complete
        parts.append(f"{name} {_cells(len(found.cells))}")
        for cell in found.cells:
            way = " ".join(found.ways[cell])
            says = f"{name}'s {cell} could be captured next turn: {way}"
            marks.append(Mark("danger", (cell,), says))
            threats.append(Threat(found.takers[cell], (*found.pings[cell][-1:], cell), f"{says}."))
    text = f"At risk: {', '.join(parts)}." + ("" if complete else " There may be more.")
    threats.sort(key=lambda threat: threat.player == position.mover)
    return Findings(tuple(marks), (), text, complete, tuple(threats))


def _cascade(position: Position, limit: int) -> Findings:
    found = outcomes(position, limit, BUDGET)
    lines = tuple(
        Finding(
            f"{way.gained:+d}" if way.gained else "0",
            way.actions,
            f"gains {_cells(way.gained)} in {len(way.actions)} action{'' if len(way.actions) == 1 else 's'}: "
            + " ".join(way.actions),
            float(way.gained),
        )
        for way in found.ways
    )
    if not lines:
        return Findings(text="There is nothing left to ping.", complete=found.complete)
    ways = len(lines)
    if found.complete:
        text = "The turn has only one possible outcome." if ways == 1 else f"The turn has {ways} possible outcomes."
    else:
        text = f"{ways} outcome{'' if ways == 1 else 's'} found. There may be more."
    return Findings(lines=lines, text=text, complete=found.complete)
