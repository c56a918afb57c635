"""What a person sees and hears of Triplicity, and its parts to print and cut out.

The pieces are drawn by us as SVG paths in the square from -1 to 1. Every piece is a body on a foot. The body shows its
kind; the foot shows its owner, so that the three armies differ without colour: White's is a flat plate, Black's a
round bowl, Red's a point. A piece without a foot has no owner, as in lists of prices and promotions.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from tercet.core.game import Event, Game, Position
from tercet.core.texts import listed
from tercet.core.view import Art, Counter, Cutout, Face, Mark, Panel, Path, Pick, Piece, PrintSheet, Scene, Symbol
from tercet.games.triplicity import kernels
from tercet.games.triplicity.findings import attackers
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.notation import action_text, all_parts, may_go, parts, promotion
from tercet.games.triplicity.positions import decisive, men, still_playing
from tercet.games.triplicity.rulebook import rules_page as rules_page
from tercet.games.triplicity.rules import KIND_LETTERS, KINDS, PLAYER_LETTERS, PLAYERS, STATES, rules_of

TONES = ("paper", "ink", "one")

BODIES = {
    # a ball on a short neck
    "P": "M0 -0.7 A0.31 0.31 0 0 1 0.2 -0.16 L0.42 0.36 H-0.42 L-0.2 -0.16 A0.31 0.31 0 0 1 0 -0.7 Z",
    # a horse's head that looks to the left
    "N": "M-0.42 0.36 C-0.42 0.1 -0.1 0.02 -0.12 -0.18 L-0.46 0.02 L-0.6 -0.2 L-0.26 -0.62 L-0.22 -0.86 L0.02 -0.68 "
    "C0.42 -0.58 0.5 -0.1 0.44 0.36 Z",
    # a drop with a slit
    "B": "M0 -0.9 C0.2 -0.66 0.38 -0.44 0.38 -0.2 C0.38 -0.02 0.28 0.08 0.18 0.14 L0.34 0.36 H-0.34 L-0.18 0.14 "
    "C-0.28 0.08 -0.38 -0.02 -0.38 -0.2 C-0.38 -0.44 -0.2 -0.66 0 -0.9 Z M-0.05 -0.52 V-0.36 H-0.2 V-0.26 H-0.05 "
    "V-0.06 H0.05 V-0.26 H0.2 V-0.36 H0.05 V-0.52 Z",
    # a tower with three merlons
    "R": "M-0.48 -0.8 H-0.26 V-0.62 H-0.11 V-0.8 H0.11 V-0.62 H0.26 V-0.8 H0.48 V-0.4 L0.32 -0.26 V0.2 L0.42 0.36 "
    "H-0.42 L-0.32 0.2 V-0.26 L-0.48 -0.4 Z",
    # a coronet of five points
    "Q": "M-0.42 0.36 L-0.66 -0.56 L-0.3 -0.2 L-0.26 -0.8 L0 -0.28 L0.26 -0.8 L0.3 -0.2 L0.66 -0.56 L0.42 0.36 Z",
    # a closed crown under a cross
    "K": "M-0.07 -0.94 H0.07 V-0.8 H0.21 V-0.66 H0.07 V-0.48 C0.3 -0.52 0.62 -0.44 0.62 -0.14 C0.62 0.1 0.44 0.22 0.4 "
    "0.36 H-0.4 C-0.44 0.22 -0.62 0.1 -0.62 -0.14 C-0.62 -0.44 -0.3 -0.52 -0.07 -0.48 V-0.66 H-0.21 V-0.8 H-0.07 Z",
}

FEET = (
    "M-0.62 0.46 H0.62 V0.72 H-0.62 Z",
    "M-0.62 0.46 H0.62 C0.62 0.74 0.32 0.9 0 0.9 C-0.32 0.9 -0.62 0.74 -0.62 0.46 Z",
    "M-0.62 0.46 H0.62 L0 0.98 Z",
)

MEN = tuple(
    (letter, kind, kernels.value(number)) for number, (letter, kind) in enumerate(zip(KIND_LETTERS, KINDS, strict=True))
)[1:]


def _symbol(symbol_id: str, name: str, tone: str, letter: str, path: str, key: str = "") -> Symbol:
    return Symbol(symbol_id, name, tone, {"symbol": {"path": path}, "letter": {"text": letter}}, "none", key)


SYMBOLS = (
    *(
        _symbol(f"{name[0].lower()}{letter}", f"{name} {kind}", tone, letter, f"{BODIES[letter]} {foot}")
        for name, tone, foot in zip(PLAYERS, TONES, FEET, strict=True)
        for letter, kind, _ in MEN
    ),
    *(_symbol(letter, kind, "ink", letter, BODIES[letter], letter.lower()) for letter, kind, _ in MEN),
)

PICKS = (
    *(
        Pick(letter, kind, "promotion", letter, letter.lower(), note=f"worth {value}")
        for letter, kind, value in MEN[1:]
    ),
    *(
        Pick(f"{letter}@", f"buy a {kind}", "purchase", letter, letter.lower(), note=f"{value} for each player left")
        for letter, kind, value in MEN
    ),
    Pick("pass", "pass", "pass", key=" "),
)


YOU_WIN = {
    layout.LAST_PLAYER: "You win: yours is the last king in the game.",
    layout.FIRST_KING: "You win: you took the first king to fall.",
}
MOST_MADE = 20_000  # paths that are kept
PRICES_OF_THREE = "A piece costs three times its value: once to each opponent, and once out of the game."
PRICES_OF_TWO = "A piece costs twice its value: once to your opponent, and once out of the game."


def art(game: Game) -> Art:
    """Three armies of six kinds of men, and the six kinds by themselves."""
    return Art(
        symbols=SYMBOLS,
        players=tuple(
            {"name": name, "short": name[0], "tone": tone} for name, tone in zip(PLAYERS, TONES, strict=True)
        ),
        styles=("symbol", "letter"),
        badges={"frozen": "cross"},
        marks={"jeopardy": "warning"},
        sounds={"captured": "capture"},
    )


def picks(game: Game) -> tuple[Pick, ...]:
    """Return what a pawn may become, what may be bought, and the pass."""
    return PICKS


def symbol_of(man: int) -> str:
    """Return the symbol id of a man: its owner's small letter and its own."""
    return PLAYER_LETTERS[man >> 3].lower() + KIND_LETTERS[man & 7]


