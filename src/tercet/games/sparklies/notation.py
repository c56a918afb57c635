"""Sparklies' notation: ``+d4`` a control (``+d4=R`` in blank setup), ``c2=R`` a ping, ``!c2`` an activation of a duel,
``agree``. Whole turns on a line and the original page's forms are in ``long_notation``.

A position string is ``sparklies/<option=value,...> <cells> <player> <step> <pings>[ name=value ...]``, with the names:

- ``agreed=``: who has agreed.
- ``round=``: the order of the round, under any order but the seats', or a resolve_order other than the same.
- ``first=``: who began the round, where rounds alternate and ``round=`` does not say so.
- ``taken=1``: under end=agreement, the mover took the last free cell in this turn, so it is too late to agree instead.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from tercet.core.game import Game
from tercet.core.rules import options_in
from tercet.errors import IllegalAction, ParseError
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.options import OPTIONS, PLAYER_LETTERS, PLAYERS, places

STEP_LETTERS = "hcppvad"

MAX_TEXT = 40_000

_CELL = re.compile(r"([rgb.])([0-3])(\*?)('{0,9})(\^?)")


def option_words(options: Mapping[str, Any]) -> str:
    """The options of a position string: board and ruleset, then those that differ from the default."""
    return ",".join(
        f"{option.name}={option.write(options[option.name])}"
        for option in OPTIONS
        if option.name in ("board", "ruleset") or options[option.name] != option.default
    )


def cell_words(row: Any, cells: int) -> list[int]:
    """Everything about each cell itself, as ``kernels.layout`` lays it out: without the counts of its neighbours."""
    places = row[layout.PLACES : layout.PLACES + cells]
    return [word & layout.CELL_MASK for word in (places if isinstance(places, list) else places.tolist())]


@functools.lru_cache(maxsize=1 << 12)
def cell_text(word: int) -> str:
    """Colour, holder, ``*`` if active, ``'`` for each ping of this turn, ``^`` if a flag."""
    return (
        f"{'rgb.'[word & 3]}{(word >> 2) & 3}{'*' if word & layout.ACTIVE_BIT else ''}"
        f"{chr(39) * (word >> layout.PING_SHIFT)}{'^' if word & layout.FLAG_BIT else ''}"
    )


@functools.lru_cache(maxsize=64)
def _head(game: Game) -> str:
    """The first field."""
    return f"sparklies/{option_words(game.options)}"


@functools.lru_cache(maxsize=64)
def _in_rows(game: Game) -> Callable[[list[str]], tuple[str, ...]]:
    """Return what puts the texts of all cells, after which ``#`` and ``/`` stand, into the order of the places of the
    board: ``#`` where a cell was taken out, ``/`` between two rows."""
    index = game.board.index
    order: list[int] = []
    for names in places(game.options):
        order += [*(index.get(name, len(index)) for name in names), len(index) + 1]
    return itemgetter(*order[:-1])


def rows_text(game: Game, texts: Sequence[str]) -> str:
    """The ``texts`` of all cells, row by row."""
    return "".join(_in_rows(game)([*texts, "#", "/"]))


def position_text(game: Game, row: Any) -> str:
    """The position string."""
    texts = list(map(cell_text, cell_words(row, len(game.board))))
    step = int(row[layout.STEP])
    text = (
        f"{_head(game)} {rows_text(game, texts)} "
        f"{PLAYER_LETTERS[int(row[layout.MOVER])]} {STEP_LETTERS[step]} {int(row[layout.PINGS])}"
    )
    if has_round(game):
        order = int(row[layout.ORDER])
        text += " round=" + "".join(PLAYER_LETTERS[(order >> 2 * index) & 3] for index in range(len(game.players)))
    if has_first(game, step):
        text += f" first={PLAYER_LETTERS[int(row[layout.ORDER]) >> layout.FIRST_SHIFT]}"
    agreed = int(row[layout.AGREED])
    if agreed:
        text += " agreed=" + "".join(letter for seat, letter in enumerate(PLAYER_LETTERS) if agreed >> seat & 1)
    if game.options["end"] == "agreement" and step == layout.FIRST and row[layout.HELD] == 0:
        text += " taken=1"
    return text


