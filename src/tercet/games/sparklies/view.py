"""What a person sees and hears of Sparklies, and its parts to print and cut out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil

from tercet.core.game import Event, Game, Position
from tercet.core.view import Art, Counter, Cutout, Face, Mark, Panel, Path, Pick, Piece, PrintSheet, Scene, Symbol
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.notation import COLOUR_NAMES, LETTERS, action_text, cell_words, decode, decoded
from tercet.games.sparklies.options import PLAYERS
from tercet.games.sparklies.positions import held, occurrences
from tercet.games.sparklies.rulebook import rules_page as rules_page
from tercet.games.sparklies.rules import rules_of

CROSS = (
    "M-0.62 -0.34 L-0.34 -0.62 L0 -0.28 L0.34 -0.62 L0.62 -0.34 L0.28 0 L0.62 0.34 L0.34 0.62 L0 0.28 L-0.34 0.62 "
    "L-0.62 0.34 L-0.28 0 Z"
)
SYMBOLS = tuple(
    Symbol(letter, name, tone, {"symbol": {"path": path}, "letter": {"text": letter}}, key=letter.lower())
    for letter, name, tone, path in (
        ("R", "red", "one", CROSS),
        ("G", "green", "green", "M0 -0.58 A0.58 0.58 0 1 1 0 0.58 A0.58 0.58 0 1 1 0 -0.58 Z"),
        ("B", "blue", "three", "M0 -0.66 L0.66 0.52 L-0.66 0.52 Z"),
    )
)
LAST_BUT_ONE = 2  # occurrences of a position in a round of a duel, which the third ends
TONES = ("ink", "paper", "grey")
REASON_WORDS = {"full": "with the most cells", "agreement": "with the most cells", "flag": "by capturing a flag"}
STEP_PROMPTS = (
    "claim a handicap cell.",
    "claim a free cell.",
    "recolour one of your cells (a ping) in any colour.",
    "recolour one of your cells (a ping) in any colour, or agree to end the game.",
    "recolour an active cell (a ping).",
    "activate one of your cells.",
    "recolour an active cell (a ping).",
)


AIM = "Own the most cells: red takes green takes blue takes red."
CIRCLE = "Red takes green, green takes blue, blue takes red."
FORCED_WORDS = (
    "A captured cell can be given any colour, and may take more.",
    "A captured cell turns the colour that took it.",
    "A captured cell turns the colour that it takes.",
)


def art(game: Game) -> Art:
    """Three colours, each with a shape, and the players in whose colour a cell's symbol or border is."""
    return Art(
        symbols=SYMBOLS,
        players=tuple(
            {"name": name, "short": name[0], "tone": tone} for name, tone in zip(game.players, TONES, strict=False)
        ),
        styles=("symbol", "letter"),
        badges={"active": "halo", "spent": "dot"},
        marks={"active": "unseen"},
        sounds={"captured": "capture", "activated": "silent", "spent": "silent"},
    )


def picks(game: Game) -> tuple[Pick, ...]:
    """The three colours, and `agree` where the rules know it."""
    found = tuple(Pick(symbol.id, symbol.name, "colour", symbol.id, symbol.key) for symbol in SYMBOLS)
    if game.rules.data[layout.AGREE] < game.rules.data[layout.ACTIONS]:
        found += (Pick("agree", "agree", "agreement", key="a"),)
    return found


def result(position: Position) -> str:
    """The result as a sentence."""
    outcome = position.outcome
    if outcome is None:
        return ""
    game, row = position.game, position.row
    if outcome.reason == "flag":
        return f"{game.players[outcome.winners[0]]} wins by capturing a flag."
    if len(game.players) == 1:
        return "The whole board is yours."
    cells = [held(row, seat) for seat in range(len(game.players))]
    tally = ", ".join(f"{name} {count}" for name, count in zip(game.players, cells, strict=True))
    if outcome.is_draw:
        return f"Draw between {' and '.join(game.players[seat] for seat in outcome.winners)}: {tally}."
    winner = outcome.winners[0]
    if len(cells) == 2:
        return f"{game.players[winner]} wins {cells[winner]}-{cells[1 - winner]}."
    return f"{game.players[winner]} wins: {tally}."


