"""Position strings: ``triplicity[/option=value,...] <rows> <W|B|R> <tokens> <states> <quiet> <pending|-> [k]``."""

from __future__ import annotations

import functools
import re
from typing import Any

from tercet.core.game import Game
from tercet.errors import OptionError, ParseError
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.rules import KIND_LETTERS, MAX_TOKENS, OPTIONS, PLAYER_LETTERS, PLAYERS

STATE_LETTERS = "avr"

MAX_TEXT = 2_000

_TOKEN = re.compile(r"[wbr][PNBRQK]|[1-9][0-9]?")

_NUMBER = re.compile(r"0|[1-9][0-9]{0,5}")

# Letters of each man, as 8 * player + kind.
_MEN = tuple(f"{letter.lower()}{kind}" for letter in PLAYER_LETTERS for kind in f"{KIND_LETTERS:8}"[:8])


def man_at(row: Any, cell: int) -> tuple[int, int]:
    """Owner and kind of the man on ``cell``; kind 0 where there is none."""
    man = int(row[layout.CELLS + cell])
    return man >> 3, man & 7


@functools.lru_cache(maxsize=1 << 14)
def _row_text(standing: bytes) -> str:
    """A row of cells, by what stands on each. Most rows of a position are those of the one before."""
    text, empty = "", 0
    for man in standing:
        if man:
            text += (str(empty) if empty else "") + _MEN[man]
            empty = 0
        else:
            empty += 1
    return text + (str(empty) if empty else "")


def _rows_text(game: Game, row: Any) -> str:
    men = row[layout.CELLS : layout.CELLS + layout.SIZE]
    standing = bytes(men) if isinstance(men, list) else men.astype("u1").tobytes()
    return "/".join([_row_text(standing[cells]) for cells in game.board.row_slices])


def position_text(game: Game, row: Any) -> str:
    """The position string."""
    changed = game.option_text(changed_only=True).replace(" ", ",")
    pending = int(row[layout.PENDING])
    fields = [
        "triplicity" + (f"/{changed}" if changed else ""),
        _rows_text(game, row),
        PLAYER_LETTERS[row[layout.TURN]],
        ",".join(str(int(row[layout.TOKENS + player])) for player in range(3)),
        ",".join(STATE_LETTERS[row[layout.STATE + player]] for player in range(3)),
        str(int(row[layout.QUIET])),
        PLAYER_LETTERS[pending - 1].lower() if pending else "-",
    ]
    if row[layout.FELLED]:
        fields.append("k")
    return " ".join(fields)


def _fields(text: str) -> list[str]:
    if len(text) > MAX_TEXT:
        raise ParseError("position", f"A position must have at most {MAX_TEXT} characters.")
    fields = text.split(" ")
    if len(fields) not in (7, 8):
        raise ParseError(
            "position",
            "A position must have seven fields (game, rows, player, tokens, states, quiet, pending), "
            f"not {len(fields)}.",
        )
    return fields


def position_options(text: str) -> dict[str, Any]:
    """The options in the first field."""
    head = _fields(text)[0]
    name, slash, rest = head.partition("/")
    if name != "triplicity":
        raise ParseError("game", f"A position must begin with triplicity, not {head[:20]!r}.")
    known = {option.name: option for option in OPTIONS}
    found: dict[str, Any] = {}
    for word in rest.split(",") if slash else ():
        option, equals, value = word.partition("=")
        if not equals or option not in known:
            raise ParseError(
                "options", f"The options are {', '.join(known)}, each with = and a value, not {word[:30]!r}."
            )
        if option in found:
            raise ParseError("options", f"The option {option} is given twice. Give it once.")
        try:
            found[option] = known[option].read(value)
        except OptionError as error:
            raise ParseError(f"option {option}", error.why) from None
    return found


def _read_rows(game: Game, text: str, row: Any) -> None:
    board = game.board
    rows = text.split("/")
    if len(rows) != len(board.rows):
        raise ParseError("rows", f"The board has {len(board.rows)} rows, not {len(rows)}.")
    for number, (written, cells) in enumerate(zip(rows, board.rows, strict=True)):
        where = f"row {len(rows) - number}"
        at = column = 0
        counted = False
        while column < len(written):
            match = _TOKEN.match(written, column)
            if not match:
                raise ParseError(
                    where,
                    f"{where.capitalize()} must have pieces (wK) and counts of empty cells, "
                    f"not {written[column : column + 2]!r}.",
                )
            token, column = match[0], match.end()
            if token.isdigit():
                if counted:
                    raise ParseError(
                        where, f"{where.capitalize()} has two counts of empty cells side by side. Add them up."
                    )
                at += int(token)
            elif at < len(cells):
                player = PLAYER_LETTERS.lower().index(token[0])
                kind = KIND_LETTERS.index(token[1])
                if kind == layout.PAWN and board.coordinates[cells[at]][player] == 0:
                    raise ParseError(
                        where, f"{PLAYERS[player]}'s pawn on {board.names[cells[at]]} would have promoted."
                    )
                row[layout.CELLS + cells[at]] = 8 * player + kind
                at += 1
            else:
                at += 1
            counted = token.isdigit()
        if at != len(cells):
            raise ParseError(where, f"{where.capitalize()} must have {len(cells)} cells, not {at}.")