def has_round(game: Game) -> bool:
    """Return whether a position string must have the order of the round."""
    return bool(game.options["order"] != "seat" or game.options["resolve_order"] != "same")


def has_first(game: Game, step: int) -> bool:
    """Return whether a position string must have the player who began the round: the resolutions have another order."""
    own = game.options["order"] == "alternate" and game.options["resolve_order"] == "fewest"
    return bool(own and step == layout.RESOLVE)


def _check_order(game: Game, row: Any, order: list[int], first: int) -> None:
    """Enter the order of the round and the seat that began it, -1 where the order says it; ParseError where rounds
    alternate and their order is none that the seats can have."""
    row[layout.ORDER] = sum(seat << 2 * index for index, seat in enumerate(order))
    if game.options["order"] != "alternate":
        return
    resolving = row[layout.STEP] == layout.RESOLVE
    round_order = order[::-1] if resolving and game.options["resolve_order"] == "reverse" else order
    if first < 0:
        first = round_order[0]
        if any(seat != (first + index) % len(order) for index, seat in enumerate(round_order)):
            raise ParseError("round", "The round must follow the seats, from the player who began it.")
    row[layout.ORDER] |= first << layout.FIRST_SHIFT


def _fields(text: str) -> list[str]:
    if len(text) > MAX_TEXT:
        raise ParseError("position", f"A position must have at most {MAX_TEXT} characters.")
    fields = text.split(" ")
    if len(fields) < 5:
        raise ParseError(
            "position",
            f"A position must have five fields or more (game, cells, player, step, pings), not {len(fields)}.",
        )
    return fields


def position_options(text: str) -> dict[str, Any]:
    """The options in the first field."""
    head = _fields(text)[0]
    name, slash, rest = head.partition("/")
    if name != "sparklies" or not slash:
        raise ParseError("game", f"A position must begin with sparklies/board=..., not {head[:20]!r}.")
    known = {option.name: option for option in OPTIONS}
    options = options_in(rest.split(","), known)
    for name, value in (word.split("=", 1) for word in rest.split(",")):
        if (usual := known[name].write(options[name])) != value:
            raise ParseError(f"option {name}", f"The option {name} must be written {usual}, not {value[:20]}.")
    for name in ("board", "ruleset"):
        if name not in options:
            raise ParseError(f"option {name}", f"The option {name} is missing.")
    return options


def _read_cells(game: Game, text: str, row: Any) -> None:
    all_places = places(game.options)
    rows = text.split("/")
    if len(rows) != len(all_places):
        raise ParseError("cells", f"This board has {len(all_places)} rows, not {len(rows)}.")
    index = game.board.index
    limit = int(game.rules.data[layout.PER_CELL])
    for number, (written, names) in enumerate(zip(rows, all_places, strict=True)):
        at = 0
        for name in names:
            if at == len(written):
                raise ParseError(f"row {len(rows) - number}", f"The row ends before the cell {name}.")
            if name not in index:
                if written[at] != "#":
                    raise ParseError(f"cell {name}", f"The cell {name} is dead. Write #, not {written[at]!r}.")
                at += 1
                continue
            match = _CELL.match(written, at)
            if not match:
                raise ParseError(
                    f"cell {name}",
                    f"The cell {name} must be r, g, b or . and a player from 0 to 3, not {written[at : at + 4]!r}.",
                )
            at = match.end()
            colour, holder = "rgb.".index(match[1]), int(match[2])
            _check_cell(game, name, colour, holder, match, limit)
            row[layout.PLACES + index[name]] = (
                colour
                | holder << 2
                | (layout.ACTIVE_BIT if match[3] else 0)
                | (layout.FLAG_BIT if match[5] else 0)
                | len(match[4]) << layout.PING_SHIFT
            )
        if at != len(written):
            raise ParseError(
                f"row {len(rows) - number}",
                f"The row must have {len(names)} cells, but {written[at : at + 9]!r} is left.",
            )