def victory(position: Position) -> str:
    """The result as it is said to the winner."""
    outcome = position.outcome
    if outcome is None or outcome.is_draw or len(position.game.players) == 1:
        return ""
    if outcome.reason == "flag":
        return "You win by capturing a flag."
    winner, *others = sorted((held(position.row, seat) for seat in range(len(position.game.players))), reverse=True)
    return f"You win {winner}-{others[0]}." if len(others) == 1 else f"You win with {winner} cells."


@lru_cache(maxsize=1 << 14)
def _piece(name: str, word: int, per_cell: int) -> Piece | None:
    """Return what stands for the cell of that name; a cell may ping ``per_cell`` times in a turn (0: no limit)."""
    if word & 3 == layout.NO_COLOUR:
        return None
    holder = (word >> 2) & 3
    owner = f"{PLAYERS[holder - 1]}'s" if holder else "free"
    flags, says = [], f"{COLOUR_NAMES[word & 3]}, {owner}"
    for flag, is_so, words in (
        ("active", word & layout.ACTIVE_BIT, "active"),
        ("spent", word >> layout.PING_SHIFT >= per_cell > 0, "has pinged"),
        ("flag", word & layout.FLAG_BIT, "a flag"),
    ):
        if is_so:
            flags.append(flag)
            says += f", {words}"
    return Piece(name, LETTERS[word & 3], says, holder - 1 if holder else None, tuple(flags))


def scene(position: Position) -> Scene:
    """Cells, what is active, how many each player holds and what is asked of the mover."""
    game, row = position.game, position.row
    names = game.board.names
    words, per_cell = cell_words(row, len(names)), int(game.rules.data[layout.PER_CELL])
    pieces = tuple([piece for name, word in zip(names, words, strict=True) if (piece := _piece(name, word, per_cell))])
    outcome = position.outcome
    mover = position.mover
    step = int(row[layout.STEP])
    marks = []
    if row[layout.ACTIVES] and not outcome:
        active = tuple(piece.cell for piece in pieces if "active" in piece.flags)
        marks.append(Mark("active", active, "active: captured and not yet pinged"))
    if outcome and outcome.cells:
        marks.append(Mark("win", outcome.cells, "flags"))
    size = len(names)
    forced = int(game.rules.data[layout.FORCED])
    counters = [Counter(name, held(row, seat), player=seat, most=size) for seat, name in enumerate(game.players)]
    counters.append(Counter("free", int(row[layout.HELD]), most=size))
    attack = rules_of(game).attack_words
    panels = (
        Panel("held", "Cells", counters=tuple(counters)),
        Panel("attack", "Captures", (f"{attack[0].upper()}{attack[1:]}.", FORCED_WORDS[forced])),
    )
    prompt = ""
    if mover is not None:
        asked = STEP_PROMPTS[step]
        if step == layout.CONTROL and game.options["control"] == "optional" and held(row, mover):
            asked = "claim a free cell, or recolour one of your cells (a ping)."
        prompt = f"{PLAYERS[mover]}: {asked}"
        if forced and step == layout.PROPAGATE:
            prompt += f" {FORCED_WORDS[forced]}"
        if occurrences(game, row) == LAST_BUT_ONE:
            prompt += " This position has occurred twice this round. A third time ends the round."
    state = "over" if outcome else "playing"
    return Scene(pieces, tuple(marks), panels, prompt, mover, state, result(position), victory(position))


def paths(position: Position) -> list[Path]:
    """A cell to take; a cell and a colour to ping it with, or the cell alone where the colour is forced."""
    game, row = position.game, position.row
    known, (free, forced) = decoded(game), _ways(game)
    found = []
    for number in map(int, position.legal_actions.ids):
        kind, cell, _ = known[number]
        is_forced = kind == "ping" and game.kernels.forced_colour(game.data, row, cell) >= 0
        found.append((forced if is_forced else free)[number])
    return found


