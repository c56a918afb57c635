"""What is asked about a position: what moves lead to, whether an action is legal and why not, explorations, hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Annotated, Any, Literal

import tercet
from tercet.answers.addresses import address
from tercet.answers.errors import AnswerError
from tercet.answers.fields import Action, GameField, Limit, Line, Options, PositionText, RecordText, Seed
from tercet.answers.starts import GameStart, is_long, played, start_of
from tercet.answers.wire import TypedDict, game_data
from tercet.answers.wire.client_messages import MAX_ANALYSED_LINES
from tercet.core.editing import draft_of, draft_text
from tercet.core.game import Game, Position
from tercet.core.presentation import HintStrength, explorations_view, hint, position_view, table_view
from tercet.core.view import Findings, to_json
from tercet.engines.politics import DecisionEffect, meter, politics_of
from tercet.errors import IllegalAction, OptionError, ParseError
from tercet.pictures.drawing import svg
from tercet.play.session import Session
from tercet.record import Record

MAX_EXPLORED_LINES = 50
MAX_HINTED_STEPS = 40
NO_REASON = "The engine found nothing better."


@address("POST /api/analyse", game_data.Analysed, apart=is_long)
def analysed(
    game: GameField | None = None,
    options: Options | None = None,
    seed: Seed | None = None,
    position: PositionText | None = None,
    record: RecordText | None = None,
    moves: Line = (),
) -> dict[str, Any]:
    """Play ``moves`` from some start. Return what each did, the last position with its legal actions, and all of it as
    a record."""
    begun = start_of(game, options, seed, position, record)
    begun = replace(begun, moves=(*begun.moves, *moves))
    start, line = played(begun)
    headers = {"Seed": str(begun.seed)} if begun.seed else {}
    written = Record.from_actions(begun.game, start, [move["text"] for move, _ in line], headers)
    board = {"table": table_view(begun.game), "start": str(start)}
    return {**board, **_reached(start, line), "record": written.write()}


@address("POST /api/position", game_data.Reached, apart=is_long)
def reached(position: PositionText, moves: Line = ()) -> dict[str, Any]:
    """Play ``moves`` from a position. Return what each did, and the last position with its legal actions."""
    start = tercet.parse(position.strip())
    return _reached(*played(GameStart(start.game, 0, str(start), tuple(moves))))


def _reached(start: Position, line: Sequence[tuple[dict[str, Any], Position]]) -> dict[str, Any]:
    nodes = []
    for move, position in line:
        tally = None if position.tally is None else list(position.tally)
        nodes.append({**move, "position": str(position), "standing": tally})
    return {"nodes": nodes, "view": position_view(line[-1][1] if line else start)}


Contents = Annotated[Sequence[Annotated[str, Limit(12)]], Limit(8)]  # of a cell, one of each layer


@address("POST /api/edit", game_data.Edited)
def edited(
    game: GameField | None = None,
    options: Options | None = None,
    position: PositionText | None = None,
    cells: Annotated[Sequence[Contents], Limit(2000)] | None = None,
    fields: Options | None = None,
    whole: bool = True,
) -> dict[str, Any]:
    """Set up a position: from its string, from the start of a game, or from the ``cells`` of its board and its
    ``fields``, which the game's own reader judges. Cells that do not fit the board give way to those of the start."""
    begun = start_of(game, options, None, position)
    playing, here = begun.game, begun.first()
    editor = playing.definition.editor
    if editor is None:
        raise AnswerError("not-possible", "game", "Positions of this game can't be set up by hand.")
    layers = editor.layers(playing)
    made: dict[str, Any]
    if cells is None or len(cells) != len(playing.board):
        made = _set_up(here)
    elif all(len(each) == len(layers) for each in cells):
        made = _judged(playing, cells, fields or {})
    else:
        raise AnswerError("bad-message", "cells", "A cell must have one content of each layer.")
    table = {"table": table_view(playing), "layers": to_json(layers), "fields": to_json(editor.fields(playing))}
    return {"editor": table if whole else None, **made}