def _check_cell(game: Game, name: str, colour: int, holder: int, match: re.Match[str], limit: int) -> None:
    where = f"cell {name}"
    blank = game.options["setup"] == "blank"
    if holder > len(game.players):
        raise ParseError(where, f"The owner in {where} must be from 0 to {len(game.players)}, not {holder}.")
    if colour == layout.NO_COLOUR and (not blank or holder):
        raise ParseError(
            where,
            f"A cell without a colour cannot have an owner: {where}."
            if blank
            else f"Each cell must have a colour: {where}.",
        )
    if blank and colour != layout.NO_COLOUR and not holder:
        raise ParseError(where, f"In blank setup, a cell gets its colour when it is claimed: {where}.")
    if match[3] and not holder:
        raise ParseError(where, f"An active cell must have an owner: {where}.")
    if len(match[4]) > limit:
        raise ParseError(
            where,
            f"A cell can ping at most {limit} times: {where}."
            if limit
            else f"Under these rules cells do not count pings: {where}.",
        )
    if match[3] and limit and len(match[4]) == limit:
        raise ParseError(where, f"An active cell must have a ping left: {where}.")
    if match[4] and not holder:
        raise ParseError(where, f"A cell that has pinged must have an owner: {where}.")
    if match[5] and (not game.options["flag"] or not holder):
        raise ParseError(
            where,
            f"A flag must have an owner: {where}." if game.options["flag"] else f"These rules have no flags: {where}.",
        )


def _letters(where: str, text: str, players: int, whole: bool) -> list[int]:
    seats = [PLAYER_LETTERS[:players].find(letter) for letter in text]
    if -1 in seats or len(set(seats)) != len(seats) or not seats or (whole and len(seats) != players):
        raise ParseError(
            where, f"The field {where} must have {'each' if whole else 'some'} of {PLAYER_LETTERS[:players]} once."
        )
    return seats


def _read_more(game: Game, words: list[str], row: Any) -> bool:
    """The further fields; whether ``taken`` is among them."""
    seen = set()
    players = len(game.players)
    order, first = list(range(players)), -1
    for word in words:
        name, _, value = word.partition("=")
        if name in seen:
            raise ParseError(name, f"{name} is given twice. Give it once.")
        seen.add(name)
        if name == "round" and has_round(game):
            order = _letters(name, value, players, True)
        elif name == "first" and has_first(game, row[layout.STEP]):
            if len(value) != 1:
                raise ParseError(
                    "first", f"The field first must be one of {PLAYER_LETTERS[:players]}, not {value[:10]!r}."
                )
            first = _letters(name, value, players, False)[0]
        elif name == "agreed" and game.rules.data[layout.AGREE] < game.rules.data[layout.ACTIONS]:
            row[layout.AGREED] = sum(1 << seat for seat in _letters(name, value, players, False))
        elif name == "taken" and game.options["end"] == "agreement":
            if value != "1":
                raise ParseError("taken", f"The field taken must be 1 or left out, not {value[:10]!r}.")
        else:
            raise ParseError("position", f"A position has no field {word[:20]!r} under these rules.")
    for name, needed in (("round", game.options["order"] == "alternate"), ("first", has_first(game, row[layout.STEP]))):
        if needed and name not in seen:
            raise ParseError(name, f"The field {name} is missing: nothing else says whose turn follows.")
    _check_order(game, row, order, first)
    return "taken" in seen