def _name(man: int) -> str:
    return f"{PLAYERS[man >> 3]} {KINDS[man & 7]}"


def _result(game: Game, status: int, winners: Sequence[int]) -> str:
    names = [PLAYERS[player] for player in winners]
    if status == layout.LAST_PLAYER:
        return f"{names[0]} wins: the last king in the game."
    if status == layout.FIRST_KING:
        return f"{names[0]} wins: the captor of the first king to fall."
    if status == layout.QUIET_DRAW:
        limit = game.options["quiet_limit"]
        return f"Draw after {limit} turns without a capture, purchase or pawn move, shared by {listed(names)}."
    return f"Draw by agreement, shared by {listed(names)}."


def _prompt(position: Position, costs: Mapping[int, int]) -> str:
    row, mover = position.row, position.mover
    if mover is None:
        return ""
    name = PLAYERS[mover]
    if row[layout.PENDING]:
        captor = PLAYERS[int(row[layout.PENDING]) - 1]
        return f"{name}: you owe {captor} tribute and have no coins. Sacrifice one of your pieces."
    if position.allows(layout.PASS):
        return f"{name}: you can neither move nor buy. Pass."
    return f"{name}: move a piece" + (" or buy one." if costs[layout.PAWN] <= row[layout.TOKENS + mover] else ".")


def forbidden_kings(position: Position) -> tuple[tuple[int, str], ...]:
    """Cells of last kings that the mover could take but for the rule of jeopardy, each with the reason."""
    game, row, mover = position.game, position.row, position.mover
    if mover is None or row[layout.PENDING]:
        return ()
    found = []
    for goal, man in men(row):
        if man & 7 != layout.KING or man >> 3 == mover or not game.kernels.attacked(game.data, row, goal, mover, -1):
            continue
        ways = [path for path in _ways(game, row, mover, goal) if game.kernels.reaches(game.data, row, path)]
        if ways and not any(may_go(game, row, path) for path in ways):
            found.append((goal, game.definition.notation.why_not(game, row, _plainest(game, mover, ways[0]))))
    return tuple(found)


def _ways(game: Game, row: Any, mover: int, goal: int) -> list[int]:
    """Paths to ``goal`` from the mover's men, whatever is in between."""
    standing = dict(men(row))
    return [path for cell, path in _leading_to(game, goal) if cell in standing and standing[cell] >> 3 == mover]