@lru_cache(maxsize=64)
def _ways(game: Game) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The paths of all actions, and these again for pings whose colour is forced."""

    def path(number: int, is_forced: bool) -> Path:
        kind, cell, colour = decode(game, number)
        text = action_text(game, None, number)
        if kind == "agree":
            return Path(text, ("#agree",), "agree to end", kind)
        name = game.board.names[cell]
        steps = (name,) if colour < 0 or is_forced else (name, f"#{LETTERS[colour]}")
        word = {"ping": "ping", "activate": "activate", "control": "claim"}[kind]
        return Path(text, steps, f"{word} {name}" + (f" as {COLOUR_NAMES[colour]}" if colour >= 0 else ""), kind)

    free = tuple(path(number, False) for number in range(game.rules.actions))
    return free, tuple(path(number, True) for number in range(game.rules.actions))


def attempt(position: Position, steps: Sequence[str]) -> str | None:
    """A ping of one's own cell, a claim of a free one, or else what the mover does first of all that is legal, on the
    last cell that was chosen; with the colour that is chosen, or the one that is forced, or any."""
    game, row, mover = position.game, position.row, position.mover
    cells = [step for step in steps if not step.startswith("#")]
    legal = [decode(game, action.id)[0] for action in position.legal_actions]
    if not cells or cells[-1] not in game.board.index or mover is None or not legal:
        return None
    cell = game.board.index[cells[-1]]
    holder = int(game.kernels.holder_at(row, cell))
    own = holder == mover + 1
    usual = "ping" if own else "control" if not holder else legal[0]
    kind = usual if usual in legal else legal[0]
    chosen = [step[1:] for step in steps if step.startswith("#") and step[1:] in LETTERS]
    forced = int(game.kernels.forced_colour(game.data, row, cell)) if own else -1
    colour = chosen[0] if chosen else LETTERS[max(0, forced)]
    named = kind == "ping" or (kind == "control" and game.data[layout.BLANK])
    return {"ping": "", "control": "+", "activate": "!"}.get(kind, "") + cells[-1] + (f"={colour}" if named else "")


def turn_words(events: Sequence[Event]) -> str:
    """Return what a turn of three pings or more did: the claim, the first ping and the cells that changed hands."""
    pings = [one for one in events if one.kind == "pinged"]
    if len(pings) < 3:
        return ""
    taken: dict[int | None, dict[str, Event]] = {}
    for one in events:
        if one.kind == "captured" and one.data["from"] != one.data["player"]:
            taken.setdefault(one.data["from"], {})[one.cells[0]] = one
    claims = [one.says for one in events if one.kind == "controlled"]
    said = [*claims, pings[0].says, f"This starts a chain of {len(pings)} pings."]
    return " ".join([*said, *map(_taken, taken.values())] if taken else [*said, "It captures no new cell."])


def _taken(captures: dict[str, Event]) -> str:
    """Return in a sentence which cells of one owner, or free cells, were captured."""
    first, *others = captures.values()
    if not others:
        return str(first.says)
    player, owner = first.data["player"], first.data["from"]
    whose = "free cells" if owner is None else f"cells from {PLAYERS[owner]}"
    return f"{PLAYERS[player]} captures {len(captures)} {whose}: {', '.join(captures)}."


EVENTS = {
    "controlled": "A player claims a free cell.",
    "pinged": "A cell pings: it takes a colour, or keeps its own.",
    "captured": "A player captures a cell, free or owned.",
    "activated": "A cell becomes active.",
    "spent": "An active cell turns inactive without a ping, since none is left.",
    "agreed": "A player agrees to end the game, or the round of a duel.",
    "passed": "A player passes.",
    "ended": "The game ends.",
}


def event(game: Game, record: Sequence[int]) -> Event:
    """One kernel event in words."""
    kind, a, b, c = record
    if kind == layout.ENDED:
        reason = game.rules.reasons[a]
        winner = b - 1 if b else None
        says = "The game is over." if winner is None else f"{PLAYERS[winner]} wins {REASON_WORDS[reason]}."
        return Event("ended", (), says, {"reason": reason, "winner": winner})
    if kind in (layout.SAID, layout.PASSED):
        said = kind == layout.SAID
        says = f"{PLAYERS[a]} agrees." if said else f"{PLAYERS[a]} passes."
        return Event("agreed" if said else "passed", (), says, {"player": a})
    name = game.board.names[a]
    if kind == layout.CONTROLLED:
        return Event(
            "controlled",
            (name,),
            f"{PLAYERS[b]} claims {name} ({COLOUR_NAMES[c]}).",
            {"player": b, "symbol": LETTERS[c]},
        )
    if kind == layout.PINGED:
        was = LETTERS[c]
        change = f"stays {COLOUR_NAMES[b]}" if b == c else f"turns from {COLOUR_NAMES[c]} to {COLOUR_NAMES[b]}"
        return Event("pinged", (name,), f"{name} {change}.", {"symbol": LETTERS[b], "was": was})
    if kind == layout.CAPTURED:
        whose = f"{name} from {PLAYERS[b - 1]}" if b else f"{name}, a free cell"
        says = f"{PLAYERS[c]} captures {f'their own {name}' if b == c + 1 else whose}."
        return Event("captured", (name,), says, {"player": c, "from": b - 1 if b else None})
    if kind == layout.ACTIVATED:
        return Event("activated", (name,), f"{name} is active.", {"player": b})
    return Event("spent", (name,), f"{name} turns inactive: there are no pings left.", {"player": b})


COLOUR_SIZE = 0.66  # a colour tile lies on a control tile, which shows around it
DICE_A_PAGE = 24


def print_sheets(game: Game) -> tuple[PrintSheet, ...]:
    """Control tiles, colour tiles and, for up to two players, faces for ten-sided dice."""
    cells, players = len(game.board), len(game.players)
    black, white, grey = Face(owner=0), Face(owner=1), Face(owner=2)
    tiles = [Cutout((black, white) if players > 1 else (black,), cells, "tile")]
    if players > 2:
        tiles.append(Cutout((grey, grey), ceil(cells / 2), "tile"))
    colours = tuple(Cutout((Face(letter),), ceil(cells / 2), "tile", COLOUR_SIZE) for letter in LETTERS)
    sheets = [
        PrintSheet(
            "Control tiles",
            "Cut out each pair, fold it in the middle and glue it: a tile shows Black on one side and White on the "
            "other. Lay one under the colour tile of a cell when a player claims it, and turn it over when the cell is "
            "captured."
            if players == 2
            else "Cut out each tile; fold a pair in the middle and glue it. Lay one under the colour tile of a cell "
            "when a player claims it, and change it when the cell is captured.",
            tuple(tiles),
        ),
        PrintSheet(
            "Colour tiles",
            "Shuffle the tiles and lay one on each cell. Exchange it when a ping changes the colour of its cell. Slide "
            "the tile of an active cell towards a corner, so that no active cell is forgotten.",
            colours,
        ),
    ]
    if players < 3:
        holders = (None, *range(players))
        states = tuple(Face(letter, owner) for owner in holders for letter in LETTERS)
        sheets.append(
            PrintSheet(
                "Faces for ten-sided dice",
                "With one ten-sided die for each cell, you need no tiles. Stick one face of each kind on a die: the "
                "free colours, each player's colours, and the question mark for an undecided cell. Point the sharp "
                "corner at the side of the board while a ping is pending, otherwise at its top. "
                f"This sheet has faces for {DICE_A_PAGE // 2} dice of 16 mm; print it as often as you need.",
                tuple(Cutout((side,), DICE_A_PAGE // 2, "die") for side in (*states, Face(text="?"))),
            )
        )
    return tuple(sheets)
