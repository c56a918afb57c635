"""Annotated games: every sentence is true."""

import re

import pytest

import tercet
from tercet.core.abilities.play import Sample
from tercet.games import game_definition
from tercet.record import Node, annotate

ANNOTATED = [
    (name, sample)
    for name in tercet.games()
    for sample in game_definition(name).samples
    if sample.id.startswith("engines-")
]


def wins(position: tercet.Position) -> set[str]:
    """Actions after which the mover has won the game."""
    won = set()
    for action in position.legal_actions:
        outcome = position.play(action).outcome
        if outcome is not None and outcome.winners == (position.mover,):
            won.add(str(action))
    return won


def check_named(named: str, more: str | None, right: set[str]) -> None:
    listed = named.split(", ")
    assert set(listed) <= right
    assert len(listed) + int(more or 0) == len(right)


def keeping(node: Node) -> set[str]:
    """The answers after which the player who moved to ``node`` has not won and cannot at once."""
    assert node.parent is not None
    player = node.parent.position.mover
    return {
        str(answer)
        for answer in node.position.legal_actions
        if (after := node.position.play(answer))
        and not (
            wins(after) if after.mover == player else after.outcome is not None and after.outcome.winners == (player,)
        )
    }


def check(node: Node, sentence: str) -> str:
    """Check one sentence of an annotation against the rules; what kind it is."""
    assert node.parent is not None
    before, after = node.parent.position, node.position
    if match := re.fullmatch(r"Misses a win at once: (.*?)(?: and (\d+) more)?\.", sentence):
        check_named(match[1], match[2], wins(before))
        return "missed"
    if match := re.fullmatch(r"Leaves a win at once: (.*?)(?: and (\d+) more)?\.", sentence):
        assert after.mover != before.mover
        check_named(match[1], match[2], wins(after))
        return "left"
    if match := re.fullmatch(r"Whatever (\w+) answers, (\w+) wins on the next turn\.", sentence):
        assert (after.game.players.index(match[1]), after.game.players.index(match[2])) == (after.mover, before.mover)
        assert not wins(after)
        assert not keeping(node)
        return "won"
    if match := re.fullmatch(r"Of (\d+) answers (\d+) keeps? (\w+) from winning at once(?:: (.*))?\.", sentence):
        assert after.game.players.index(match[3]) == before.mover
        safe = keeping(node)
        assert (int(match[1]), int(match[2])) == (len(after.legal_actions), len(safe))
        assert match[4] is None or set(match[4].split(", ")) == safe
        return "threat"
    if match := re.fullmatch(r"(\w+) now leads in ([a-z ]+): (.*)\.", sentence):
        assert after.tally is not None
        counts = [float(part.rsplit(" ", 1)[1]) for part in match[3].split(", ")]
        assert counts == list(after.tally)
        assert counts.count(max(counts)) == 1
        assert after.game.players[counts.index(max(counts))] == match[1]
        return "lead"
    assert sentence in [event.says for event in before.transition(node.action_text or "").events]
    return "event"


# What `tests/contract/test_sample_comments.py` proves.
PROVED = re.compile(
    r"\w+ (now wins|misses a win) by force in \d+ turns\.|Better: no win by force is found then\."
    r"|Whatever \w+ answers, \w+ wins by force in at most \d+ turns\."
    r"|It could be taken back by [^.]*\.|No one can take it back\.|\w+'s last king could not be taken here\."
    r"|\w+ had \d+ moves that would have kept the king, such as \S+\."
)


def sentences(node: Node) -> list[str]:
    return re.findall(r"[^.]+\.", node.comment.replace(". ", "."))


@pytest.mark.parametrize(("name", "sample"), ANNOTATED, ids=[f"{name} {sample.id}" for name, sample in ANNOTATED])
def test_every_sentence_of_a_sample_is_true(name: str, sample: Sample) -> None:
    (record,) = tercet.read(sample.text)
    kinds = {
        check(node, sentence)
        for node in record.main()
        for sentence in sentences(node)
        if not PROVED.fullmatch(sentence)
    }
    assert {"threat", "won", "event"} <= kinds if name == "sanqi" else {"event", "lead"} <= kinds


def test_each_game_but_the_designers_own_has_three() -> None:
    assert {name: sum(other == name for other, _ in ANNOTATED) for name in ("sanqi", "triplicity")} == {
        "sanqi": 3,
        "triplicity": 3,
    }


def test_a_win_that_is_missed_is_named_and_comments_are_kept() -> None:
    (record,) = tercet.read(game_definition("sanqi").samples[0].text)
    before = record.last.parent
    assert before is not None
    before.variations.clear()
    missing = before.play(
        next(str(action) for action in before.position.legal_actions if str(action) not in wins(before.position))
    )
    missing.comment = "Mine."
    for node in record.main():
        if node is not missing:
            node.comment = ""
    annotate(record)
    first, *others = sentences(missing)
    assert first == "Mine."
    assert "missed" in {check(missing, sentence) for sentence in others}
