"""Sparklies' options, which of them go together, and attack expressions such as ``2t`` or ``2T+1P``.

An attack expression has terms joined by ``+``, each a count and a class of neighbours of the cell attacked: ``T`` the
colour that takes the target's, ``P`` the third colour (the target's prey), ``O`` the target's own. A capital counts
neighbours of any owner, a small letter only the mover's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tercet.core.boards import Board, hexagon, rectangle, split_name
from tercet.core.rules import Option
from tercet.errors import OptionError
from tercet.games.sparklies.kernels import layout

CLASSES = "TPOtpo"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
# a green target, for words: what takes it, its prey, itself
EXAMPLE = {"T": "red", "P": "blue", "O": "green"}

_TERM = re.compile(r"([1-9])([TPOtpo])")


def read_attack(text: str, degree: int) -> dict[str, int]:
    """Count asked of each class that ``text`` names, on a board whose cells have ``degree`` neighbours.

    OptionError where it is no expression, or one that nothing can meet.
    """
    asked: dict[str, int] = {}
    for term in text.split("+"):
        match = _TERM.fullmatch(term)
        if not match:
            raise OptionError(
                "attack",
                f"A term of the attack must be a count and one of {' '.join(CLASSES)}, as in 2T+1P, not {term[:20]!r}.",
            )
        if match[2] in asked:
            raise OptionError("attack", f"The attack {text[:40]!r} names {match[2]} twice. Name it once.")
        asked[match[2]] = int(match[1])
    needed = sum(max(asked.get(big, 0), asked.get(big.lower(), 0)) for big in "TPO")
    if needed > degree:
        raise OptionError(
            "attack", f"The attack {text[:40]} asks for {needed} neighbours, but a cell has at most {degree}."
        )
    return asked


def is_order_free(asked: Mapping[str, int]) -> bool:
    """Whether only the taker's colour attacks, so that a chain of Speed does not depend on its order."""
    return set(asked) <= {"T", "t"}


def attack_table(asked: Mapping[str, int]) -> list[int]:
    """BIAS as ``kernels.layout`` describes it: twelve entries, by the pinged colour and the target's."""

    def class_of(target: int, colour: int) -> str:
        return "OPT"[(colour - target) % 3]

    table = []
    for pinged in range(3):
        for target in range(4):
            letter = class_of(target, pinged)
            if target == layout.NO_COLOUR or (letter not in asked and letter.lower() not in asked):
                table.append(0)
                continue
            letters = [class_of(target, colour) for colour in range(3)]
            wanted = [asked.get(letter, 0) for letter in letters + [letter.lower() for letter in letters]]
            table.append(sum((8 - count) << (4 * index) for index, count in enumerate(wanted)))
    return table


def attack_words(asked: Mapping[str, int]) -> str:
    """The expression as a sentence about a green cell, as in ``two of your reds beside a green (edge to edge) capture
    it``."""
    parts = []
    total = 0
    for big in "TPO":
        count, mine = asked.get(big, 0), asked.get(big.lower(), 0)
        colour = EXAMPLE[big]
        total += max(count, mine)
        if mine and mine >= count:
            parts.append(f"{NUMBERS[mine]} of your {colour}s")
        elif count:
            named = f"{NUMBERS[count]} {colour}{'s' if count > 1 else ''}"
            parts.append(f"{named} ({NUMBERS[mine]} of them yours)" if mine else named)
    owners = ""
    if not all(letter.islower() for letter in asked):
        others = "the others" if set(asked) & set("tpo") else "it" if total == 1 else "them"
        owners = f", no matter who owns {others}"
    verb = "captures" if total == 1 else "capture"
    return f"{' and '.join(parts)} beside a green (edge to edge) {verb} it{owners}"


MAX_WIDTH, MAX_EDGE = 20, 12
MAX_RESOLUTIONS = 10_000  # each has an entry in the position's history
AUTO = -1  # of pings_per_turn and max_pings: what the ruleset and the board say
PLAYERS = ("Black", "White", "Grey")
PLAYER_LETTERS = "BWG"
RULESET_ATTACK = {"subtle": "2t", "speed": "2T", "playtest2": "2T"}
ORDERS = ("seat", "fewest", "alternate")
ROUND_ENDS = ("agreement", "ten", "inactive")
RESOLVE_ORDERS = ("same", "reverse", "fewest")
TEN = 10  # resolutions of each player in a round of a duel