@functools.lru_cache(maxsize=1 << 10)
def _leading_to(game: Game, goal: int) -> tuple[tuple[int, int], ...]:
    """Cells from which a path leads to ``goal``, each with that path."""
    data, paths = game.rules.data, rules_of(game).paths
    first, last = int(data[layout.RAYS + 13 * goal]), int(data[layout.RAYS + 13 * goal + 13])
    cells = [int(cell) for cell in data[layout.TO + first : layout.TO + last]]  # a way there is a way back
    return tuple((cell, paths[cell, goal]) for cell in cells)


def _plainest(game: Game, mover: int, path: int) -> int:
    """The move along ``path``, or the promotion to a knight where it is one."""
    promoted = promotion(game, path)
    return promoted if promoted >= 0 and game.kernels.promotes(game.data, mover, path) else path


def _attacked_kings(position: Position) -> list[tuple[int, int, str]]:
    """Kings that could be taken: the cell, whose it is, and by whom in words."""
    game, row = position.game, position.row
    playing = still_playing(row)
    kings = [(cell, man >> 3) for cell, man in men(row) if man & 7 == layout.KING and man >> 3 in playing]
    found = sorted((owner, cell) for cell, owner in kings)
    return [
        (cell, owner, listed([PLAYERS[other] for other in by]))
        for owner, cell in found
        if (by := attackers(game, row, owner, cell))
    ]


def _alerts(position: Position, attacked: Sequence[tuple[int, int, str]]) -> tuple[str, ...]:
    """Return for each player who attacks their last king, if it is among the ``attacked``."""
    kings = position.row[layout.KINGS : layout.KINGS + len(PLAYERS)]
    last = {owner: f"Last king attacked by {who}" for _, owner, who in attacked if kings[owner] == 1}
    return tuple(last.get(player, "") for player in range(len(PLAYERS))) if last else ()


def _marks(position: Position, attacked: Sequence[tuple[int, int, str]]) -> tuple[Mark, ...]:
    game, row = position.game, position.row
    names = game.board.names
    if position.is_over:
        cells = decisive(game, row)[1]
        return (Mark("win", tuple(names[cell] for cell in cells), "the last king"),) if cells else ()
    marks = [
        Mark("danger", (names[cell],), f"{PLAYERS[owner]}'s king could be taken by {who}")
        for cell, owner, who in attacked
    ]
    marks += [Mark("jeopardy", (names[cell],), why) for cell, why in forbidden_kings(position)]
    if row[layout.PENDING]:
        cells = tuple(action.id - layout.SACRIFICES for action in position.legal_actions)
        marks.append(Mark("hint", tuple(names[cell] for cell in cells), "can be sacrificed to pay the tribute"))
    return tuple(marks)


def _costs(position: Position) -> dict[int, int]:
    """Return what each kind of man costs, which is the same for all players."""
    game, row, mover = position.game, position.row, position.mover
    kinds = range(layout.PAWN, layout.KING + 1)
    return {kind: int(game.kernels.price(game.data, row, mover, kind)) for kind in kinds}


def _what_stays(state: int, men_left: int) -> str:
    """Return what is left of a player who is out: vanquished or resigned."""
    if not men_left:
        return f"{STATES[state].capitalize()}: no pieces are left."
    if state == layout.VANQUISHED:
        return "Vanquished: the pieces stay, but can't attack."
    return "Resigned: the pieces stay, frozen."


def _grave(position: Position) -> dict[str, str]:
    """Sacrifices of a king or a queen where a lesser man would do."""
    if not position.row[layout.PENDING]:
        return {}
    first = layout.CELLS - layout.SACRIFICES
    kinds = {action: position.row[first + action.id] & 7 for action in position.legal_actions}
    least = min(kinds.values(), default=layout.PAWN)
    return {
        str(action): "A less valuable piece would pay the tribute too."
        for action, kind in kinds.items()
        if kind > least and kind in (layout.QUEEN, layout.KING)
    }


@functools.lru_cache(maxsize=1 << 12)
def _hoard(player: int, state: int, tokens: int, standing: int, kings: int) -> Panel:
    """Return what a player has."""
    lines = () if state == layout.ACTIVE else (_what_stays(state, standing),)
    counters = (
        Counter("coins", tokens, player, pile=True),
        Counter("pieces", standing, player),
        Counter("kings", kings, player, f"{PLAYER_LETTERS[player].lower()}K"),
    )
    return Panel(f"hoard-{player}", PLAYERS[player], lines, counters, player=player)


