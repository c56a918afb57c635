"""One game at one screen: what people see of it, and what comes of what they press. It knows no game and no rule.

The static site runs this in the browser. Every method that changes something returns the new view as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from tercet import draw, games
from tercet.engines import Limits, level
from tercet.engines.base import Engine
from tercet.errors import IllegalAction
from tercet.game import Game
from tercet.games import game_definition
from tercet.position import Position
from tercet.presentation import board_view
from tercet.view import Path

__all__ = ["PERSON", "Desk", "offered"]

PERSON = 0  # a seat's level where a person plays
LEVELS = (1, 3, 5)  # that the page offers


def offered() -> str:
    """Return what can be played, as JSON: for each game its ways to play and its players."""
    found = []
    for name in games():
        definition = game_definition(name)
        start = Game(definition, definition.quick_start.options, "interpreted")
        ways = [{"id": "", "title": "As a beginner", "options": dict(definition.quick_start.options)}]
        ways += [
            {"id": preset.id, "title": preset.title, "options": dict(preset.options)} for preset in definition.presets
        ]
        found.append(
            {
                "name": name,
                "title": definition.title,
                "summary": definition.summary,
                "players": list(start.players),
                "ways": ways,
                "levels": LEVELS,
            }
        )
    return json.dumps(found, ensure_ascii=False, default=str)


class Desk:
    """A game being played. ``levels`` has for each seat the level of its engine, or PERSON."""

    def __init__(self, execution: str = "wasm") -> None:
        self._execution = execution
        self._engines: dict[tuple[Game, int], Engine] = {}
        self._dark = False

    def open(self, name: str, options: str = "{}", levels: Sequence[int] = (), seed: int = 0) -> str:
        """Begin a game with ``options`` (JSON)."""
        game = Game(game_definition(name), json.loads(options), self._execution)
        self._begin(game, list(levels) or [PERSON] * len(game.players), seed)
        return self.view()

    def load(self, text: str) -> str:
        """Go on with a game that :meth:`save` has written. Raise ValueError or a TercetError where it is damaged."""
        try:
            saved = json.loads(text)
            game = Game(game_definition(saved["game"]), saved["options"], self._execution)
            levels = [int(number) for number in saved["levels"]]
            self._begin(game, levels, int(saved["seed"]))
            for action in saved["actions"]:
                self._play(str(action))
        except (KeyError, TypeError) as error:
            raise ValueError(f"The saved game is damaged: {error}.") from None
        return self.view()

    def save(self) -> str:
        """Return the game as JSON, to be kept."""
        game = self._start.game
        return json.dumps(
            {
                "game": game.name,
                "options": {option.name: option.write(game.options[option.name]) for option in game.definition.options},
                "levels": self._levels,
                "seed": self._seed,
                "actions": [text for text, _ in self._played],
            }
        )

    def dark(self, dark: bool) -> str:
        """Draw by night, or by day."""
        self._dark = dark
        return self.view()

    def press(self, step: str) -> str:
        """Choose a cell, or a pick (``#id``): the next step of an action. The action is played once no other has the
        same steps and more."""
        position = self._position
        if position.is_over or self._is_engines(position):
            return self.view()
        if step.startswith("#"):
            self._picks ^= {step}
            self._picks -= {other for other in self._picks if other != step and self._group(other) == self._group(step)}
        elif self._cells and self._cells[-1] == step:
            self._cells.pop()
        else:
            self._cells.append(step)
        self._said = ""
        if not self._fitting():
            self._begin_again(step)
        fitting = self._fitting()
        if len(fitting) == 1 and _cells(fitting[0]) == self._cells and _picks(fitting[0]) <= self._picks:
            self._play(fitting[0].action)
        return self.view()

    def undo(self) -> str:
        """Take back actions up to the last one of a person."""
        while self._played:
            _, self._position = self._played.pop()
            if not self._is_engines(self._position):
                break
        self._forget()
        return self.view()

    def reply(self) -> str:
        """Let the engine play whose turn it is."""
        position = self._position
        if not position.is_over and self._is_engines(position):
            number = self._levels[position.mover or 0]
            key = position.game, number
            if key not in self._engines:
                self._engines[key] = level(position.game, number)
            self._play(str(self._engines[key].think(position, Limits()).action))
        return self.view()

    def view(self) -> str:
        """Return what the page shows, as JSON."""
        position = self._position
        game = position.game
        scene = game.definition.view.scene(position)
        fitting = self._fitting()
        next_cells = {cells[len(self._cells)] for cells in map(_cells, fitting) if len(cells) > len(self._cells)}
        offered_picks = {pick for path in self._paths for pick in _picks(path)}
        picks = [
            {
                "step": f"#{pick.id}",
                "label": pick.label,
                "note": scene.notes.get(pick.id, pick.note),
                "chosen": f"#{pick.id}" in self._picks,
                "asked": any(f"#{pick.id}" in _picks(path) for path in fitting),
            }
            for pick in game.definition.view.picks(game)
            if f"#{pick.id}" in offered_picks
        ]
        return json.dumps(
            {
                "svg": self._drawn(position, next_cells),
                "title": game.definition.title,
                "prompt": scene.result or self._said or scene.prompt,
                "refused": bool(self._said),
                "over": position.is_over,
                "mover": position.mover,
                "thinking": not position.is_over and self._is_engines(position),
                "players": [
                    {"name": name, "level": number} for name, number in zip(game.players, self._levels, strict=True)
                ],
                "panels": [
                    {
                        "title": panel.title,
                        "lines": [
                            *panel.lines,
                            *(f"{counter.label}: {counter.value}" for counter in panel.counters),
                        ],
                    }
                    for panel in scene.panels
                ],
                "picks": picks,
                "moves": [text for text, _ in self._played],
                "position": str(position),
            },
            ensure_ascii=False,
        )

    def _begin(self, game: Game, levels: list[int], seed: int) -> None:
        if len(levels) != len(game.players):
            raise ValueError(f"{game.definition.title} has {len(game.players)} seats, not {len(levels)}.")
        self._start = self._position = game.start(seed)
        self._levels, self._seed = levels, seed
        self._played: list[tuple[str, Position]] = []
        self._sticky = {f"#{pick.id}" for pick in game.definition.view.picks(game) if pick.sticky}
        self._groups = {f"#{pick.id}": pick.group for pick in game.definition.view.picks(game)}
        self._picks: set[str] = set()
        self._forget()

    def _group(self, step: str) -> str:
        return self._groups.get(step, step)

    def _forget(self) -> None:
        """Begin the next action with nothing chosen but what stays in the hand."""
        self._cells: list[str] = []
        self._picks &= self._sticky
        self._said = ""
        self._paths = [] if self._position.is_over else self._position.game.definition.view.paths(self._position)

    def _play(self, action: str) -> None:
        before = self._position
        played, after = before.advance(action)
        self._played.append((str(played), before))
        self._position = after
        self._forget()

    def _is_engines(self, position: Position) -> bool:
        return not position.is_over and self._levels[position.mover or 0] != PERSON

    def _fitting(self) -> list[Path]:
        """The paths that begin with what is chosen. What stays in the hand binds only where it leads on."""
        chosen = self._cells
        found = [path for path in self._paths if _cells(path)[: len(chosen)] == chosen]
        held = [path for path in found if self._picks <= _picks(path)]
        if held:
            return held
        return [path for path in found if self._picks - self._sticky <= _picks(path)]

    def _begin_again(self, step: str) -> None:
        """Take ``step`` as the first of another action; say why where none begins with it."""
        tried = [*self._picks, *self._cells]
        self._cells = [] if step.startswith("#") else [step]
        self._picks = {pick for pick in self._picks if pick in self._sticky or pick == step}
        if self._fitting():
            return
        self._said = self._why_not(tried)
        self._cells = []
        self._picks &= self._sticky

    def _why_not(self, steps: Sequence[str]) -> str:
        """The rule that forbids what was asked for."""
        position = self._position
        attempt = position.game.definition.attempt
        text = attempt(position, steps) if attempt is not None else None
        if text is None:
            return ""
        try:
            position.action(text)
        except IllegalAction as error:
            return str(error)
        return ""

    def _drawn(self, position: Position, next_cells: set[str]) -> str:
        """The board as SVG, with a shape on each cell for the pointer and the keyboard."""
        drawn = draw.svg(position, size=800, dark=self._dark).removesuffix("</svg>")
        board = board_view(position.game.board)
        says = {piece.cell: piece.says for piece in position.game.definition.view.scene(position).pieces}
        shapes = []
        for cell in board["cells"]:
            name = cell["name"]
            kind = "chosen" if name in self._cells else "next" if name in next_cells else "idle"
            shapes.append(
                f'<path class="cell {kind}" data-step="{name}" role="button" tabindex="{0 if kind != "idle" else -1}" '
                f'aria-label="{says.get(name, name)}" d="{draw.outline(board["tile"], cell["x"], cell["y"], 0.95)}"/>'
            )
        return f"{drawn}{''.join(shapes)}</svg>"


def _cells(path: Path) -> list[str]:
    return [step for step in path.steps if not step.startswith("#")]


def _picks(path: Path) -> set[str]:
    return {step for step in path.steps if step.startswith("#")}