OPTIONS = (
    Option(
        "board",
        "text",
        "9x9",
        "Width x height, as in 9x9, or hex with its edge length, as in hex4.",
        title="Board",
        words={f"{side}x{side}": f"{side} × {side}" for side in (4, 5, 6, 8, 9)}
        | {"hex3": "hexagon 3", "hex4": "hexagon 4", "hex5": "hexagon 5"},
        pictured=("4x4", "5x5", "6x6", "8x8", "9x9", "hex3", "hex4", "hex5"),
    ),
    Option.choice(
        "ruleset",
        "What captures, and which colour a captured cell turns.",
        "Ruleset",
        {
            "subtle": "Subtle: only your own cells attack, every colour is your choice",
            "speed": "Speed: all cells attack, captured cells turn the colour that took them",
            "playtest2": "Playtest 2: all cells attack, captured cells turn the colour they take",
        },
    ),
    Option(
        "attack",
        "text",
        "",
        "Which neighbours capture a cell, in place of the ruleset's: T take its colour, P are taken by it, O have its "
        "own colour, as in 2T+1P. Small letters count only your own cells.",
        title="Attack",
        words={
            "": "as the ruleset says",
            "2t": "two of your cells that take its colour",
            "3t": "three of your cells that take its colour",
            "2T": "two cells that take its colour, no matter whose",
            "3T": "three cells that take its colour, no matter whose",
            "2T+1P": "two cells that take its colour and one that it takes",
            "2T+2P": "two cells that take its colour and two that it takes",
            "2O": "two cells of its own colour",
        },
    ),
    Option("players", "int", 2, "Number of players; one player plays solitaire.", title="Players", low=1, high=3),
    Option.choice(
        "setup",
        "The colours at the start.",
        "Setup",
        {
            "random": "random colours",
            "equal": "random, the same number of each colour",
            "blank": "no colours: chosen when a cell is claimed",
        },
    ),
    Option("wrap", "bool", False, "Opposite edges are joined, so the board has no edges.", title="Wrap around"),
    Option(
        "dead", "text", "", "Cells removed from the board, joined by dots, as in c3.d4.", title="Dead cells", cells=True
    ),
    Option.choice(
        "control",
        "Whether a turn must start by claiming a cell while there are free cells.",
        "Claiming cells",
        {"mandatory": "claim a cell each turn", "optional": "claiming is optional"},
    ),
    Option.choice(
        "end",
        "When the game is over.",
        "End",
        {"full": "when every cell is owned", "agreement": "when the board is full and all agree"},
    ),
    Option(
        "pings_per_turn",
        "int",
        AUTO,
        "How often a cell may ping in a turn. The ruleset says: once in Playtest 2, otherwise no limit.",
        title="Pings of a cell",
        words={"-1": "as the ruleset says", "0": "no limit", "1": "once", "2": "twice"},
        low=AUTO,
        high=9,
    ),
    Option(
        "max_pings",
        "int",
        AUTO,
        "Maximum pings in a turn (in a duel: resolutions in a round).",
        title="Pings in a turn",
        words={"-1": "eight times the number of cells", "0": "no limit"},
        low=AUTO,
        high=1_000_000,
    ),
    Option(
        "handicap",
        "text",
        "",
        "A player and how many cells they claim before the game, as in white.2.",
        title="Handicap",
        words={
            "": "none",
            "white.1": "White claims one cell first",
            "white.2": "White claims two cells first",
            "black.1": "Black claims one more cell first",
        },
    ),
    Option("flag", "bool", False, "Each player's first cell is a flag; capturing one wins.", title="Flags"),
    Option.choice(
        "order",
        "Who starts each round.",
        "Order",
        {
            "seat": "always Black first",
            "fewest": "fewest cells first",
            "alternate": "Black first, then White first",
        },
    ),
    Option.choice(
        "mode",
        "Whole turns, or a duel, in which players take single steps in turn.",
        "Mode",
        {"turns": "whole turns", "duel": "duel"},
    ),
    Option(
        "round_end",
        "choice",
        "ten",
        "What ends a round of a duel.",
        title="Round of a duel",
        words={"agreement": "all agree", "ten": "ten resolutions each", "inactive": "no active cell is left"},
    ),
    Option.choice(
        "ends",
        "When a full board ends a duel.",
        "Full board in a duel",
        {"round": "at the end of the round", "full": "at once, after a resolution"},
    ),
    Option(
        "resolutions",
        "text",
        "",
        "How many resolutions each player has in a round of a duel, as in 8, or 10.8 for Black and White; ten if left "
        "out.",
        title="Resolutions",
        words={"": "ten each", "8": "eight each"},
    ),
    Option.choice(
        "resolve_order",
        "Who resolves first in a round of a duel.",
        "First to resolve",
        {
            "same": "the player who claimed first",
            "reverse": "the player who claimed last",
            "fewest": "the player with the fewest cells",
        },
    ),
)


def read_board(text: str) -> tuple[str, int, int]:
    """``("rectangle", width, height)`` or ``("hexagon", edge, edge)``; OptionError."""
    match = re.fullmatch(r"([1-9][0-9]?)x([1-9][0-9]?)", text)
    if match:
        width, height = int(match[1]), int(match[2])
        if width > MAX_WIDTH or height > MAX_WIDTH:
            raise OptionError("board", f"The board must have at most {MAX_WIDTH} cells each way, not {text}.")
        return "rectangle", width, height
    match = re.fullmatch(r"hex([1-9][0-9]?)", text)
    if match:
        if int(match[1]) > MAX_EDGE:
            raise OptionError("board", f"The board must have at most {MAX_EDGE} cells to an edge, not {match[1]}.")
        return "hexagon", int(match[1]), int(match[1])
    raise OptionError(
        "board", f"The board must be a width and a height, as in 9x9, or an edge, as in hex4, not {text[:20]!r}."
    )