@functools.lru_cache(maxsize=8)
def _price_list(costs: tuple[tuple[int, int], ...], playing: int) -> Panel:
    """Return what each kind of man costs while so many are ``playing``."""
    prices = tuple(Counter(KINDS[kind], cost, symbol=KIND_LETTERS[kind]) for kind, cost in costs)
    return Panel("prices", "Prices", (PRICES_OF_THREE if playing == len(PLAYERS) else PRICES_OF_TWO,), prices)


def _panels(position: Position, costs: Mapping[int, int]) -> tuple[Panel, ...]:
    game, row = position.game, position.row
    of_player = [0] * len(PLAYERS)
    for _, man in men(row):
        of_player[man >> 3] += 1
    panels = [
        _hoard(
            player,
            int(row[layout.STATE + player]),
            int(row[layout.TOKENS + player]),
            of_player[player],
            int(row[layout.KINGS + player]),
        )
        for player in range(len(PLAYERS))
    ]
    if costs:
        panels.append(_price_list(tuple(costs.items()), len(still_playing(row))))
    quiet, limit = int(row[layout.QUIET]), int(game.options["quiet_limit"])
    if 3 * quiet >= limit:  # before that, a draw is no player's concern
        count = Counter("turns without progress", quiet, most=limit)
        panels.append(Panel("quiet", "Turns without progress", counters=(count,)))
    return tuple(panels)


@functools.lru_cache(maxsize=8)
def _pieces_made(_game: Game) -> dict[tuple[int, int, bool], Piece]:
    """The pieces that have been made for a game, by cell, man and whether it is frozen."""
    return {}


def scene(position: Position) -> Scene:
    """Men, hoards, prices, kings in danger, kings that jeopardy protects, and what is asked of the player to act."""
    game, row = position.game, position.row
    made, pieces = _pieces_made(game), []
    is_frozen = [bool(row[layout.STATE + player] != layout.ACTIVE) for player in range(len(PLAYERS))]
    for cell, man in men(row):
        key = cell, man, is_frozen[man >> 3]
        piece = made.get(key)
        if piece is None:
            flags = ("frozen",) if key[2] else ()
            piece = Piece(game.board.names[cell], symbol_of(man), ", ".join((_name(man), *flags)), man >> 3, flags)
            made[key] = piece
        pieces.append(piece)
    outcome = position.outcome
    attacked = () if outcome else _attacked_kings(position)
    alerts = _alerts(position, attacked)
    costs = {} if outcome else _costs(position)
    prices = {} if row[layout.PENDING] else costs
    return Scene(
        tuple(pieces),
        _marks(position, attacked),
        _panels(position, costs),
        _prompt(position, costs),
        position.mover,
        "over" if outcome else "playing",
        _result(game, int(row[layout.STATUS]), outcome.winners) if outcome else "",
        YOU_WIN.get(int(row[layout.STATUS]), ""),
        notes={f"{KIND_LETTERS[kind]}@": str(cost) for kind, cost in prices.items()},
        alerts=alerts,
        grave=_grave(position),
    )


@functools.lru_cache(maxsize=8)
def _made(_game: Game) -> dict[int, Path]:
    """The paths that have been made for a game, by action, men at its ends, and price, as one number."""
    return {}


def paths(position: Position) -> list[Path]:
    """Two cells for a move, then ``#Q`` for a promotion; ``#N@`` and a cell for a purchase; a cell for a sacrifice."""
    game, row, ids = position.game, position.row, position.legal_actions.ids
    costs = {} if position.is_over or row[layout.PENDING] else _costs(position)
    made, ends = _made(game), all_parts(game)
    cells = row[layout.CELLS : layout.CELLS + layout.SIZE]
    standing = [*(cells if isinstance(cells, list) else cells.tolist()), 0]  # the last for what has no such end: -1
    found = []
    for number in ids if isinstance(ids, list) else ids.tolist():
        cell, goal, brings = ends[number]
        cost = costs[brings] if layout.PURCHASES <= number < layout.SACRIFICES else 0
        man, taken = standing[cell], standing[goal]
        key = ((number * 32 + man) * 32 + taken) * 4096 + cost
        path = made.get(key)
        if path is None:
            if len(made) >= MOST_MADE:
                made.clear()
            path = made[key] = _path(game, action_text(game, row, number), number, man, taken, cost)
        found.append(path)
    return found


