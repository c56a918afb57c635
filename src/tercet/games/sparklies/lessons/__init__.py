"""Sparklies' lessons: the files beside this one, and advice for first games."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tercet.core.abilities.knowledge import Advice, LessonParts
from tercet.core.game import Action, Game, Position
from tercet.core.view import Mark
from tercet.games.sparklies.engine.planner import make_planner, plans
from tercet.games.sparklies.findings import danger
from tercet.games.sparklies.gestures import harlequins
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.notation import COLOUR_NAMES, cell_words, decode
from tercet.games.sparklies.positions import held
from tercet.games.sparklies.rules import rules_of
from tercet.games.sparklies.view import CIRCLE

TURN = "Claim a free cell, then recolour one of your cells (a ping), and capture what it attacks."
TRIED = 400_000  # actions, to see what is in danger
SEEN = 20_000  # of them, while a newcomer plays
ADVISER = 10  # the level whose turns advice compares: that of hints and key moments
COMPARED = 200_000  # actions that it tries; interpreted, as many as are SEEN
AS_GOOD = 0.06  # of the point, by which a turn may fall short of the best: AS_GOOD in web/src/analysis/chance.ts


def harlequin_count(position: Position, player: int, value: Any) -> bool:
    """``harlequins = 1``: the player has so many squares of four with one colour on each diagonal, or more."""
    if type(value) is not int or value < 1:
        raise ValueError("harlequins: The value must be a number from 1 on.")
    return len({frozenset(one + other) for one, other, _, _ in harlequins(position, player)}) >= value


def design(position: Position, player: int, value: Any) -> bool:
    """``design = ["XXX", "XOX", "XXX"]``: somewhere on the board the player's cells show this pattern of two colours,
    drawn from the top."""
    drawn = isinstance(value, list) and value and all(isinstance(row, str) and row for row in value)
    if not drawn or {*"".join(value)} != {"X", "O"} or len({len(row) for row in value}) > 1:
        raise ValueError("design: The value must be a list of rows of one length, of the letters X and O.")
    board = position.game.board
    words = cell_words(position.row, len(board))
    colours = {
        place: word & 3
        for place, word in zip(board.coordinates, words, strict=True)
        if (word >> 2) & 3 == player + 1 and word & 3 < layout.NO_COLOUR
    }
    height = len(value)
    for left, bottom in board.coordinates:
        shown = {
            (letter, colours.get((left + x, bottom + height - 1 - y)))
            for y, row in enumerate(value)
            for x, letter in enumerate(row)
        }
        if len(shown) == 2 and len(dict(shown)) == 2 and len({colour for _, colour in shown} - {None}) == 2:
            return True
    return False


def in_danger(position: Position, player: int, value: Any) -> bool:
    """``in_danger = 0``: the others could capture so many of the player's cells with their next turns, or fewer."""
    if type(value) is not int or value < 0:
        raise ValueError("in_danger: The value must be a number from 0 on.")
    return len(danger(position, player, TRIED).cells) <= value


def aim(game: Game) -> str:
    """Return what one plays for under the game's rules, and which colour takes which."""
    options = game.options
    if options["players"] == 1:
        ends = "Own the whole board in as few turns as possible."
    else:
        when = "all agree to end" if options["end"] == "agreement" else "the board is full"
        ends = f"Own the most cells when {when}."
        ends += " Or capture another player's flag to win at once." if options["flag"] else ""
    attack = rules_of(game).attack_words
    turn = "" if options["mode"] == "duel" else f"{TURN} "
    return f"{ends} {turn}{CIRCLE} {attack[0].upper()}{attack[1:]}."


def advise(position: Position, player: int) -> Advice:
    """The ping that captures most at once, or a cell to take that makes one possible, where the engine agrees."""
    said = aim(position.game)
    if position.is_over or position.mover != player:
        return Advice(said)
    best = _best(position, _good_starts(position))
    if best.cells:
        says = (
            f"Claim {best.name}: then recolouring one cell (a ping) can capture {best.cells}."
            if best.kind == "control"
            else f"Recolour {best.name} {COLOUR_NAMES[best.colour]} (a ping) to capture {best.cells} at once."
        )
        return Advice(said, says, best.marks(says))
    if any(decode(position.game, action.id)[0] == "control" for action in position.legal_actions):
        says = "There is nothing worth capturing now. Claim a cell near your others: they attack together."
        return Advice(said, says)
    return Advice(said, "There is nothing more worth capturing. Leave your cells in colours that are hard to attack.")


class _Gain(NamedTuple):
    """How many cells an action captures, or the best ping after a claim; that action's kind, cell and colour; and
    arrows from each cell that takes part to the cell it captures."""

    cells: int = 0
    kind: str = ""
    name: str = ""
    colour: int = -1
    arrows: tuple[tuple[str, str], ...] = ()

    def marks(self, says: str) -> tuple[Mark, ...]:
        """Return a hint at the cell, and the arrows."""
        return (Mark("hint", (self.name,), says), *(Mark("arrow", pair, says) for pair in self.arrows))

    @property
    def one_pair(self) -> _Gain:
        """The same gain with arrows to one captured cell from two: more of them hide a small board."""
        pairs = [pair for pair in self.arrows if pair[1] == self.arrows[0][1]]
        return self._replace(arrows=tuple(pairs[:2]))


