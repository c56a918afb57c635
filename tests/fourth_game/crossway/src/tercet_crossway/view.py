"""What a person sees and hears of Crossway."""

from collections.abc import Sequence

from tercet.core.game import Event, Game, Position
from tercet.core.view import Art, Mark, Panel, Path, Pick, Piece, PlayerArt, RulesPage, Scene, Symbol
from tercet_crossway import kernels
from tercet_crossway.notation import LETTERS, SWAP
from tercet_crossway.rulebook import PAGE
from tercet_crossway.rules import PLAYERS

DISC = "M0 -0.62 A0.62 0.62 0 1 1 0 0.62 A0.62 0.62 0 1 1 0 -0.62 Z"
SYMBOLS = (
    Symbol("B", "black stone", "ink", {"symbol": {"path": DISC}, "letter": {"text": "B"}}, ground="none"),
    Symbol("W", "white stone", "paper", {"symbol": {"path": DISC}, "letter": {"text": "W"}}, ground="none"),
)
TONES = ("ink", "paper")
GOALS = ("connects the bottom with the top", "connects the left with the right")


def art(game: Game) -> Art:
    """Two kinds of stone, each a player's own."""
    players = tuple(PlayerArt(name=name, short=name[0], tone=tone) for name, tone in zip(PLAYERS, TONES, strict=True))
    return Art(symbols=SYMBOLS, players=players, styles=("symbol", "letter"))


def picks(game: Game) -> tuple[Pick, ...]:
    """Swapping is the one thing that is not done on a cell."""
    return (Pick("swap", "Swap", "choice", key="s"),) if game.options["pie"] else ()


def scene(position: Position) -> Scene:
    """The stones, what is barred for the mover, and both players' goals."""
    game, row = position.game, position.row
    names = game.board.names
    owners = [int(game.kernels.owner(game.data, row, cell)) for cell in range(len(game.board))]
    pieces = tuple(
        Piece(name, LETTERS[stone], SYMBOLS[stone].name, stone)
        for name, stone in zip(names, owners, strict=True)
        if stone != kernels.NOBODY
    )
    outcome, mover = position.outcome, position.mover
    marks = []
    if outcome:
        marks.append(Mark("win", outcome.cells, "the sides are connected"))
    else:
        vacant = [cell for cell, stone in enumerate(owners) if stone == kernels.NOBODY]
        checkered = game.kernels.makes_checkerboard
        barred = tuple(names[cell] for cell in vacant if checkered(game.data, row, cell, mover))
        if barred:
            marks.append(Mark("blocked", barred, "a stone here would complete a checkerboard"))
    players = enumerate(PLAYERS)
    panels = tuple(Panel(f"goal-{player}", name, (GOALS[player],), player=player) for player, name in players)
    prompt = "" if mover is None else f"{PLAYERS[mover]}: place a stone."
    if position.allows(len(game.board)):
        prompt = f"{PLAYERS[kernels.WHITE]}: place a stone, or swap."
    return Scene(pieces, tuple(marks), panels, prompt, mover, "over" if outcome else "playing", result(position))


def result(position: Position) -> str:
    """The result as a sentence."""
    outcome = position.outcome
    return "" if outcome is None else f"{PLAYERS[outcome.winners[0]]} wins: he {GOALS[outcome.winners[0]]}."


def paths(position: Position) -> list[Path]:
    """One click a stone."""
    names = position.game.board.names
    return [
        Path(names[action], (names[action],), f"stone on {names[action]}", "placement")
        if action < len(names)
        else Path(SWAP, ("#swap",), "take the first stone over", "swap")
        for action in map(int, position.legal_actions.ids)
    ]


def event(game: Game, record: Sequence[int]) -> Event:
    """One kernel event in words."""
    kind, cell, player, _ = record
    if kind == kernels.ENDED:
        return Event("ended", (), f"{PLAYERS[player]} wins: he {GOALS[player]}.", {"winner": player})
    name, data = game.board.names[cell], {"symbol": LETTERS[player]}
    if kind == kernels.SWAP:
        return Event("swapped", (name,), f"White takes the first stone over: it is his on {name}.", data)
    return Event("placed", (name,), f"{PLAYERS[player]} on {name}.", data)


def attempt(position: Position, steps: Sequence[str]) -> str | None:
    """What a click asks for: a stone on that cell, or to swap."""
    if tuple(steps) == ("#swap",):
        return SWAP
    return steps[0] if len(steps) == 1 and steps[0] in position.game.board.index else None


def rules_page(game: Game) -> RulesPage:
    """The rules."""
    return PAGE
