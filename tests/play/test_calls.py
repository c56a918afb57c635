"""A click is handled once: how often the rules are asked on the way from a command to the session after it."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import tercet
from tercet.play.session import PlayAction, Seat, Session, TableSettings


class Counted:
    """Whatever it stands for, with the calls of its functions counted by name. What they call themselves of what is
    counted does not count: how a game's notation finds out what is meant is its own affair."""

    inside = False

    def __init__(self, original: Any, calls: Counter[str]) -> None:
        self._original = original
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._original, name)
        if not callable(found):
            return found

        def counted(*arguments: Any) -> Any:
            if Counted.inside:
                return found(*arguments)
            self._calls[name] += 1
            Counted.inside = True
            try:
                return found(*arguments)
            finally:
                Counted.inside = False

        return counted


@pytest.fixture
def count() -> Iterator[Callable[[Session], Counter[str]]]:
    """Counts what a session's game is asked from now on."""
    undo: list[Callable[[], None]] = []

    def begin(session: Session) -> Counter[str]:
        calls: Counter[str] = Counter()
        game = session.game
        kept = game.definition, game.kernels, game.follow
        undo.append(lambda: game.__dict__.update(zip(("definition", "kernels", "follow"), kept, strict=True)))
        definition = game.definition
        short = definition.short_text and Counted(SimpleNamespace(short_text=definition.short_text), calls).short_text
        game.definition = replace(definition, notation=Counted(definition.notation, calls), short_text=short)
        game.kernels = Counted(game.kernels, calls)  # type: ignore[assignment]
        game.follow = Counted(SimpleNamespace(follow=game.follow), calls).follow
        return calls

    yield begin
    for back in undo:
        back()


@pytest.mark.parametrize("name", tercet.games())
def test_an_action_is_read_checked_and_applied_once(name: str, count: Callable[[Session], Counter[str]]) -> None:
    seats = (Seat("person"),) * len(tercet.game(name).players)
    session = Session.open(TableSettings(name, {}, seats, seed=3))
    everybody = frozenset(range(len(seats)))
    texts = [str(session.position.legal_actions[0])]
    for _ in range(5):
        calls = count(session)
        command = PlayAction(everybody, session.ply, texts[0])
        ((event, after),) = session.apply(command)
        asked = {what: calls[what] for what in ("parse_action", "allows", "apply", "follow")}
        assert asked == {"parse_action": 1, "allows": 1, "apply": 1, "follow": 0}
        assert calls["action_text"] <= 2, "canonical notation, and the short form where it is made of that"
        assert event.data["action"] == after.played[-1].text
        assert session.after(event) == after, "a replay comes to the same"
        session = after
        texts = [str(session.position.legal_actions[0])]


def test_a_turn_of_several_actions_asks_as_often_for_each(count: Callable[[Session], Counter[str]]) -> None:
    text = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
    options = {"board": "4x4", "ruleset": "subtle"}
    session = Session.open(TableSettings("sparklies", options, (Seat("person"), Seat("person")), position=text))
    calls = count(session)
    steps = session.apply(PlayAction(frozenset({0}), 0, "b3=R", ("c3=B", "b2=B", "b3=B", "c2=B")))
    assert len(steps) == 5
    assert [calls[what] for what in ("parse_action", "allows", "apply", "follow")] == [5, 5, 5, 0]
    for one, other in itertools.pairwise([session, *(step.after for step in steps)]):
        assert other.ply == one.ply + 1