def _good_starts(position: Position) -> frozenset[tuple[int, ...]] | None:
    """Return the first one and two actions of each turn that the engine finds about as good as the best, by the measure
    of key moments: the part of the point that the mover can expect. None in a game of single steps, or alone."""
    mover, game = position.mover, position.game
    if mover is None or not plans(game) or len(game.players) == 1:
        return None
    nodes = SEEN if game.execution == "interpreted" else COMPARED
    turns = make_planner(game, ADVISER).plan(position, None, nodes, None, bool, lambda *_: None)
    most = max(plan.scores[mover] for plan in turns)
    good = [plan.actions for plan in turns if plan.scores[mover] >= most - AS_GOOD]
    return frozenset(tuple(actions[:count]) for actions in good for count in (1, 2))


def _best(position: Position, good: frozenset[tuple[int, ...]] | None = None) -> _Gain:
    """Return the greatest gain, of the ``good`` beginnings of a turn alone if they are given. Among equal ones, the
    first whose ping changes no colour: it shows best which pair captures."""
    best, most = _Gain(), (0, False)
    for action in position.legal_actions:
        kind, cell, colour = decode(position.game, action.id)
        after = position.play(action) if kind == "control" else position
        for ping in [action] if after is position else after.legal_actions if after.turn_is_open else ():
            start = (action.id,) if after is position else (action.id, ping.id)
            if good is not None and start not in good:
                continue
            captured, worth, same = _effect(after, ping)
            if (worth, same) > most and captured:
                most, arrows = (worth, same), _attacks(after, ping, captured)
                best = _Gain(len(captured), kind, position.game.board.names[cell], colour, arrows)
    return best


def _effect(position: Position, ping: Action) -> tuple[list[str], int, bool]:
    """Return the cells of others, and free ones, that a ping captures; what they are worth, two for a cell that
    another player loses; and whether it leaves all colours."""
    events = position.transition(ping).events
    gains = [one for one in events if one.kind == "captured" and one.data["from"] != position.mover]
    worth = sum(1 if one.data["from"] is None else 2 for one in gains)
    same = all(one.data["symbol"] == one.data["was"] for one in events if one.kind == "pinged")
    return [one.cells[0] for one in gains], worth, same


def _attacks(position: Position, ping: Action, captured: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return arrows to cells that a ping captures, from each cell of the mover's in the ping's colour beside it."""
    board = position.game.board
    _, pinged, colour = decode(position.game, ping.id)
    owner = 1 + (position.mover or 0)
    words = enumerate(cell_words(position.row, len(board)))
    same = {pinged} | {cell for cell, word in words if (word >> 2) & 3 == owner and word & 3 == colour}
    pairs = ((one, cell) for cell in captured for one in board.neighbours[board.index[cell]] if one in same)
    return tuple((board.names[one], cell) for one, cell in pairs)


def _to_claim(position: Position, _player: int) -> tuple[Mark, ...]:
    """The cell to claim after which one ping captures most, and a pair that attacks then."""
    found = _best(position, _good_starts(position))
    return found.one_pair.marks(f"Claim {found.name}") if found.kind == "control" else ()


def _to_ping(position: Position, _player: int) -> tuple[Mark, ...]:
    """The cell whose ping captures most, and a pair that attacks then."""
    found = _best(position, _good_starts(position))
    return found.one_pair.marks(f"Recolour {found.name} {COLOUR_NAMES[found.colour]}") if found.kind == "ping" else ()


def _at_rest(position: Position, player: int) -> tuple[str, ...]:
    """The cells that may be pinged, where no ping captures a cell."""
    return () if _best(position).cells else _pingable(position, player)


def _pingable(position: Position, _player: int) -> tuple[str, ...]:
    """The cells that may be pinged now."""
    known = [decode(position.game, action.id) for action in position.legal_actions]
    return tuple(dict.fromkeys(position.game.board.names[cell] for kind, cell, _ in known if kind == "ping"))


def _at_risk(position: Position, player: int) -> tuple[str, ...]:
    """Cells that may be pinged and that the others could capture with their next turns."""
    may = _pingable(position, player)
    return tuple(cell for cell in danger(position, player, SEEN).cells if cell in may) if may else ()


def _reason(position: Position, turn: Sequence[str]) -> str:
    """What it captures, or what it saves."""
    mover, after = position.mover or 0, position
    claims = sum(action.startswith("+") for action in turn)
    for action in turn:
        after = after.play(action)
    if after.outcome and after.outcome.winners == (mover,):
        return "It wins at once."
    gained = held(after.row, mover) - held(position.row, mover) - claims
    if gained > 0:
        return f"This turn captures {gained} cells." if gained > 1 else "This turn captures a cell."
    now = danger(after, mover, SEEN).cells
    saved = [cell for cell in danger(position, mover, SEEN).cells if cell not in now]
    return f"It saves what could be captured: {', '.join(saved)}." if saved else ""


PARTS = LessonParts(
    Path(__file__).parent,
    {"harlequins": harlequin_count, "design": design, "in_danger": in_danger},
    advise,
    Path(__file__).parents[1] / "first_game.toml",
    {"to-claim": _to_claim, "to-ping": _to_ping, "pingable": _pingable, "at-rest": _at_rest, "at-risk": _at_risk},
    reason=_reason,
)
