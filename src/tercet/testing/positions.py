"""Checks of everything public of one position: strings, actions, refusals, events, outcome, view, what is optional."""

from __future__ import annotations

import json
import random

import numpy as np

from tercet.core.game import Action, Game, Position
from tercet.core.presentation import action_cells, position_view, table_view
from tercet.core.view import to_json
from tercet.errors import IllegalAction, NotOffered, TercetError
from tercet.play.ratings import why_unrated


def check_position(position: Position, rng: random.Random) -> None:
    """Check everything public of one position: strings, actions, refusals, events, outcome, view."""
    game = position.game
    text = str(position)
    assert text == text.strip() and "\n" not in text
    again = game.parse(text)
    assert again.game == game, f"{text} is read as another game"
    assert again.without_history() == position.without_history(), f"{text} is read as {again}"
    assert hash(again.without_history()) == hash(position.without_history())
    legal = position.legal_actions
    texts = [str(action) for action in legal]
    assert len(set(texts)) == len(texts) == len(legal), "two actions have the same notation"
    for action in legal if len(legal) < 60 else rng.sample(list(legal), 60):
        assert action in legal and str(action) in legal
        assert position.action(str(action)) == action, f"{action} is read as another action"
    _check_refusals(position, rng)
    before = position.key()
    outcome = position.outcome
    if position.is_over:
        assert outcome is not None and outcome.reason and position.mover is None
    else:
        assert outcome is None
        chosen = rng.choice(list(legal))
        steps = next(path.steps for path in game.definition.view.paths(position) if path.action == str(chosen))
        events = position.transition(chosen).events
        assert events, "an action without events"
        assert all(event.says for event in events)
        declared = game.definition.events
        assert not declared or all(event.kind in declared for event in events), "an event that is not declared"
        cells = [step for step in steps if not step.startswith("#")]
        assert action_cells(events) == cells, "the first event with cells is not where the action was made"
        attempt = game.definition.attempt
        assert attempt is None or not cells or attempt(position, steps) == str(chosen), "another action is explained"
        following = position.play(chosen)
        assert position.key() == before, "play changed the position it was asked of"
        assert following != position
    shown = position_view(position)
    json.dumps([shown, table_view(game), to_json(game.definition.view.rules_page(game))])
    names = set(game.board.names)
    picks = {f"#{pick.id}" for pick in game.definition.view.picks(game)}
    assert {path[0] for path in shown["paths"]} == set(texts), "the page cannot enter every legal action"
    ways = [tuple(path[1]) for path in shown["paths"]]
    assert len(set(ways)) == len(ways), "two actions are entered in the same way"
    for step in {step for way in ways for step in way}:
        assert step in names or step in picks, f"the page has no {step}"
    check_gestures(position)
    if rng.random() < 0.25:  # an exploration may search for half a second
        check_explorations(position, rng)
    check_abilities(position)


def _check_refusals(position: Position, rng: random.Random) -> None:
    """Actions that are not legal, or that there are not, are refused, and the position stays as it is."""
    before, actions, legal = position.key(), position.game.rules.actions, position.legal_actions
    for number in (*(rng.randrange(actions) for _ in range(20)), -1, actions, 1 << 40):
        if number in range(actions) and position.allows(number):
            continue
        try:
            position.play(number)
        except IllegalAction as error:
            assert error.why, "no reason is given"
        else:
            raise AssertionError(f"The action {number} is illegal or does not exist, but it was played.")
        assert Action(number, position) not in legal
    assert position.key() == before, "a refused action changed the position"


def check_abilities(position: Position) -> None:
    """Check that each declared ability works on the position, and that the others answer None or NotOffered."""
    game, definition, before = position.game, position.game.definition, position.key()
    tally, margins = position.tally, position.margins
    if definition.tally is None:
        assert tally is None and margins is None
    else:
        assert definition.tally.title and tally is not None and len(tally) == len(game.players)
        assert margins is None or (len(margins) == len(tally) and sum(margin > 0 for margin in margins) <= 1)
    if definition.turn_is_open is None or position.is_over:
        assert not position.turn_is_open
    assert isinstance(position.note, str)
    for action in position.legal_actions[:5]:
        assert position.short_text(action)
    assert len(definition.facing) in (0, len(game.players))
    quick = definition.quick_start
    for options in (quick.options, *(step.options for step in quick.ladder)):
        Game(definition, options)
    assert quick.level > 0 and (quick.title or not quick.ladder) and definition.retractions >= 0
    for preset in definition.presets:
        assert len(Game(definition, preset.options, position.game.execution).players) > 0
        assert [other.id for other in definition.presets].count(preset.id) == 1
    assert definition.rated_preset in ("", *(preset.id for preset in definition.presets))
    if definition.rated_preset:
        assert why_unrated(Game(definition, definition.rated_options, position.game.execution)) is None
    assert definition.typical_turns > 0
    options = {option.name: option for option in definition.options}
    for name, values in (definition.rated or {}).items():
        assert all(options[name].read(value) == value for value in values), f"{name} cannot have all its rated values"
    assert "best-margin" not in definition.tournament_forms or definition.tally is not None
    _check_resignation(position)
    _check_agreement(position)
    assert position.key() == before, "asking changed the position"