def read_position(game: Game, text: str, row: Any) -> None:
    """Fill ``row``; ParseError names the field. A duel's round begins to count its repetitions here."""
    _, cells, player, step, pings, *more = _fields(text)
    k, data = game.kernels, game.data
    k.setup(data, row, 0)
    _read_cells(game, cells, row)
    seat = PLAYER_LETTERS.find(player) if len(player) == 1 else -1
    if not 0 <= seat < len(game.players):
        raise ParseError(
            "player", f"The player must be one of {PLAYER_LETTERS[: len(game.players)]}, not {player[:10]!r}."
        )
    allowed = step_letters(game)
    if len(step) != 1 or step not in allowed:
        raise ParseError("step", f"The step must be one of {' '.join(allowed)}, not {step[:10]!r}.")
    if not re.fullmatch(r"0|[1-9][0-9]{0,8}", pings):
        raise ParseError("pings", f"The pings must be a number, not {pings[:10]!r}.")
    row[layout.MOVER] = seat
    row[layout.STEP] = STEP_LETTERS.index(step)
    row[layout.PINGS] = int(pings)
    taken = _read_more(game, more, row)
    k.refresh(data, row)
    if step == "p" and game.options["end"] == "agreement" and row[layout.HELD] == 0 and not taken:
        row[layout.STEP] = layout.OPEN
        k.refresh(data, row)
    if taken and row[layout.STEP] != layout.FIRST:
        raise ParseError("taken", "The field taken is only for the first ping on a full board.")
    _check_turn(game, row, seat)
    if step == "d" and not row[layout.STATUS]:
        k.occurs_again(data, row)


def step_letters(game: Game) -> str:
    """The letters of the steps that a position string can have."""
    return "hcad" if game.options["mode"] == "duel" else "hcpv"


def _check_turn(game: Game, row: Any, seat: int) -> None:
    """Refuse cells, player, step and pings that do not go together: no play leads to them, or no turn leads on."""
    data = game.rules.data
    step, pings, who = int(row[layout.STEP]), int(row[layout.PINGS]), PLAYERS[seat]
    words = cell_words(row, len(game.board))
    own = [word for word in words if (word >> 2) & 3 == seat + 1]
    active = [word for word in words if word & layout.ACTIVE_BIT]
    duel = game.options["mode"] == "duel"
    if row[layout.AGREED] and step not in (layout.OPEN, layout.RESOLVE):
        raise ParseError("agreed", "No player can have agreed at this step.")
    if game.options["flag"]:
        _check_flags(game, words)
    if row[layout.STATUS] == layout.FLAG:
        if step != (layout.RESOLVE if duel else layout.PROPAGATE) or row[layout.WINNER] != seat + 1 or pings < 1:
            raise ParseError("step", "A flag has been captured, which happens only as its captor resolves.")
        return
    in_turn = step in (layout.PROPAGATE, layout.RESOLVE)
    bound = int(game.kernels.most_resolutions(game.data) if duel else data[layout.MAX_PINGS])
    if not in_turn and pings:
        raise ParseError("pings", f"The pings must be 0 at this step, not {pings}.")
    if step == layout.PROPAGATE and (pings < 1 or data[layout.WHOLE]):
        raise ParseError(
            "step", "A chain of Speed is one ping." if data[layout.WHOLE] else "This step needs an earlier ping."
        )
    if step == layout.RESOLVE and game.options["ends"] == "full" and pings and row[layout.HELD] == 0:
        raise ParseError("step", "The board is full after a resolution, which ends the game.")
    if in_turn and bound and pings >= bound:
        raise ParseError("pings", f"The pings must be below the maximum, {bound}.")
    if not duel:
        if active and step != layout.PROPAGATE:
            raise ParseError("cells", "No cell can be active at this step.")
        if any((word >> 2) & 3 != seat + 1 for word in active):
            raise ParseError("cells", f"Only cells of {who} can be active.")
        if step != layout.PROPAGATE and any(word >> layout.PING_SHIFT for word in words):
            raise ParseError("cells", "No cell can have pinged at this step.")
    if data[layout.PER_CELL] and sum(word >> layout.PING_SHIFT for word in words) != pings:
        raise ParseError("pings", f"The cells have not pinged {pings} times together.")
    if in_turn and not any(word & layout.ACTIVE_BIT for word in own):
        raise ParseError("step", f"{who} has no active cell to resolve.")
    if step == layout.RESOLVE and data[layout.UNEVEN] and game.kernels.resolver(game.data, row, pings) != seat:
        raise ParseError("player", f"{who} does not resolve after {pings} resolutions of this round.")
    if step == layout.ACTIVATE and all(word & layout.ACTIVE_BIT for word in own):
        raise ParseError("step", f"{who} has no cell to activate.")
    if step == layout.FIRST and not own:
        raise ParseError("step", f"{who} has no cell to ping.")
    if step == layout.OPEN and not own and not row[layout.STATUS]:
        raise ParseError("player", f"{who} has no cell to ping.")
    if step == layout.RESOLVE and row[layout.AGREED] == (1 << len(game.players)) - 1:
        raise ParseError("agreed", "The round is over when all players have agreed.")
    _check_start(game, row, seat, words)