def _path(game: Game, text: str, number: int, man: int, taken: int, cost: int) -> Path:
    """Return how to enter the action ``text``, by which ``man`` goes where ``taken`` stands (0: none)."""
    names = game.board.names
    cell, goal, brings = parts(game, number)
    if number == layout.PASS:
        return Path(text, ("#pass",), "pass", "pass")
    if number >= layout.SACRIFICES:
        return Path(text, (names[goal],), f"sacrifice your {KINDS[taken & 7]} on {names[goal]}", "sacrifice")
    if number >= layout.PURCHASES:
        says = f"buy a {KINDS[brings]} on {names[goal]} for {cost} coins"
        return Path(text, (f"#{KIND_LETTERS[brings]}@", names[goal]), says, "purchase")
    says = f"{KINDS[man & 7]} {names[cell]} " + (
        f"takes {PLAYERS[taken >> 3]}'s {KINDS[taken & 7]} on {names[goal]}" if taken else f"to {names[goal]}"
    )
    steps: tuple[str, ...] = (names[cell], names[goal])
    if brings:
        says += f" and becomes a {KINDS[brings]}"
        steps += (f"#{KIND_LETTERS[brings]}",)
    return Path(text, steps, says, "capture" if taken else "move")


def attempt(position: Position, steps: Sequence[str]) -> str | None:
    """Return a purchase where a man is chosen to buy, a sacrifice where one is owed, else a move over two cells. One
    cell alone makes a move that leads nowhere; the notation says why there is no other."""
    row = position.row
    cells = [step for step in steps if not step.startswith("#")]
    picks = [step[1:] for step in steps if step.startswith("#")]
    bought = [pick for pick in picks if pick.endswith("@")]
    if len(cells) == 1:
        if bought:
            return bought[0] + cells[0]
        if row[layout.PENDING]:
            return f"~{cells[0]}"
        cells *= 2
    if len(cells) != 2 or any(cell not in position.game.board.index for cell in cells):
        return None
    taken = row[layout.CELLS + position.game.board.index[cells[1]]] > 0
    become = "".join(f"={pick}" for pick in picks if pick in KIND_LETTERS)
    return f"{cells[0]}{'x' if taken else '-'}{cells[1]}{become}"


def turn_words(events: Sequence[Event]) -> str:
    """Return what a turn with a capture or a purchase did: who took what in one sentence, or the whole price in one."""
    kinds = {one.kind for one in events}
    if not kinds & {"captured", "bought"}:
        return ""
    price = sum(one.data["amount"] for one in events if one.kind == "paid")
    said: list[str] = []
    for one in events:
        if one.kind == "captured":  # the sentence before says which piece came to this cell
            cell, victim = one.cells[0], f"{PLAYERS[one.data['player']]}'s {one.data['kind']}"
            said[-1] = f"{said[-1].removesuffix(f' to {cell}.')} takes {victim} on {cell}."
        elif one.kind == "bought":
            said.append(f"{one.says.removesuffix('.')} for {price} coins.")
        elif one.kind != "paid" or "bought" not in kinds:
            said.append(one.says)
    return " ".join(said)


EVENTS = {
    "moved": "A piece moves.",
    "captured": "A piece is captured.",
    "promoted": "A pawn becomes another piece.",
    "vanquished": "A player loses the last king.",
    "inherited": "A player takes the coins of the one whose last king falls.",
    "paid": "A player pays coins: tribute, or the price of a piece.",
    "owes": "A player who has no coins for a tribute owes a sacrifice.",
    "excused": "A player who has neither coins nor a piece to sacrifice pays no tribute.",
    "sacrificed": "A player gives up a piece in place of a tribute.",
    "bought": "A player buys a piece.",
    "passed": "A player who can neither move nor buy passes.",
    "resigned": "A player resigns, and the others play on.",
    "lapsed": "A debt lapses, since its debtor resigns.",
    "ended": "The game ends.",
}