def _check_resignation(position: Position) -> None:
    for player in range(len(position.game.players)):
        may = position.may_resign(player) and not position.is_over
        try:
            after = position.resign(player)
        except NotOffered:
            assert position.game.definition.resignation is None, "a declared resignation is not offered"
            assert position.may_resign(player), "no player is out of a game that knows no resignation"
        except IllegalAction as error:
            assert not may, error.why
        else:
            assert may, "a player who is out of the game resigned"
            assert after.is_over or not after.may_resign(player), "a player who resigned may resign again"
            assert after != position


def _check_agreement(position: Position) -> None:
    try:
        after = position.agree_draw()
    except NotOffered:
        assert position.game.definition.agreement is None, "a declared agreement is not offered"
    except IllegalAction as error:
        assert position.is_over, error.why
    else:
        ended = after.outcome
        assert ended is not None and (ended.is_draw or len(ended.winners) == 1)  # one may be left alone to agree


def check_gestures(position: Position) -> None:
    """Check that gestures, if the game offers any, are legal one after another."""
    game = position.game
    gestures = () if game.definition.gestures is None else game.definition.gestures(position)
    assert len({gesture.id for gesture in gestures}) == len(gestures), "two gestures have the same id"
    for gesture in gestures:
        assert gesture.trigger in ("button", "spot") and gesture.title and gesture.says
        assert set(game.board.names).issuperset(gesture.cells)
        assert gesture.actions, f"the gesture {gesture.id} does nothing"
        _check_line(position, gesture.actions)


def check_explorations(position: Position, rng: random.Random) -> None:
    """Check that explorations, if the game offers any, mark cells of the board and give lines that can be played."""
    game, explorations = position.game, position.game.definition.explorations
    if explorations is None:
        return
    names = set(game.board.names)
    for exploration in explorations.offered(game):
        cell = None if exploration.needs == "position" else rng.choice(game.board.names)
        found = explorations.explore(position, exploration.id, cell, 5)
        json.dumps(to_json(found))
        assert len(found.lines) <= 5
        for mark in found.marks:
            assert mark.cells and names.issuperset(mark.cells), f"{exploration.id} marks what is no cell"
        for line in found.lines:
            _check_line(position, line.actions)
        values = [line.value for line in found.lines]
        assert values == sorted(values, reverse=True), f"{exploration.id} has not the best first"


def _check_line(position: Position, actions: tuple[str, ...]) -> None:
    """Actions of one mover, legal one after another."""
    mover = position.mover
    for action in actions:
        assert position.mover == mover, f"{action} is another player's"
        assert str(position.action(action)) == action
        position = position.play(action)


def check_observation(compiled: Game, position: Position) -> None:
    """Check observation planes: their shape, finite, the same in both modes, whatever the memory held before."""
    slow = Game(compiled.definition, compiled.options, "interpreted")
    for player in range(len(compiled.players)):
        planes = position.observe(player)
        assert planes.shape == (len(compiled.rules.planes), len(compiled.board))
        assert planes.dtype == np.float32 and np.all(np.isfinite(planes))
        other = Position(slow, position.row.tolist()).observe(player)
        assert np.array_equal(planes, other)
        stale = np.full(planes.size, np.nan, np.float32)
        compiled.kernels.observe(compiled.data, position.row, player, stale)
        assert np.array_equal(planes.reshape(-1), stale), "observe does not write every entry"


def check_symmetries(position: Position) -> None:
    """Check that all images of a position have as many legal actions and the same canonical key."""
    images = position.images()
    assert position.without_history() in images, "a position is not among its own images"
    key = position.canonical_key()
    for image in images[:: max(1, len(images) // 6)]:
        assert len(image.legal_actions) == len(position.legal_actions)
        assert image.canonical_key() == key
        assert image.is_over == position.is_over


def check_foreign_text(position: Position, text: str) -> None:
    """Check that ``text`` is read as an action and a position that can be written back, or raises TercetError."""
    try:
        assert position.action(text) in position.legal_actions
    except TercetError as error:
        assert str(error)
    try:
        read = position.game.parse(text)
    except TercetError as error:
        assert str(error)
    else:
        assert read.game.parse(str(read)) == read
