"""Triplicity's options, and how they are packed for the kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

from tercet.core.boards import SNUB_DIRECTIONS, Board, snub_triangle
from tercet.core.game import Game
from tercet.core.rules import Option, Rules, check_options, packed
from tercet.errors import OptionError
from tercet.games.triplicity.kernels import layout

PLAYERS = ("White", "Black", "Red")
PLAYER_LETTERS = "WBR"
KINDS = ("", "pawn", "knight", "bishop", "rook", "queen", "king")
KIND_LETTERS = "-PNBRQK"
STATES = ("active", "vanquished", "resigned")
REASONS = ("", "last player", "quiet turns", "agreement", "first king")
MAX_TOKENS = 300  # of all three players together in a position string; no action ever makes more of them
PERIMETER = 12

# White's men by rows, from the home side up; the others' follow by rotation. Numbers are vacant cells. Both are ours:
# the designer's own array has not come down to us, and "tercet" is our reconstruction of it.
ARRAYS = {
    "tercet": "BBB.RKQR.PNNNP.PPPPPP.2P1P2",
    "castle": "RKR.BQNB.PNBNP.PPPPPP.2P1P2",
}
MAX_ARRAY_CHARACTERS = 120

WHO, WHOSE = ("player", "next player", "third player"), ("own", "next player's", "third player's")
PLANES = (
    *(f"{whose} {kind}s" for whose in WHOSE for kind in KINDS[1:]),
    "open to purchase",
    *(f"{whose} {what}" for what in ("way to promotion", "tokens") for whose in WHOSE),
    *(f"{who} {is_so}" for is_so in ("in the game", "resigned", "to act") for who in WHO),
    "sacrifice owed",
    "quiet turns",
    "last king fell",
    "one",
)

# As whole numbers: cells to promotion, tokens, and 255 times the share of the quiet turns.
SCALES = {"way to promotion": 12.0, "tokens": 30.0, "quiet turns": 255.0}
PLANE_SCALES = tuple(next((scale for end, scale in SCALES.items() if name.endswith(end)), 1.0) for name in PLANES)

OPTIONS = (
    Option.choice(
        "jeopardy",
        "While all three play, may you take a last king if the third player could then take yours at once?",
        "Rule of jeopardy",
        {
            "text": "no",
            "no-successive": "yes, but not on the turn right after another last king fell",
            "off": "yes",
        },
    ),
    Option.choice(
        "drops",
        "Where new pieces can be placed.",
        "Purchases",
        {
            "perimeter": "on the perimeter",
            "anywhere": "on any vacant cell",
            "near": "on your own half of the perimeter (our option)",
        },
    ),
    Option(
        "quiet_limit",
        "int",
        150,
        "The game is a draw after this many turns in a row without a capture, purchase or pawn move (our ruling).",
        title="Turns without progress",
        low=1,
        high=10_000,
    ),
    Option(
        "array",
        "text",
        "tercet",
        "The starting array: tercet (our reconstruction), castle, or White's pieces by rows from the home side up, as "
        "in BBB.RKQR.PNNNP.PPPPPP.2P1P2. Black's and Red's follow by rotation.",
        title="Array",
        words={"tercet": "standard (our reconstruction)", "castle": "castle: kings between the rooks"},
        pictured=("tercet", "castle"),
    ),
    Option(
        "coins",
        "int",
        10,
        "Coins that each player has at the start (our option: the designer's rules say 10).",
        title="Coins at the start",
        low=0,
        high=MAX_TOKENS // 3,
    ),
    Option.choice(
        "tribute",
        "Does the third player pay for a capture? (Our option: the designer's rules always have tribute.)",
        "Tribute",
        {
            "on": "yes, the value of the captured piece",
            "off": "no",
            "double": "yes, twice the value of the captured piece",
        },
    ),
    Option.choice(
        "points",
        "What the winner gets (our option: the designer's rules give the winner everything).",
        "Points",
        {"all": "everything", "3-1-0": "three quarters; the player who falls second gets one quarter"},
    ),
    Option.choice(
        "ends",
        "When the game ends (our option: the designer's rules have the last king win).",
        "End of the game",
        {"last": "when one player is left", "first": "when a first king falls: its captor wins"},
    ),
)


def array(board: Board, text: str) -> list[int]:
    """Return what stands on each cell at the start: 0 or 8 * player + kind. OptionError where ``text`` is no array."""
    men = [0] * len(board)
    turned = board.symmetries[1]
    for start, letter in _white_men(board, ARRAYS.get(text, text)):
        cell = start
        for player in range(3):
            if men[cell]:
                raise OptionError("array", f"The array puts pieces of two players on {board.names[cell]}.")
            men[cell] = 8 * player + KIND_LETTERS.index(letter)
            cell = turned[cell]
    if KIND_LETTERS.index("K") not in men:
        raise OptionError("array", "The array must have a king.")
    return men


def _white_men(board: Board, text: str) -> Iterator[tuple[int, str]]:
    """Cells and letters of White's men."""
    rows = text.split(".")
    if len(text) > MAX_ARRAY_CHARACTERS or len(rows) > len(board.rows):
        raise OptionError(
            "array", f"The array must have at most {len(board.rows)} rows and {MAX_ARRAY_CHARACTERS} characters."
        )
    for number, (row, cells) in enumerate(zip(rows, reversed(board.rows), strict=False), 1):
        at = 0
        for part in re.findall(r"[0-9]+|.", row, re.DOTALL):
            if part.isascii() and part.isdigit():
                at += int(part[:3])
                continue
            if part not in KIND_LETTERS[1:]:
                raise OptionError(
                    "array",
                    f"The array must be {', '.join(ARRAYS)}, or rows of P, N, B, R, Q, K and numbers "
                    f"with dots between, without {part!r}.",
                )
            if at < len(cells):
                if part == "P" and board.coordinates[cells[at]][0] == 0:
                    raise OptionError(
                        "array", f"The array has a pawn on {board.names[cells[at]]}, where it would have promoted."
                    )
                yield cells[at], part
            at += 1
        if at > len(cells):
            raise OptionError("array", f"Row {number} of the array must have {len(cells)} cells, not {at}.")


