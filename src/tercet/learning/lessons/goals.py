"""Goals: predicates over a position and what happened on the way to it, written as tables of a lesson.

Every entry of a table must hold; ``any``, ``all`` (lists of tables) and ``none`` (a table or a list) put others
together, ``others`` (a table) says it of another player. Beside the predicates of :data:`GOALS`, which make sense for
every game, a game has its own (:class:`~tercet.core.abilities.knowledge.LessonParts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tercet.core.definition import GameDefinition
from tercet.core.game import Event
from tercet.learning.lessons.attempts import can_win, forces_win, turns, winning_turn
from tercet.learning.lessons.lesson import Situation, Test

OTHERS = "others"
WHO = ("me", OTHERS, "all")
COUNTS = ("at_least", "at_most", "exactly")


@dataclass(frozen=True)
class Predicate:
    """A word that goals may use: ``read`` checks what is written beside it (ValueError), ``holds`` judges."""

    read: Callable[[Any], None]
    holds: Callable[[Situation, Any], bool]
    help: str


@dataclass(frozen=True)
class Goal:
    """A goal that was read: all ``terms`` hold. ``data`` is how it was written."""

    terms: tuple[Test, ...]
    data: Mapping[str, Any]

    def __call__(self, situation: Situation) -> bool:
        return all(term(situation) for term in self.terms)


def read_goal(definition: GameDefinition, data: Any) -> Goal:
    """Return the goal that ``data`` describes, in the words of every game and of this one; ValueError."""
    if not isinstance(data, dict) or not data:
        raise ValueError('A goal must be a table such as { wins = true } or { event = { kind = "placed" } }.')
    return Goal(tuple(_term(definition, word, value) for word, value in data.items()), data)


def _term(definition: GameDefinition, word: str, value: Any) -> Test:
    if word == OTHERS:
        part = read_goal(definition, value)
        return lambda situation: any(
            part(replace(situation, player=player))
            for player in range(len(situation.position.game.players))
            if player != situation.player
        )
    if word in ("any", "all", "none"):
        listed = value if isinstance(value, list) else [value]
        parts = [read_goal(definition, one) for one in listed]
        if not parts:
            raise ValueError(f"{word}: The value must be a list of goals.")
        if word == "any":
            return lambda situation: any(part(situation) for part in parts)
        if word == "all":
            return lambda situation: all(part(situation) for part in parts)
        return lambda situation: not any(part(situation) for part in parts)
    known = GOALS.get(word)
    if known is not None:
        try:
            known.read(value)
        except ValueError as error:
            raise ValueError(f"{word}: {error}") from None
        return lambda situation: known.holds(situation, value)
    own = {} if definition.lessons is None else definition.lessons.predicates
    if word in own:
        holds = own[word]
        return lambda situation: holds(situation.position, situation.player, value)
    known_words = ", ".join([*GOALS, "any", "all", "none", OTHERS, *own])
    raise ValueError(f"There is no predicate {word}. Choose from {known_words}.")


# how values are read ----------------------------------------------------------------------------------------------


def _is_true(value: Any) -> None:
    if value is not True:
        raise ValueError("The value must be true. For the opposite, write the predicate under `none`.")


def _is_true_or_word(value: Any) -> None:
    if value is not True and not (isinstance(value, str) and value):
        raise ValueError("The value must be true, or a reason in the game's words.")


def _is_count(value: Any) -> None:
    if type(value) is not int or value < 1:
        raise ValueError("The value must be a number from 1 on.")


def _is_texts(value: Any) -> None:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        raise ValueError("The value must be a list of actions.")


def _bounds(value: Mapping[str, Any]) -> None:
    for name in COUNTS:
        if name in value and (type(value[name]) not in (int, float)):
            raise ValueError(f"The value of {name} must be a number.")


def _is_bounds(value: Any) -> None:
    if not isinstance(value, dict) or not value or set(value) - set(COUNTS):
        raise ValueError(f"The value must be a table of {', '.join(COUNTS)}.")
    _bounds(value)


def _is_event(value: Any) -> None:
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise ValueError('The value must be a table with the kind of event, as in { kind = "captured", at_least = 2 }.')
    if value.get("by", "me") not in WHO:
        raise ValueError(f"The value of `by` must be one of {', '.join(WHO)}.")
    _bounds(value)


def _is_pieces(value: Any) -> None:
    known = {"symbol", "owner", "flag", "cells", *COUNTS}
    if not isinstance(value, dict) or not value or set(value) - known:
        raise ValueError(f"The value must be a table of {', '.join(sorted(known))}.")
    if value.get("owner", "me") not in ("me", OTHERS, "none"):
        raise ValueError(f"The value of `owner` must be me, {OTHERS} or none.")
    _bounds(value)


def _is_table(value: Any) -> None:
    if not isinstance(value, dict) or not value or set(value) - {"takebacks", "retractions", "preset"}:
        raise ValueError("The value must be a table of takebacks, retractions and preset.")


# what they mean ---------------------------------------------------------------------------------------------------


def _within(count: float, bounds: Mapping[str, Any]) -> bool:
    """Return whether a count is within the wanted bounds; without bounds, at least one."""
    if "exactly" in bounds:
        return bool(count == bounds["exactly"])
    least = bounds.get("at_least", 0 if "at_most" in bounds else 1)
    return bool(least <= count <= bounds.get("at_most", count))


def _fits(event: Event, wanted: Mapping[str, Any]) -> bool:
    """Return whether an event has the wanted kind, cell and data."""
    if event.kind != wanted["kind"] or ("cell" in wanted and wanted["cell"] not in event.cells):
        return False
    own = {name: value for name, value in wanted.items() if name not in ("kind", "cell", "by", *COUNTS)}
    return all(event.data.get(name) == value for name, value in own.items())


def fitting_events(situation: Situation, wanted: Mapping[str, Any]) -> Iterator[Event]:
    """Yield the events since the step began that fit the value of a goal's ``event``."""
    by = wanted.get("by", "me")
    for one in situation.played:
        if by == "all" or (one.seat == situation.player) == (by == "me"):
            yield from (event for event in one.transition.events if _fits(event, wanted))


