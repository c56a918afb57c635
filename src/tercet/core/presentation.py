"""Games and positions as JSON-able dictionaries for the page: what the game's own view says (:mod:`tercet.core.view`),
together with what every game has, such as board, options, outcome; and hints at a move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from tercet.core.abilities.play import SaveForm, TurnForm
from tercet.core.boards import Board
from tercet.core.game import Action, Event, Game, Position
from tercet.core.view import Mark, to_json


def board_view(board: Board) -> dict[str, Any]:
    """Geometry to draw ``board`` with: cells (name, x, y, and shade on a board of three), the outline of a cell,
    labels, holes.

    Units are the distance between neighbouring cells; y points down. ``bounds`` is (left, top, width, height) with
    the labels, ``bare`` without. ``neighbours`` are indices of ``cells``, -1 off the board.
    """

    def box(points: list[tuple[float, float]], margin: float) -> list[float]:
        xs, ys = [x for x, _ in points], [y for _, y in points]
        left, top = min(xs) - margin, min(ys) - margin
        return [round(v, 4) for v in (left, top, max(xs) + margin - left, max(ys) + margin - top)]

    centres = list(board.centres) + list(board.removed)
    return {
        "shape": board.shape,
        "cells": [
            {
                "name": name,
                "x": round(x, 4),
                "y": round(y, 4),
                **({"shade": board.shades[cell]} if board.shades else {}),
            }
            for cell, (name, (x, y)) in enumerate(zip(board.names, board.centres, strict=True))
        ],
        "tile": [[round(x, 4), round(y, 4)] for x, y in board.tile],
        "labels": [{"text": text, "x": round(x, 4), "y": round(y, 4)} for text, (x, y) in board.labels],
        "gone": [[round(x, 4), round(y, 4)] for x, y in board.removed],
        "wrapped": board.wrapped,
        "neighbours": [[n if n < len(board) else -1 for n in around] for around in board.neighbours],
        "bounds": box(centres + [place for _, place in board.labels], 0.65),
        "bare": box(centres, 0.65),
    }


def action_cells(events: Iterable[Event]) -> list[str]:
    """Return the cells where an action was made: those of the first of its ``events`` that has any."""
    return next((list(event.cells) for event in events if event.cells), [])


def skins_view(game: Game) -> list[dict[str, Any]]:
    """Return the game's skins, each with the art to draw it with where it brings its own (else null)."""
    skins = game.definition.skins
    if skins is None:
        return []
    return [{**to_json(skin), "art": to_json(skins.art and skins.art(game, skin.id))} for skin in skins.offered]


def explorations_view(game: Game) -> list[dict[str, Any]]:
    """Return what can be asked about a position of ``game``."""
    explorations = game.definition.explorations
    return [] if explorations is None else [to_json(one) for one in explorations.offered(game)]


def action_styles(game: Game, text: str, events: Sequence[Event]) -> dict[str, str]:
    """Return an action, given in canonical notation and by its events, as each notation style writes it."""
    return {style.id: style.write(game, text, events) for style in game.definition.notation_styles}


def table_view(game: Game) -> dict[str, Any]:
    """Return what stays the same through a game: name, options, players, board, art, picks, skins, notation styles
    (what each writes in the place of our cells' names and of labels), explorations, other forms to write it in
    (:func:`tercet.record.in_form`), and as ``standing`` what the game's tally counts (None: it has no tally).

    ``history`` is whether the game keeps a history that no position string tells. ``advice`` is whether it advises
    beginners, ``firstGame`` whether it guides them through a first game. ``aim`` is its rule in one line, empty if the
    options make it wrong. ``facing`` gives by how many degrees (clockwise) the board is turned for each player, so that
    their home is at the bottom.
    """
    definition = game.definition
    forms: list[SaveForm | TurnForm] = [*definition.saves, *definition.turn_forms]
    return {
        "game": game.name,
        "title": definition.title,
        "options": to_json(game.options),
        "optionText": game.option_text(),
        "players": list(game.players),
        "board": board_view(game.board),
        "art": to_json(definition.view.art(game)),
        "picks": to_json(definition.view.picks(game)),
        "skins": skins_view(game),
        "notations": [
            {"id": style.id, "title": style.title, "cells": dict(style.cells(game)), "labels": dict(style.labels(game))}
            for style in definition.notation_styles
        ],
        "explorations": explorations_view(game),
        "forms": [{"id": form.name, "title": form.title} for form in forms],
        "standing": None if definition.tally is None else definition.tally.title,
        "history": definition.history is not None,
        "advice": definition.lessons is not None and definition.lessons.advise is not None,
        "firstGame": definition.lessons is not None and definition.lessons.first_game is not None,
        "aim": definition.aim if definition.aim_holds is None or definition.aim_holds(game.options) else "",
        "facing": list(definition.facing) or [0] * len(game.players),
    }


