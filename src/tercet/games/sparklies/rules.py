"""How the options of Sparklies are packed for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.core.game import Game
from tercet.core.rules import Rules, check_options, packed
from tercet.errors import OptionError
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.options import (
    AUTO,
    OPTIONS,
    ORDERS,
    PLAYERS,
    RESOLVE_ORDERS,
    ROUND_ENDS,
    attack_of,
    attack_table,
    attack_words,
    board_of,
    check_together,
    handicap_of,
    is_order_free,
    resolutions_of,
)

REASONS = ("", "full", "agreement", "flag")
RULESET_FORCED = {"subtle": layout.ANY, "speed": layout.TAKER, "playtest2": layout.PREY}
PLANES = (
    *("red", "green", "blue", "own", "next player's", "third player's", "no one's"),
    *("active", "has pinged", "flag", "open to a ping", "open to control", "player decides"),
    *("start of a turn", "first ping", "propagation", "activation", "one"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class SparkliesRules(Rules):
    """With the attack expression in force: how many neighbours of each kind it asks for, and in words."""

    attack: Mapping[str, int]
    attack_words: str


def rules_of(game: Game) -> SparkliesRules:
    """The packed rules of a game of Sparklies."""
    assert isinstance(game.rules, SparkliesRules)
    return game.rules


def pack(options: Mapping[str, Any]) -> SparkliesRules:
    """The rules for the kernels; layout: see ``kernels``. OptionError where options clash."""
    check_options(OPTIONS, options)
    board = board_of(options)
    check_together(options)
    attack = attack_of(options)
    size, players = len(board), int(options["players"])
    forced = layout.ANY if options["mode"] == "duel" else RULESET_FORCED[options["ruleset"]]
    whole = forced == layout.TAKER and is_order_free(attack)
    per_cell, max_pings = _ping_bounds(options, size, whole)
    seat, gift = handicap_of(options, players, size)
    resolutions = resolutions_of(options, players)
    places = _places(options, size, max_pings)
    header = {
        **places,
        layout.CELLS: size,
        layout.DEGREE: board.degree,
        layout.PLAYERS: players,
        layout.BLANK: options["setup"] == "blank",
        layout.EQUAL: options["setup"] == "equal",
        layout.FORCED: forced,
        layout.WHOLE: whole,
        layout.OPTIONAL: options["control"] == "optional",
        layout.TO_AGREE: options["end"] == "agreement",
        layout.PER_CELL: per_cell,
        layout.MAX_PINGS: max_pings,
        layout.FLAGS: options["flag"],
        layout.ROUND_ORDER: ORDERS.index(options["order"]),
        layout.DUEL: options["mode"] == "duel",
        layout.ROUND_END: ROUND_ENDS.index(options["round_end"]),
        layout.RESOLVE_ORDER: RESOLVE_ORDERS.index(options["resolve_order"]),
        layout.FULL_AT_ONCE: options["ends"] == "full",
        layout.UNEVEN: len(set(resolutions)) > 1,
        layout.FAVOURED: seat,
        layout.GIFT: gift,
    }
    data = [0] * (layout.NEIGHBOURS + size * (board.degree + 1))
    for place, value in header.items():
        data[place] = value
    data[layout.RESOLUTIONS : layout.RESOLUTIONS + players] = resolutions
    data[layout.BIAS : layout.NEIGHBOURS] = attack_table(attack)
    data[layout.NEIGHBOURS :] = [value for row in board.neighbours for value in _neighbour_list(row, size)]
    return SparkliesRules(
        data=packed(data),
        board=board,
        players=PLAYERS[:players],
        row_size=places[layout.ROW],
        actions=places[layout.ACTIONS],
        max_legal=3 * size + 1,
        max_events=3 * size + 2 * board.degree + 8,
        reasons=REASONS,
        planes=PLANES,
        max_plies=_max_plies(options, size, players, gift, whole, per_cell, max_pings),
        attack=attack,
        attack_words=attack_words(attack),
    )


def _ping_bounds(options: Mapping[str, Any], size: int, whole: bool) -> tuple[int, int]:
    """Return how often one cell may ping in a turn, and how often all may; 0: without bound."""
    per_cell, max_pings = int(options["pings_per_turn"]), int(options["max_pings"])
    if per_cell == AUTO:
        per_cell = int(options["ruleset"] == "playtest2" and options["mode"] != "duel")
    if max_pings == AUTO:
        max_pings = 8 * size
    if not whole:
        return per_cell, max_pings
    if 0 < max_pings < size:
        raise OptionError("max_pings", "A chain of Speed is one ping. Set max_pings to at least the number of cells.")
    return 0, max_pings  # no cell pings twice in a chain of Speed


def _places(options: Mapping[str, Any], size: int, max_pings: int) -> dict[int, int]:
    """Return where the parts of a row and the kinds of actions begin, by their place in the header."""
    duel = options["mode"] == "duel"
    words = (size + 31) // 32
    hold = layout.PLACES + size
    history = hold + 5 * words
    activations = 3 * size + size * (3 if options["setup"] == "blank" else 1)
    agree = activations + (size if duel else 0)
    agreeing = options["end"] == "agreement" or (duel and options["round_end"] == "agreement")
    return {
        layout.WORDS: words,
        layout.HOLD: hold,
        layout.ACTIVE: hold + 4 * words,
        layout.HISTORY: history,
        layout.ROW: history + (max_pings + 1 if duel else 0),
        layout.CONTROLS: 3 * size,
        layout.ACTIVATIONS: activations,
        layout.AGREE: agree,
        layout.ACTIONS: agree + int(agreeing),
    }


def _neighbour_list(row: tuple[int, ...], size: int) -> list[int]:
    """Return how many neighbours are on the board, these in their order, and room up to the full number."""
    near = [cell for cell in row if cell < size]
    return [len(near), *near] + [0] * (len(row) - len(near))


def _max_plies(
    options: Mapping[str, Any], size: int, players: int, gift: int, whole: bool, per_cell: int, max_pings: int
) -> int | None:
    """A bound on single actions: each turn (in a duel, each round) takes at least one of the free cells."""
    if options["end"] == "agreement" or options["control"] == "optional":
        return None
    if options["mode"] == "duel":
        resolutions = max_pings
        if options["round_end"] == "ten":
            resolutions = min(max_pings, sum(resolutions_of(options, players)))
        return gift + (size - gift) * (2 * players + resolutions)
    pings = 1 if whole else max_pings
    if per_cell and not whole:
        pings = min(pings or per_cell * size, per_cell * size)
    return gift + (size - gift) * (1 + pings) if pings else None
