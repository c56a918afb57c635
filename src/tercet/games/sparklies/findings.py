"""What can be asked about a position of Sparklies: what is in danger, what the chain can still lead to."""

from __future__ import annotations

from tercet.core.game import Game, Position
from tercet.core.view import Exploration, Finding, Findings, Mark, Threat
from tercet.games.sparklies.notation import decoded

BUDGET = 400_000  # actions tried: well below a second

DANGER = Exploration(
    "danger",
    "Cells at risk",
    "Which cells could be captured next turn?",
    live=True,
    threatens=True,
)
CASCADE = Exploration(
    "cascade",
    "Possible outcomes",
    "All outcomes of this turn, by who owns which cells; the biggest gain first.",
)


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
    if exploration not in {known.id for known in explorations(position.game)}:
        raise KeyError(exploration)
    if cell is not None:
        raise KeyError(cell)
    return _danger(position) if exploration == "danger" else _cascade(position, limit)


def _cells(number: int) -> str:
    return f"{number} cell{'' if number == 1 else 's'}"


def _danger(position: Position) -> Findings:
    from tercet.games.sparklies.engine.exploration import danger

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


def _ends_in(ways: int, complete: bool) -> str:
    """Return how many ends of the turn were found, in a sentence."""
    if complete:
        return "The turn has only one possible outcome." if ways == 1 else f"The turn has {ways} possible outcomes."
    return "1 outcome found." if ways == 1 else f"{ways} outcomes found."


def _cascade(position: Position, limit: int) -> Findings:
    from tercet.games.sparklies.engine.exploration import outcomes

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
    text = _ends_in(len(lines), found.complete)
    return Findings(lines=lines, text=text + ("" if found.complete else " There may be more."), complete=found.complete)