def _check_start(game: Game, row: Any, seat: int, words: list[int]) -> None:
    data = game.rules.data
    step, full = int(row[layout.STEP]), row[layout.HELD] == 0
    if step == layout.CONTROL and full:
        if game.options["end"] == "agreement":
            raise ParseError("step", "No cell is left to claim. The step must be p.")
        if game.options["mode"] == "duel" and seat != row[layout.ORDER] & 3:
            raise ParseError("step", "No cell is left to claim.")
    if step == layout.HANDICAP:
        gift = int(data[layout.GIFT])
        taken = sum(1 for word in words if (word >> 2) & 3)
        own = sum(1 for word in words if (word >> 2) & 3 == int(data[layout.FAVOURED]) + 1)
        if not gift or seat != data[layout.FAVOURED]:
            raise ParseError("step", "The step can be h only while the player of a handicap claims their cells.")
        if taken != own or taken >= gift:
            raise ParseError("cells", f"The handicap is {gift} cells, claimed before all else.")


def _check_flags(game: Game, words: list[int]) -> None:
    captured = [0] * (len(game.players) + 1)
    held = [0] * (len(game.players) + 1)
    for word in words:
        held[(word >> 2) & 3] += 1
        captured[(word >> 2) & 3] += bool(word & layout.FLAG_BIT)
    if sum(captured) > len(game.players) or sum(number > 1 for number in captured) > 1:
        raise ParseError("cells", "The board has too many flags.")
    for seat, name in enumerate(game.players if max(captured) < 2 else ()):
        if held[seat + 1] and not captured[seat + 1]:
            raise ParseError("cells", f"{name} owns cells, but none is a flag.")


LETTERS = "RGB"
COLOUR_NAMES = ("red", "green", "blue")

_ACTION = re.compile(r"([+!]?)([a-z]+[1-9][0-9]{0,2})(?:=([RGBrgb]))?")
_ACTION_HELP = "Write a move as a cell to claim (+d4), a ping (c2=R), or agree."
_DUEL_HELP = "Write a move as a cell to claim (+d4) or activate (!c2), a resolution (c2=R), or agree."


def colour_names(game: Game, row: Any, cell: int) -> str:
    """Name of a cell's colour now."""
    colour = int(game.kernels.colour_at(row, cell))
    return "no colour" if colour == layout.NO_COLOUR else COLOUR_NAMES[colour]