@lru_cache(maxsize=64)
def _places(text: str) -> tuple[tuple[str, ...], ...]:
    shape, width, height = read_board(text)
    whole = hexagon(width) if shape == "hexagon" else rectangle(width, height)
    return tuple(tuple(whole.names[cell] for cell in row) for row in whole.rows)


def places(options: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Names of all cells, dead ones too, row by row from the top."""
    return _places(options["board"])


def board_of(options: Mapping[str, Any]) -> Board:
    shape, width, height = read_board(options["board"])
    names = {name for row in _places(options["board"]) for name in row}
    dead: set[str] = set()
    for name in options["dead"].split(".") if options["dead"] else ():
        if not split_name(name) or name not in names:
            raise OptionError("dead", f"A board of {options['board']} has no cell {name[:20]!r}.")
        if name in dead:
            raise OptionError("dead", f"The dead cell {name} is named twice. Name it once.")
        dead.add(name)
    if options["wrap"]:
        if shape == "hexagon":
            raise OptionError("wrap", "Only boards of squares can wrap around.")
        if min(width, height) < 3:
            raise OptionError("wrap", "A board that wraps around must have at least three cells each way.")
    least = max(2, options["players"])
    if len(names) - len(dead) < least:
        raise OptionError("dead" if dead else "board", f"The board must have at least {least} live cells.")
    if shape == "hexagon":
        return hexagon(width, frozenset(dead))
    return rectangle(width, height, options["wrap"], frozenset(dead))


def handicap_of(options: Mapping[str, Any], players: int, size: int) -> tuple[int, int]:
    """Seat and number of cells."""
    text = options["handicap"]
    if not text:
        return 0, 0
    match = re.fullmatch(r"(black|white|grey)\.([1-9][0-9]{0,3})", text)
    if not match:
        raise OptionError("handicap", f"The handicap must be a player and a number, as in white.2, not {text[:20]!r}.")
    seat = [name.lower() for name in PLAYERS].index(match[1])
    if players == 1:
        raise OptionError("handicap", "A solitaire has no handicap. Leave it out.")
    if seat >= players:
        raise OptionError("handicap", f"A game of {players} has no player {match[1]}.")
    if int(match[2]) >= size:
        raise OptionError("handicap", f"The handicap leaves nothing to play for on {size} cells.")
    return seat, int(match[2])


def check_together(options: Mapping[str, Any]) -> None:
    """Refuse combinations that make no sense."""
    if options["players"] == 1:
        for name, plain in (
            ("control", "mandatory"),
            ("end", "full"),
            ("flag", False),
            ("order", "seat"),
            ("mode", "turns"),
        ):
            if options[name] != plain:
                raise OptionError(name, f"A solitaire has no option {name}. Leave it out.")
    if options["mode"] == "duel":
        for name, plain, why in (
            ("control", "mandatory", "the control steps of a duel are not optional"),
            ("end", "full", "a duel ends when the board is full; ends=round or ends=full says when"),
        ):
            if options[name] != plain:
                raise OptionError(name, why)
        if options["pings_per_turn"] > 0:
            raise OptionError("pings_per_turn", "A duel has one ping to a resolution. Leave out pings_per_turn.")
        if options["max_pings"] == 0:
            raise OptionError("max_pings", "A duel needs a bound on the pings of a round. Set max_pings.")
        if options["max_pings"] > MAX_RESOLUTIONS:
            raise OptionError(
                "max_pings", f"A round of a duel has at most {MAX_RESOLUTIONS} resolutions. Lower max_pings."
            )
        if options["resolutions"] and options["round_end"] != "ten":
            raise OptionError("resolutions", "A number of resolutions needs round_end=ten.")
    else:
        for name, plain in (("round_end", "ten"), ("ends", "round"), ("resolutions", ""), ("resolve_order", "same")):
            if options[name] != plain:
                raise OptionError(name, f"The option {name} needs mode=duel.")


def resolutions_of(options: Mapping[str, Any], players: int) -> list[int]:
    """Return how many resolutions each player has in a round of a duel that ends after them; OptionError."""
    text = options["resolutions"]
    if not text:
        return [TEN] * players
    if not re.fullmatch(r"[1-9][0-9]{0,2}(\.[1-9][0-9]{0,2})*", text):
        raise OptionError(
            "resolutions", f"The resolutions must be a number, or one for each player, as in 10.8, not {text[:20]!r}."
        )
    numbers = [int(number) for number in text.split(".")]
    if len(numbers) not in (1, players):
        raise OptionError("resolutions", f"The resolutions must be one number or {players}, not {len(numbers)}.")
    return numbers * players if len(numbers) == 1 else numbers


def attack_of(options: Mapping[str, Any]) -> dict[str, int]:
    """Counts asked by the attack expression in force; OptionError."""
    text = options["attack"] or RULESET_ATTACK[options["ruleset"]]
    return read_attack(text, 6 if options["board"].startswith("hex") else 4)