def _set_up(position: Position) -> dict[str, Any]:
    cells, values = draft_of(position)
    view = position_view(position, paths=False)
    return {"cells": cells, "fields": values, "position": str(position), "view": view, "error": None}


def _judged(game: Game, cells: Sequence[Sequence[str]], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the position with these cells and fields as it is set up; where the reader refuses it, with the reason."""
    text = ""
    try:
        text = draft_text(game, cells, values)
        return _set_up(game.parse(text))
    except ParseError as refused:
        error = {"where": refused.where, "why": refused.why}
    except OptionError as refused:
        error = {"where": refused.option, "why": refused.why}
    return {"cells": cells, "fields": values, "position": text, "view": None, "error": error}


@address("POST /api/why", game_data.Legality)
def why(
    position: PositionText,
    action: Annotated[Action, Limit(least=1)] | None = None,
    steps: Annotated[Sequence[Annotated[str, Limit(20)]], Limit(8, 1)] | None = None,
) -> dict[str, Any]:
    """Return whether an action, or what ``steps`` would enter (cells, and picks as ``#id``), is legal, and which rule
    forbids it where it is not."""
    found = tercet.parse(position.strip())
    if action is None:
        attempt = found.game.definition.attempt
        action = attempt(found, steps or []) if attempt is not None else None
    if action is None:
        if steps is None:
            raise AnswerError("bad-message", "action", "Name an action, or the steps that would enter it.")
        return {"legal": False, "why": None}
    try:
        found.action(action)
    except IllegalAction as error:
        return {"legal": False, "why": error.why}
    return {"legal": True, "why": None}


@address("POST /api/explore", Findings, quota=("engine",))
def explored(
    position: PositionText, id_: Annotated[str, Limit(40)], cell: Annotated[str, Limit(10)] | None = None
) -> dict[str, Any]:
    """Return what the exploration ``id`` finds out about a position: marks for the board, lines, a sentence."""
    found = tercet.parse(position.strip())
    offered = {one["id"]: one for one in explorations_view(found.game)}
    if id_ not in offered:
        why = f"There is no such exploration here. Choose from {', '.join(offered) or 'none'}."
        raise AnswerError("bad-message", "id", why)
    needs_cell = offered[id_]["needs"] == "cell"
    if needs_cell != (cell is not None) or (needs_cell and cell not in found.game.board.index):
        why = "Name a cell for this exploration." if needs_cell else "This exploration takes no cell."
        raise AnswerError("bad-message", "cell", why)
    explorations = found.game.definition.explorations
    assert explorations is not None
    findings: dict[str, Any] = to_json(explorations.explore(found, id_, cell, MAX_EXPLORED_LINES))
    return findings


def hinted(position: Position, ply: int, turn: Sequence[str], strength: HintStrength) -> dict[str, Any]:
    """Return a hint at the first action of ``turn`` in the position after ``ply`` actions, with the reason for it; with
    the strongest, at the others too."""
    whole = strength == "move"
    steps, here = [], position
    for action in turn[: MAX_HINTED_STEPS if whole else 1]:
        says, marks = hint(here, action, strength)
        steps.append({"position": str(here), "says": says, "marks": to_json(marks)})
        here = here.play(action)
    first, *then = steps
    why = _reason(position, turn)
    return {"ply": ply, **first, "why": why, "action": turn[0] if whole else None, "then": then}


def _reason(position: Position, turn: Sequence[str]) -> str:
    """Return why ``turn`` is good: as the game sees it, else as it advises a beginner without a cell in mind."""
    lessons, says = position.game.definition.lessons, ""
    if lessons is not None and lessons.reason is not None:
        says = lessons.reason(position, turn)
    if lessons is not None and lessons.advise is not None and not says:
        advice = lessons.advise(position, position.mover or 0)
        says = "" if advice.marks else advice.hint
    return says or NO_REASON


def hint_position(session: Session, held: frozenset[int], rated: bool, moves: Sequence[str] = ()) -> Position:
    """Return the position after ``moves`` of an unfinished turn. Raise AnswerError unless the client that holds these
    seats is to move, in an unrated game in which all others are engines."""
    if not held:
        raise AnswerError("not-your-seat", "seat", "Only players get hints.")
    if rated:
        raise AnswerError("not-possible", "table", "Rated games have no hints.")
    others = [seat.kind for number, seat in enumerate(session.seats) if number not in held]
    if len(held) > 1 or not others or any(kind != "engine" for kind in others):
        raise AnswerError("not-possible", "table", "You get hints only against engines.")
    if session.is_over:
        raise AnswerError("over", "table", "The game is over.")
    if session.mover not in held:
        raise AnswerError("not-your-turn", "seat", "You get hints only on your turn.")
    position = session.position
    for move in moves:
        position = position.play(move)
    if position.is_over or position.mover != session.mover:
        raise AnswerError("not-possible", "moves", "These moves end your turn.")
    return position


def lines_shown(position: Position, lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return an engine's ``lines`` with each action's short form and player, and whether what they end in is proved."""
    shown = []
    for line in lines:
        here, short, seats = position, [], []
        for text in line["pv"]:
            action = here.action(text)
            short.append(here.short_text(action) or text)
            seats.append(here.mover)
            here = here.play(action)
        shown.append({**line, "short": short, "seats": seats, "proved": bool(line["note"])})
    return shown


@address("POST /api/draw", media="image/svg+xml", queue="drawing")
def drawn(
    position: PositionText,
    size: Annotated[int, Limit(4000, 40)] = 480,
    style: Literal["character", "letter", "symbol"] | None = None,
    dark: bool = False,
    coordinates: bool = True,
    marks: bool = True,
) -> str:
    """Return a picture of a position, as SVG."""
    found = tercet.parse(position.strip())
    return svg(found, size=size, style=style, dark=dark, coordinates=coordinates, marks=marks)


FIGURES = {"cost": "cost of moves", "hopeless": "hopeless decisions", "power": "spoiler power", "tax": "leader tax"}


Share = Annotated[float, Limit(1, 0)]
Scores = Mapping[Action, tuple[Share, Share, Share]]


class MadeDecision(TypedDict):
    """A decision in a game of three: its ``mover``, what all three can expect after some actions, by notation, and
    which was ``played``."""

    mover: Annotated[int, Limit(2, 0)]
    scores: Annotated[Scores, Limit(MAX_ANALYSED_LINES + 1, 1)]
    played: Action


@address("POST /api/politics", game_data.Politics)
def measured(decisions: Annotated[Sequence[MadeDecision], Limit(5000)]) -> dict[str, Any]:
    """Return what each decision did, and the means of the meter's figures for each player (None without values)."""
    effects = [_effect(number, decision) for number, decision in enumerate(decisions)]
    made = []
    for effect in effects:
        known = {name: getattr(effect, name) for name in ("mover", "leader", "cost", "hit", "hopeless")}
        made.append({**known, "power": effect.spoil if effect.hopeless else 0.0})
    players = [_player([effect for effect in effects if effect.mover == seat]) for seat in range(3)]
    return {"decisions": made, "players": players}


def _effect(number: int, decision: MadeDecision) -> DecisionEffect:
    if decision["played"] not in decision["scores"]:
        where = f"decisions.{number}.played"
        raise AnswerError("bad-message", where, "The scores must name the action that was played.")
    return meter(decision["mover"], decision["scores"], decision["played"])


def _player(effects: Sequence[DecisionEffect]) -> dict[str, Any]:
    values = politics_of(effects)
    means = {name: round(fmean(values[figure]), 4) if values[figure] else None for name, figure in FIGURES.items()}
    return {"decisions": len(effects), **means}