def decode(game: Game, action: int) -> tuple[str, int, int]:
    """Kind (``ping``, ``control``, ``activate``, ``agree``), cell and colour (or -1) of an action's number."""
    data = game.rules.data
    if action < data[layout.CONTROLS]:
        return "ping", action // 3, action % 3
    if action < data[layout.ACTIVATIONS]:
        choice = action - int(data[layout.CONTROLS])
        return ("control", choice // 3, choice % 3) if data[layout.BLANK] else ("control", choice, -1)
    if action < data[layout.AGREE]:
        return "activate", action - int(data[layout.ACTIVATIONS]), -1
    return "agree", -1, -1


@functools.lru_cache(maxsize=64)
def decoded(game: Game) -> tuple[tuple[str, int, int], ...]:
    """Return what :func:`decode` says of each action of the action space."""
    return tuple(decode(game, action) for action in range(game.rules.actions))


def action_text(game: Game, row: Any, action: int) -> str:
    """Canonical notation."""
    kind, cell, colour = decode(game, action)
    if kind == "agree":
        return "agree"
    name = game.board.names[cell] + (f"={LETTERS[colour]}" if colour >= 0 else "")
    return {"ping": "", "control": "+", "activate": "!"}[kind] + name


def parse_action(game: Game, row: Any, text: str) -> int:
    """The action that ``text`` means, legal or not; IllegalAction where it means none."""
    data = game.rules.data
    written = text.strip()
    shown = text[:40]
    if written == "agree":
        if data[layout.AGREE] == data[layout.ACTIONS]:
            raise IllegalAction(shown, "Under these rules, players can't agree to end the game.")
        return int(data[layout.AGREE])
    match = _ACTION.fullmatch(written)
    if not match:
        raise IllegalAction(shown, _DUEL_HELP if data[layout.DUEL] else _ACTION_HELP)
    sign, name, letter = match[1], match[2], match[3]
    cell = game.board.index.get(name)
    if cell is None:
        dead = any(name in names for names in places(game.options))
        raise IllegalAction(
            shown,
            f"{name} isn't part of this board. Choose another cell." if dead else f"This board has no cell {name}.",
        )
    colour = LETTERS.index(letter.upper()) if letter else -1
    if sign == "!":
        if not data[layout.DUEL]:
            raise IllegalAction(shown, "You can activate cells only in a duel.")
        if letter:
            raise IllegalAction(shown, f"An activation takes no colour. Write !{name}.")
        return int(data[layout.ACTIVATIONS]) + cell
    if sign == "+":
        if data[layout.BLANK]:
            if not letter:
                raise IllegalAction(shown, f"In blank setup, name the colour of the cell you claim, as in +{name}=R.")
            return int(data[layout.CONTROLS]) + 3 * cell + colour
        if letter:
            raise IllegalAction(shown, f"A claimed cell keeps its colour. Write +{name}.")
        return int(data[layout.CONTROLS]) + cell
    if not letter:
        raise IllegalAction(shown, f"Name the colour of the ping, as in {name}=R. To claim a cell, write +{name}.")
    return 3 * cell + colour


def why_not(game: Game, row: Any, action: int) -> str:
    """Return which rule forbids ``action``, which is not legal here."""
    kind, cell, _ = decode(game, action)
    k = game.kernels
    step = int(row[layout.STEP])
    who = PLAYERS[int(row[layout.MOVER])]
    asked = f"{who} must {STEP_WORDS[step]} now."
    if kind == "agree":
        return asked
    name = game.board.names[cell]
    holder = int(k.holder_at(row, cell))
    whose = f"{PLAYERS[holder - 1]}'s" if holder else "free"
    if kind == "control":
        return asked if step > layout.CONTROL or not holder else f"{name} is already {whose}. Choose a free cell."
    if (kind == "activate" and step != layout.ACTIVATE) or (kind == "ping" and not k.may_ping(game.data, row)):
        return asked
    if holder != row[layout.MOVER] + 1:
        return f"{name} is {whose}. Choose one of your cells."
    if kind == "activate":
        return f"{name} is already active. Choose another of your cells."
    if step >= layout.PROPAGATE and not k.is_active(row, cell):
        return f"{name} isn't active. Choose an active cell."
    forced = int(k.forced_colour(game.data, row, cell))
    return f"{name} is {colour_names(game, row, cell)}, so it can only turn {COLOUR_NAMES[forced]}."


STEP_WORDS = (
    "claim handicap cells",
    "claim a free cell",
    "ping a cell",
    "ping a cell or agree",
    "ping an active cell",
    "activate a cell",
    "ping an active cell",
)