def _steps() -> list[tuple[int, ...]]:
    """Directions of rays 0 to 11: orthogonal, then diagonal."""
    diagonal = [
        tuple(a + b for a, b in zip(SNUB_DIRECTIONS[d], SNUB_DIRECTIONS[(d + 1) % 6], strict=True)) for d in range(6)
    ]
    return [*SNUB_DIRECTIONS, *diagonal]


def _paths(board: Board) -> tuple[list[int], list[tuple[int, int, int]]]:
    """Return where each ray of each cell begins, and all paths as (cell, target, ray). See ``kernels.layout``."""
    leaps = sorted({*permutations((1, 2, -3)), *permutations((-1, -2, 3))})
    begins: list[int] = []
    paths: list[tuple[int, int, int]] = []
    for cell, place in enumerate(board.coordinates):
        for ray, step in enumerate(_steps()):
            begins.append(len(paths))
            at = tuple(a + b for a, b in zip(place, step, strict=True))
            while at in board.at:
                paths.append((cell, board.at[at], ray))
                at = tuple(a + b for a, b in zip(at, step, strict=True))
        begins.append(len(paths))
        for leap in leaps:
            at = tuple(a + b for a, b in zip(place, leap, strict=True))
            if at in board.at:
                paths.append((cell, board.at[at], 12))
    begins.append(len(paths))
    return begins, paths


def _pawn_rays(player: int) -> list[int]:
    """The five rays of a player's pawn, captures first: those that lower the player's coordinate."""
    rays = [ray for ray, step in enumerate(_steps()) if step[player] < 0]
    assert len(rays) == 5
    return rays


def _masks(cells: set[int]) -> list[int]:
    """A set of cells as words of men, each in two parts of 28 bits."""
    word = sum(1 << cell for cell in cells)
    part = (1 << 28) - 1
    return [word & part, word >> 28 & part, word >> 56 & part, word >> 84]


def _max_legal(paths: list[tuple[int, int, int]]) -> int:
    """A bound on the legal actions of one position.

    Of m own men none has more than the ways of a queen, and each other cell is reached by at most one of them along
    each of 12 rays and 12 leaps; one path in a promotion counts five times; each vacant cell takes six kinds of man.
    """
    widest = max(sum(1 for a, _, ray in paths if a == cell and ray < 12) for cell in range(layout.SIZE))
    most = max(min(24 * (layout.SIZE - m), widest * m) + 6 * (layout.SIZE - m) for m in range(1, layout.SIZE))
    return most + 4 * layout.PROMOTION_PATHS