def event(game: Game, record: Sequence[int]) -> Event:
    """One kernel event in words."""
    kind, a, b, c = record
    names = game.board.names
    if kind == layout.MOVED:
        where = {"from": names[a], "to": names[b], "symbol": symbol_of(c)}
        return Event("moved", (names[a], names[b]), f"{_name(c)} {names[a]} to {names[b]}.", where)
    if kind in (layout.CAPTURED, layout.PROMOTED, layout.SACRIFICED, layout.BOUGHT):
        man = 8 * c + b
        word, says = {
            layout.CAPTURED: ("captured", f"{_name(man)} on {names[a]} captured."),
            layout.PROMOTED: ("promoted", f"The pawn on {names[a]} becomes a {KINDS[b]}."),
            layout.SACRIFICED: ("sacrificed", f"{PLAYERS[c]} sacrifices the {KINDS[b]} on {names[a]}."),
            layout.BOUGHT: ("bought", f"{PLAYERS[c]} buys a {KINDS[b]} on {names[a]}."),
        }[kind]
        return Event(word, (names[a],), says, {"symbol": symbol_of(man), "kind": KINDS[b], "player": c})
    if kind in (layout.PAID, layout.TRIBUTE, layout.INHERITED):
        coins = f"{c} coin{'' if c == 1 else 's'}"
        if kind == layout.INHERITED:
            says = f"{PLAYERS[b]} takes {PLAYERS[a]}'s {coins}."
        else:
            says = f"{PLAYERS[a]} pays {coins} " + ("out of the game" if b == layout.GODS else f"to {PLAYERS[b]}")
            says += ": tribute for the capture." if kind == layout.TRIBUTE else "."
        to = None if b == layout.GODS else b
        return Event("inherited" if kind == layout.INHERITED else "paid", (), says, {"from": a, "to": to, "amount": c})
    if kind == layout.ENDED:
        winner = None if b == layout.NOBODY else b
        says = "The game is drawn." if winner is None else f"{PLAYERS[winner]} wins."
        return Event("ended", (), says, {"reason": game.rules.reasons[a], "winner": winner})
    word, says = {
        layout.KING_VANQUISHED: ("vanquished", f"{PLAYERS[a]} is vanquished."),
        layout.OWES: ("owes", f"{PLAYERS[a]} has no coins and owes {PLAYERS[b % 3]} a sacrifice."),
        layout.EXCUSED: ("excused", f"{PLAYERS[a]} has only the last king left and pays nothing."),
        layout.PASSED: ("passed", f"{PLAYERS[a]} can neither move nor buy, and passes."),
        layout.GAVE_UP: ("resigned", f"{PLAYERS[a]} resigns. The pieces stay on the board, frozen."),
        layout.LAPSED: ("lapsed", f"{PLAYERS[a]}'s debt lapses."),
    }[kind]
    data = {"player": a}
    if kind in (layout.KING_VANQUISHED, layout.OWES, layout.EXCUSED, layout.LAPSED):
        data["captor"] = b
    return Event(word, (), says, data)


WITHOUT_TRIBUTE = (
    "A player who buys a piece pays its value to each other player in the game, and once more to the gods: those coins "
    "leave the game."
)
TRIBUTES = {
    "on": f"When a piece is captured, the third player pays its value to the captor. {WITHOUT_TRIBUTE}",
    "off": WITHOUT_TRIBUTE,
    "double": f"When a piece is captured, the third player pays twice its value to the captor. {WITHOUT_TRIBUTE}",
}
SPARE = {"P": 2, "N": 2, "B": 1, "R": 1, "Q": 1, "K": 1}  # men to buy, and what pawns become


def print_sheets(game: Game) -> tuple[PrintSheet, ...]:
    """Prices with the array, the men of three players with some to spare, and the tribute tokens."""
    start = game.start()
    cells = list(start.row[layout.CELLS : layout.CELLS + layout.SIZE])
    tokens = sum(int(count) for count in start.row[layout.TOKENS : layout.TOKENS + len(PLAYERS)])
    men = tuple(
        Cutout((Face(player.lower() + letter, seat),), cells.count(8 * seat + kind) + SPARE[letter])
        for seat, player in enumerate(PLAYER_LETTERS)
        for kind, letter in reversed(list(enumerate(KIND_LETTERS)))
        if kind
    )
    prices = tuple((kind, f"{value}", f"{3 * value}", f"{2 * value}") for _, kind, value in MEN)
    sheets = (
        PrintSheet(
            "Prices and array",
            TRIBUTES[game.options["tribute"]],
            table=(("piece", "value", "price with three players", "price with two players"), *prices),
            picture=str(start),
        ),
        PrintSheet(
            "Pieces",
            "Glue the sheet onto cardboard and cut out the discs. Each player has some spare pieces for purchases and "
            "promotions.",
            men,
        ),
        PrintSheet(
            "Coins", f"Each player starts with {game.options['coins']} coins.", (Cutout((Face(text="1"),), tokens),)
        ),
    )
    return sheets if tokens else sheets[:-1]