def _event(situation: Situation, wanted: Mapping[str, Any]) -> bool:
    return _within(sum(1 for _ in fitting_events(situation, wanted)), wanted)


def _won(situation: Situation, value: Any) -> bool:
    outcome = situation.position.outcome
    if outcome is None or outcome.winners != (situation.player,):
        return False
    return value in (True, outcome.reason, outcome.pattern)


def _lost(situation: Situation, value: Any) -> bool:
    outcome = situation.position.outcome
    return outcome is not None and situation.player not in outcome.winners and value in (True, outcome.reason)


def _drawn(situation: Situation, _value: Any) -> bool:
    outcome = situation.position.outcome
    return outcome is not None and outcome.is_draw


def _safe(situation: Situation, _value: Any) -> bool:
    """No other player has won, and the one whose turn it is now cannot win with it."""
    position = situation.position
    if position.is_over:
        return not _lost(situation, True)
    return position.mover != situation.player and winning_turn(position) is None


def _next_event(situation: Situation, wanted: Mapping[str, Any]) -> bool:
    """Return whether some turn of the mover causes the wanted number of such events."""
    now, caused = Situation(situation.player, situation.position), {**wanted, "by": "all"}
    return not now.position.is_over and any(_event(now.then(*turn.actions), caused) for turn in turns(now.position))


def _pieces(situation: Situation, wanted: Mapping[str, Any]) -> bool:
    position = situation.position
    cells, flag, symbol, owner = (wanted.get(name) for name in ("cells", "flag", "symbol", "owner"))
    count = 0
    for piece in position.game.definition.view.scene(position).pieces:
        whose = "none" if piece.owner is None else "me" if piece.owner == situation.player else OTHERS
        count += (
            (cells is None or piece.cell in cells)
            and (flag is None or flag in piece.flags)
            and symbol in (None, piece.symbol)
            and owner in (None, whose)
        )
    return _within(count, wanted)


def _tally(situation: Situation, wanted: Mapping[str, Any]) -> bool:
    tally = situation.position.tally
    return tally is not None and _within(tally[situation.player], wanted)


def _ahead(situation: Situation, wanted: Mapping[str, Any]) -> bool:
    margins = situation.position.margins
    return margins is not None and _within(margins[situation.player], wanted)


def _table(situation: Situation, wanted: Mapping[str, Any]) -> bool:
    """Return whether a new table of the game has the described properties."""
    definition = situation.position.game.definition
    own = {"takebacks": definition.takebacks, "retractions": definition.retractions}
    presets = {preset.id for preset in definition.presets}
    return all(value in presets if name == "preset" else own[name] == value for name, value in wanted.items())


GOALS: dict[str, Predicate] = {
    "wins": Predicate(_is_true_or_word, _won, "the player has won, for that reason or with that pattern"),
    "loses": Predicate(_is_true_or_word, _lost, "the player has lost, for that reason"),
    "draws": Predicate(_is_true, _drawn, "the game ended as a draw"),
    "safe": Predicate(_is_true, _safe, "it is another player's turn, and they cannot win with it"),
    "can_win": Predicate(
        _is_true,
        lambda situation, _: can_win(situation.position, situation.player),
        "the player wins with their next turn, whatever the others do before it",
    ),
    "forces_win": Predicate(
        _is_count,
        lambda situation, most: forces_win(situation.position, situation.player, most),
        "the player wins within so many turns of their own, whatever the others do",
    ),
    "event": Predicate(_is_event, _event, "such events happened, by the player's actions unless `by` says otherwise"),
    "next_event": Predicate(_is_event, _next_event, "the mover has a turn that causes such events"),
    "pieces": Predicate(_is_pieces, _pieces, "so many such pieces stand on the board, or on these cells"),
    "turn_begins": Predicate(
        _is_true, lambda situation, _: not situation.position.turn_is_open, "no part of a turn has been played"
    ),
    "legal": Predicate(
        _is_bounds,
        lambda situation, bounds: _within(len(situation.position.legal_actions), bounds),
        "so many actions are legal",
    ),
    "tally": Predicate(_is_bounds, _tally, "the player's number that is drawn through the game"),
    "ahead": Predicate(_is_bounds, _ahead, "by how much the player is ahead of the best other one in that number"),
    "actions": Predicate(
        _is_texts,
        lambda situation, listed: bool(situation.own) and situation.own[-1] in listed,
        "the player's last action is one of these",
    ),
    "legal_action": Predicate(
        _is_texts,
        lambda situation, listed: set(listed) <= {str(one) for one in situation.position.legal_actions},
        "all these actions are legal here",
    ),
    "table": Predicate(_is_table, _table, "a new table of this game has these takebacks, or this preset; for claims"),
}
