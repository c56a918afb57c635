"""``tercet play``: a game in the terminal."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tercet.cli.app import OPEN, Seed, StartPosition, Words, app, first_game, game_of, name_in, split, start_of
from tercet.cli.games import rules
from tercet.core.game import Game, Position
from tercet.errors import IllegalAction, OptionError, TercetError
from tercet.record import Node, Record, read_file, result_token

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from tercet.engines import Engine, Limits

WIDTH = 4  # characters from one cell to its neighbour in a row


def board_text(position: Position, flipped: bool = False, last: Sequence[str] = ()) -> Text:
    """Return the board with its pieces and coordinates. ``flipped`` turns it by half; ``last`` are cells to point
    out."""
    from rich.text import Text

    from tercet.core.presentation import board_view
    from tercet.pictures.drawing import DAY, PAINT

    game = position.game
    board = board_view(game.board)
    scene = game.definition.view.scene(position)
    art = game.definition.view.art(game)
    letters = {one.id: one.forms.get("letter", {}).get("text") or one.key.upper() or one.id[:1] for one in art.symbols}
    tones = {symbol.id: symbol.tone for symbol in art.symbols}
    pieces = {piece.cell: piece for piece in scene.pieces}
    brackets = dict.fromkeys(last, "[]")
    for mark in scene.marks:
        for cell in mark.cells:
            if mark.kind in ("win", "last") or cell not in brackets:
                brackets[cell] = "[]" if mark.kind in ("win", "last") else "<>"

    turn = -1 if flipped else 1
    heights = sorted({round(cell["y"], 3) for cell in board["cells"]})
    pitch = min((b - a for a, b in pairwise(heights)), default=1.0)
    shown: dict[tuple[int, int], tuple[str, str]] = {}  # (line, column of the middle) -> three characters and style

    def place(x: float, y: float) -> tuple[int, int]:
        return round(turn * y / pitch), round(turn * x * WIDTH)

    for cell in board["cells"]:
        name = cell["name"]
        left, right = tuple(brackets.get(name, "  "))
        piece = pieces.get(name)
        text, style = "·", DAY["label"]
        if piece is not None:
            text = letters[piece.symbol]
            paint, writing = PAINT[tones[piece.symbol]]
            if piece.owner is not None:
                right = str(art.players[piece.owner]["short"])[:1].lower() + right.strip()
                if tones[piece.symbol] == "ink":
                    writing, paint = PAINT[art.players[piece.owner]["tone"]]
            style = f"bold {writing} on {paint}"
            if any(art.badges.get(flag) == "halo" for flag in piece.flags):
                left = "*"
        shown[place(cell["x"], cell["y"])] = (f"{left}{text[:1]}{right}", style)
    for label in board["labels"]:
        shown.setdefault(place(label["x"], label["y"]), (f"{label['text']:^3}", "dim"))

    first = min(line for line, _ in shown)
    edge = min(column for _, column in shown)
    drawing = Text()
    for line in range(first, max(line for line, _ in shown) + 1):
        at = edge - 1
        for column in sorted(c for row, c in shown if row == line):
            characters, style = shown[line, column]
            drawing.append(" " * max(0, column - 1 - at))
            drawing.append(characters, style)
            at = max(at, column - 1) + len(characters)
        drawing.append("\n")
    return drawing


HELP = """\
A move, as in the list that `moves` gives; several actions of one turn may stand on one line. Or:
  moves [TEXT]   the legal actions (that contain TEXT)     undo        take back to your last decision
  hint           what an engine would play                 flip        turn the board by half
  board          show the board again                      position    the position string
  record         the game so far                           save FILE   write it to a file
  rules          the rules                                 resign      give up
  quit           leave"""


@dataclass
class TerminalGame:
    """A game going on in the terminal. ``engines`` hold some seats, the person who types the others."""

    game: Game
    start: Position
    engines: dict[int, Engine]
    console: Console
    limits: Limits
    flipped: bool = False
    played: list[str] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    left: bool = False

    def __post_init__(self) -> None:
        self.positions.insert(0, self.start)

    @property
    def here(self) -> Position:
        """Return the position on the board."""
        return self.positions[-1]

    def record(self) -> Record:
        """Return the game so far."""
        return Record.from_actions(self.game, self.start, self.played, self.headers)

    def play(self, text: str, say: bool = False) -> None:
        """Play an action; with ``say`` tell what happens."""
        action = self.here.action(text)
        if say:
            for event in self.here.transition(action).events:
                self.console.print(f"  {event.says}", markup=False)
        self.played.append(str(action))
        self.positions.append(self.here.play(action))

    def show(self) -> None:
        """Print the board and what is to be seen beside it."""
        last: tuple[str, ...] = ()
        if self.played and self.played[-1] != "resign":
            last = self.positions[-2].transition(self.played[-1]).events[0].cells
        self.console.print(board_text(self.here, self.flipped, last), end="")
        scene = self.game.definition.view.scene(self.here)
        for panel in scene.panels:
            counters = [f"{counter.label} {counter.value}" for counter in panel.counters]
            self.console.print(f"{panel.title}: {'; '.join([*panel.lines, *counters])}", style="dim", markup=False)
        alert = scene.alerts[scene.mover] if scene.alerts and scene.mover is not None else ""
        asked = f"{alert}! {scene.prompt}" if alert else scene.prompt
        self.console.print(scene.result or asked, style="bold", markup=False)

    def run(self) -> None:
        """Play until the game is over or the person leaves."""
        self.show()
        while not self.here.is_over and not self.left:
            mover = self.here.mover
            thinker = self.engines.get(-1 if mover is None else mover)
            if thinker is None:
                before = len(self.played)
                if not self.ask():
                    return
                if len(self.played) != before:
                    self.show()
                continue
            action = str(thinker.think(self.here, self.limits).action)
            self.console.print(f"{self.game.players[mover or 0]} ({thinker.name}): {action}", markup=False)
            self.play(action, say=True)
            self.show()

    def ask(self) -> bool:
        """Read a line and do what it says; False at the end of the input."""
        if self.console.is_terminal:
            self.console.print(f"{self.game.players[self.here.mover or 0]}> ", end="")
        line = sys.stdin.readline()
        if not line:
            return False
        word, _, rest = line.strip().partition(" ")
        command = getattr(self, f"do_{word}", None) if word.isascii() and word.isalpha() else None
        try:
            if command is not None:
                command(rest.strip())
            elif word:
                self.turn(line.split())
        except TercetError as error:
            self.console.print(str(error), style="red", markup=False)
        except OSError as error:
            self.console.print(f"{error.filename}: {error.strerror}", style="red", markup=False)
        return True

    def turn(self, texts: Sequence[str]) -> None:
        """Play all of ``texts``, or none if one is not legal."""
        trial = self.here
        for text in texts:
            if trial is not self.here and trial.mover != self.here.mover:
                raise IllegalAction(text, "The turn is over before this action.")
            trial = trial.play(text)
        for text in texts:
            self.play(text, say=True)

    def do_help(self, _: str) -> None:
        """Say what can be typed."""
        self.console.print(HELP, markup=False)

    def do_moves(self, part: str) -> None:
        """List the legal actions."""
        found = [text for text in map(str, self.here.legal_actions) if part in text]
        self.console.print(textwrap.fill(" ".join(found) or "none", max(20, self.console.width)), markup=False)

    def do_undo(self, _: str) -> None:
        """Undo back to the last decision of a person."""
        if not self.played:
            raise IllegalAction("undo", "No move has been played yet.")
        while self.played:
            self.played.pop()
            self.positions.pop()
            if self.here.mover not in self.engines:
                break
        if not self.played:
            self.show()

    def do_hint(self, _: str) -> None:
        """Show what a strong engine would play."""
        from tercet.engines import engine

        thought = engine("level:9", self.game).think(self.here, self.limits)
        line = thought.info.lines[0] if thought.info.lines else None
        known = ""
        if line is not None:
            said = ", ".join(f"{name} {share:.0%}" for name, share in zip(self.game.players, line.scores, strict=True))
            known = f"  ({line.note or said})"
        self.console.print(f"{thought.action}{known}", markup=False)

    def do_flip(self, _: str) -> None:
        """Turn the board."""
        self.flipped = not self.flipped
        self.show()

    def do_board(self, _: str) -> None:
        """Show the board again."""
        self.show()

    def do_position(self, _: str) -> None:
        """Print the position string."""
        print(self.here)

    def do_record(self, _: str) -> None:
        """Print the game so far."""
        print(self.record().write(), end="")

    def do_save(self, name: str) -> None:
        """Write the game so far to a file."""
        if not name:
            raise OptionError("save", "Name a file: save FILE.")
        Path(name).write_text(self.record().write(), encoding="utf-8")
        self.console.print(f"saved to {name}", markup=False)

    def do_rules(self, _: str) -> None:
        """Print the rules."""
        rules(self.game.name)

    def do_resign(self, _: str) -> None:
        """Resign. With several opponents the others play on, else the opponent wins."""
        mover = self.here.mover
        if self.game.definition.resignation is not None:
            self.positions.append(Node(None, self.here).play("resign").position)
            self.played.append("resign")
        elif mover is not None and len(self.game.players) == 2:
            shares = [1.0, 1.0]
            shares[mover] = 0.0
            self.headers["Result"] = result_token(shares)
            self.headers["Reason"] = "resignation"
            self.console.print(
                f"{self.game.players[mover]} resigned. {self.game.players[1 - mover]} wins.", style="bold", markup=False
            )
            self.left = True
        else:
            raise IllegalAction("resign", "You cannot resign here. Use `quit` to leave the game.")

    def do_quit(self, _: str) -> None:
        """Leave the game."""
        self.left = True


def _engines(game: Game, opponents: Sequence[str] | None, seat: str | None) -> dict[int, Engine]:
    """Return the engines by seat: all seats but the person's, by ``opponents`` in turn (the last for the rest)."""
    from tercet.engines import engine

    names = [player.lower() for player in game.players]
    mine: int | None = 0
    if seat is not None:
        wanted = seat.lower()
        if wanted == "none":
            mine = None
        elif wanted in names:
            mine = names.index(wanted)
        elif wanted.isdigit() and 1 <= int(wanted) <= len(names):
            mine = int(wanted) - 1
        else:
            known = f"{', '.join(game.players)}, 1 to {len(names)}, or none"
            raise OptionError("seat", f"--seat must be {known}, not {seat!r}.")
    others = [index for index in range(len(names)) if index != mine]
    if not opponents or list(opponents) == ["friend"]:
        if mine is None:
            raise OptionError("vs", "Name an engine for each seat: --vs engine:4 --vs engine:2.")
        return {}
    if len(opponents) > len(others):
        raise OptionError("vs", f"Give one --vs for each other seat ({len(others)}), not {len(opponents)}.")
    held = {}
    for number, index in enumerate(others):
        name = opponents[min(number, len(opponents) - 1)]
        if name != "friend":
            held[index] = engine(name, game)
    return held