@cache
def _geometry() -> tuple[list[int], int, dict[tuple[int, int], int]]:
    """The part of the rules that no option changes, the bound on legal actions, and (cell, target) to path."""
    board = snub_triangle()
    size = len(board)
    begins, paths = _paths(board)
    assert len(paths) == layout.PATHS
    pawn_rays = [_pawn_rays(player) for player in range(3)]
    promotions = [
        number
        for number, (cell, target, ray) in enumerate(paths)
        if ray < 12
        and begins[13 * cell + ray] == number
        and any(board.coordinates[target][p] == 0 and ray in pawn_rays[p] for p in range(3))
    ]
    assert len(promotions) == layout.PROMOTION_PATHS
    rank = {path: number for number, path in enumerate(promotions)}
    data = [0] * layout.RULES_SIZE

    def fill(start: int, values: list[int]) -> None:
        data[start : start + len(values)] = values

    for player in range(3):
        fill(layout.PAWN_RAYS + 5 * player, pawn_rays[player])
        fill(layout.HEIGHT + size * player, [place[player] for place in board.coordinates])
    fill(layout.RAYS, begins)
    fill(layout.FROM, [cell for cell, _, _ in paths])
    fill(layout.TO, [target for _, target, _ in paths])
    fill(layout.RAY_OF, [ray for _, _, ray in paths])
    fill(layout.PROMOTION_OF, [rank.get(number, -1) for number in range(len(paths))])
    fill(layout.PROMOTION_PATH, promotions)
    for cell in range(size):
        rays = [range(begins[13 * cell + ray], begins[13 * cell + ray + 1]) for ray in range(12)]
        leaps = range(rays[-1].stop, begins[13 * cell + 13])
        steps = [*(ray[0] for ray in rays if ray), *leaps]
        tables = [steps, [*(ray[-1] for ray in rays if ray), *leaps]]
        for what in (slice(2, 5), slice(2)):  # of a pawn's rays: moves, captures
            for player in range(3):
                pawns = [rays[ray][0] for ray in pawn_rays[player][what] if rays[ray]]
                tables.append([path for path in pawns if board.coordinates[paths[path][1]][player] > 0])
            orthogonal, diagonal = range(rays[0].start, rays[6].start), range(rays[6].start, leaps.start)
            tables += [[*leaps], [*diagonal], [*orthogonal], [*orthogonal, *diagonal], steps[: len(steps) - len(leaps)]]
        for table, chosen in enumerate(tables):
            high, low = divmod(sum(1 << (path - rays[0].start) for path in chosen), 1 << layout.PATH_PART)
            fill(layout.STARTS + 2 * (size * table + cell), [low, high])
    return data, _max_legal(paths), {(cell, target): number for number, (cell, target, _) in enumerate(paths)}


@dataclass(frozen=True, eq=False, kw_only=True)
class TriplicityRules(Rules):
    """With the number of the path from one cell to another, by (cell, target); see ``kernels.layout``."""

    paths: Mapping[tuple[int, int], int]


def rules_of(game: Game) -> TriplicityRules:
    """The packed rules of a game of Triplicity."""
    assert isinstance(game.rules, TriplicityRules)
    return game.rules


def pack(options: Mapping[str, Any]) -> TriplicityRules:
    """The rules for the kernels. Layout: see ``kernels.layout``."""
    check_options(OPTIONS, options)
    board = snub_triangle()
    shared, max_legal, paths = _geometry()
    data = shared.copy()
    data[layout.RULE_JEOPARDY] = OPTIONS[0].choices.index(options["jeopardy"])
    data[layout.RULE_QUIET_LIMIT] = options["quiet_limit"]
    data[layout.RULE_COINS] = options["coins"]
    data[layout.RULE_TRIBUTE] = ("off", "on", "double").index(options["tribute"])
    data[layout.RULE_SECOND] = int(options["points"] == "3-1-0")
    data[layout.RULE_FIRST_KING] = int(options["ends"] == "first")
    data[layout.ARRAY : layout.ARRAY + layout.SIZE] = array(board, options["array"])
    places = board.coordinates
    anywhere = options["drops"] == "anywhere"
    cells = {cell for cell, place in enumerate(places) if anywhere or min(place) == 0 or max(place) == PERIMETER}
    near = PERIMETER // 2 if options["drops"] == "near" else 0
    own = [{cell for cell in cells if places[cell][player] >= near} for player in range(3)]
    for_pawns = [{cell for cell in own[player] if places[cell][player] > 0} for player in range(3)]
    masks = [part for chosen in (*for_pawns, *own) for part in _masks(chosen)]
    data[layout.DROP_MASKS : layout.DROP_MASKS + 24] = masks
    men = len(board) + MAX_TOKENS  # ever on the board: each purchase burns a token at least
    eventful = MAX_TOKENS + men + men * PERIMETER  # purchases, captures, pawn moves
    return TriplicityRules(
        data=packed(data),
        board=board,
        players=PLAYERS,
        row_size=layout.ROW_SIZE,
        actions=layout.ACTIONS,
        max_legal=max_legal,
        max_events=layout.MAX_EVENTS,
        reasons=REASONS,
        planes=PLANES,
        max_plies=(eventful + 1) * int(options["quiet_limit"]) + men,
        paths=paths,
        plane_scales=PLANE_SCALES,
    )