def position_view(
    position: Position, paths: bool = True, as_data: Callable[[Any], dict[str, Any]] = to_json
) -> dict[str, Any]:
    """Return a position for the page: its string, scene (with ``partial``: whether the turn is still open), outcome,
    and tally (as ``standing``). ``askable`` are the explorations that can be asked here (None: all). With ``paths`` it
    also has the ways to enter each legal action, and the gestures.

    ``as_data`` makes a dictionary of the scene. An encoder that knows dataclasses needs only ``vars``: it is quicker.
    """
    definition = position.game.definition
    explorations, outcome, tally = definition.explorations, position.outcome, position.tally
    askable = None if explorations is None else explorations.askable
    return {
        "position": str(position),
        "scene": {**as_data(definition.view.scene(position)), "partial": position.turn_is_open},
        "outcome": None if outcome is None else to_json(outcome),
        "paths": [path.row for path in definition.view.paths(position)] if paths else [],
        "gestures": to_json(definition.gestures(position)) if paths and definition.gestures is not None else [],
        "standing": None if tally is None else list(tally),
        "askable": None if askable is None else list(askable(position)),
    }


HintStrength = Literal["place", "piece", "move"]
LOOK_BESIDE = "Look at the choices beside the board."


def hint(position: Position, action: Action | str, strength: HintStrength) -> tuple[str, tuple[Mark, ...]]:
    """Return a sentence about the legal ``action`` and marks that show it on the board: with ``place`` the part of the
    board where it is made, with ``piece`` what it is made with, with ``move`` all of it. ValueError where the game's
    view does not tell how the action is entered."""
    text = str(action)
    view = position.game.definition.view
    path = next((path for path in view.paths(position) if path.action == text), None)
    if path is None:
        raise ValueError(text)
    cells = tuple(step for step in path.steps if not step.startswith("#"))
    picks = {f"#{pick.id}": pick for pick in view.picks(position.game)}
    around: tuple[str, ...] = ()
    if cells:  # the cell and its neighbours, in the board's order
        board = position.game.board
        index = board.index[cells[-1]]
        around = tuple(board.names[near] for near in sorted({index, *board.neighbours[index]} - {len(board)}))
    if strength == "place":
        return _said("Look at this part of the board." if cells else LOOK_BESIDE, around)
    if strength == "move":
        return _said(f"{path.says[:1].upper()}{path.says[1:]}.", cells)
    # The mover's own piece that the move begins with, else what is picked for it, else the cell.
    pieces = {piece.cell: piece for piece in view.scene(position).pieces}
    piece = pieces.get(cells[0]) if cells else None
    if piece is not None and piece.owner is not None and piece.owner == position.mover:
        return _said(f"Think about {cells[0]}: {piece.says.rstrip('.')}.", cells[:1])
    if labels := [picks[step].label for step in path.steps if step in picks]:
        return _said(f"Think about this: {' and '.join(labels)}.", around)
    return _said(f"Think about {cells[0]}." if cells else LOOK_BESIDE, cells[:1])


def _said(says: str, cells: tuple[str, ...]) -> tuple[str, tuple[Mark, ...]]:
    return says, (Mark("hint", cells, says),) if cells else ()