def _read_players(game: Game, tokens: str, states: str, row: Any) -> None:
    hoards = tokens.split(",")
    if len(hoards) != 3 or not all(_NUMBER.fullmatch(hoard) for hoard in hoards):
        raise ParseError("coins", f"The coins must be three numbers separated by commas, not {tokens[:30]!r}.")
    if sum(int(hoard) for hoard in hoards) > MAX_TOKENS:
        raise ParseError("coins", f"The coins must be at most {MAX_TOKENS} together.")
    letters = states.split(",")
    if len(letters) != 3 or any(letter not in ("a", "v", "r") for letter in letters):
        raise ParseError("states", f"The states must be three of a, v, r separated by commas, not {states[:20]!r}.")
    if "a" not in letters:
        raise ParseError("states", "At least one player must still be in the game.")
    for player in range(3):
        row[layout.TOKENS + player] = int(hoards[player])
        row[layout.STATE + player] = STATE_LETTERS.index(letters[player])
    game.kernels.refresh(game.data, row)
    for player, name in enumerate(PLAYERS):
        kings = int(row[layout.KINGS + player])
        if letters[player] == "a" and not kings:
            raise ParseError("states", f"{name} has no king, and so is not active.")
        if letters[player] == "v" and kings:
            raise ParseError("states", f"{name} has a king, and so is not vanquished.")
        if letters[player] != "a" and not kings and row[layout.TOKENS + player]:
            raise ParseError("coins", f"The coins of {name} went to the captor of the last king.")


def _read_pending(game: Game, pending: str, row: Any) -> None:
    if pending == "-":
        return
    if len(pending) != 1 or pending not in PLAYER_LETTERS.lower():
        raise ParseError("pending", f"The field pending must be the captor, w, b or r, or -, not {pending[:20]!r}.")
    captor = PLAYER_LETTERS.lower().index(pending)
    debtor = int(row[layout.TURN])
    if game.options["tribute"] == "off":
        raise ParseError("pending", "The field pending must be - where no tribute is paid.")
    if row[layout.STATUS]:
        raise ParseError("pending", "The game is over, so nothing is pending.")
    if captor == debtor:
        raise ParseError("pending", f"{PLAYERS[debtor]} cannot owe a sacrifice for their own capture.")
    if row[layout.STATE + captor] == layout.VANQUISHED:
        raise ParseError("pending", f"{PLAYERS[captor]} is vanquished and captured nothing just now.")
    if row[layout.TOKENS + debtor]:
        raise ParseError("pending", f"{PLAYERS[debtor]} has coins, and so owes no sacrifice.")
    if game.kernels.men_count(game.data, row, debtor) < 2:
        raise ParseError("pending", f"{PLAYERS[debtor]} has only the last king, and so owes no sacrifice.")
    if row[layout.QUIET]:
        raise ParseError("quiet", "The quiet turns must be 0 right after the capture that a sacrifice is owed for.")
    row[layout.PENDING] = captor + 1


def read_position(game: Game, text: str, row: Any) -> None:
    """Fill ``row``; ParseError names the field."""
    _, rows, player, tokens, states, quiet, pending, *felled = _fields(text)
    game.kernels.setup(game.data, row, 0)
    for cell in range(layout.SIZE):
        row[layout.CELLS + cell] = 0
    _read_rows(game, rows, row)
    limit = game.options["quiet_limit"]
    if not _NUMBER.fullmatch(quiet) or int(quiet) > limit:
        raise ParseError("quiet", f"The quiet turns must be a number from 0 to {limit}, not {quiet[:20]!r}.")
    row[layout.QUIET] = int(quiet)
    _read_players(game, tokens, states, row)
    if len(player) != 1 or player not in PLAYER_LETTERS:
        raise ParseError("player", f"The player must be W, B or R, not {player[:20]!r}.")
    row[layout.TURN] = PLAYER_LETTERS.index(player)
    if row[layout.STATE + row[layout.TURN]] != layout.ACTIVE:
        raise ParseError("player", f"{PLAYERS[row[layout.TURN]]} is no longer in the game.")
    _read_pending(game, pending, row)
    if felled:
        if felled != ["k"]:
            raise ParseError("last king", f"The last king must be k or left out, not {felled[0][:20]!r}.")
        if game.options["jeopardy"] != "no-successive":
            raise ParseError("last king", "The last king is written only under jeopardy=no-successive.")
        row[layout.FELLED] = 1
    game.kernels.refresh(game.data, row)