@app.command(context_settings=OPEN)
def play(
    words: Words = None,
    vs: Annotated[
        list[str] | None,
        typer.Option(help="Opponent: engine:1 to engine:10, random, mcts, net:FILE, gumbel, ugi:COMMAND; repeatable."),
    ] = None,
    seat: Annotated[str | None, typer.Option(help="Your seat, by name or number; `none` to watch.")] = None,
    position: StartPosition = None,
    load: Annotated[Path | None, typer.Option(help="Continue the first game of this record file.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the record here at the end.")] = None,
    movetime: Annotated[float | None, typer.Option(min=0.01, help="Seconds that an engine may think.")] = None,
    flip: Annotated[bool, typer.Option("--flip", help="Turn the board half round.")] = False,
    seed: Seed = 0,
) -> None:
    """Play in the terminal, against engines or a friend beside you."""
    from rich.console import Console

    from tercet.engines import Limits

    positional, options = split(words)
    earlier = next(iter(read_file(load)), None) if load else None
    if load and earlier is None:
        raise OptionError("load", f"{load} has no game.")
    if len(positional) > 1 or (positional and earlier) or (not positional and earlier is None and position is None):
        raise OptionError("game", f"Name one game, as in `tercet play {first_game()} --vs engine:4`.")
    if save is not None and not save.parent.is_dir():
        raise OptionError("save", f"There is no folder {save.parent} to save {save.name} in. Make it first.")
    if earlier is not None:
        start = earlier.start
    else:
        name = positional[0] if positional else name_in(position or "")
        start = start_of(game_of(name, options), position, seed)
    game = start.game
    console = Console(highlight=False, soft_wrap=True)
    seats = _engines(game, vs, seat)
    headers = {player: seats[index].name if index in seats else "" for index, player in enumerate(game.players)}
    table = TerminalGame(game, start, seats, console, Limits(movetime=movetime), flip)
    table.headers = {name: value for name, value in headers.items() if value}
    if seed and position is None and earlier is None:
        table.headers["Seed"] = str(seed)
    if earlier is not None:
        table.headers |= {name: value for name, value in earlier.headers.items() if name not in ("Result", "Game")}
        for node in earlier.main():
            table.played.append(node.action_text or "")
            table.positions.append(node.position)
    try:
        if console.is_terminal:
            console.print("`help` says what can be typed.", style="dim")
        table.run()
    finally:
        for each in seats.values():
            each.close()
    if save is not None:
        table.do_save(str(save))
