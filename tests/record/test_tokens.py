"""What happens at a table and is no action (resignations, draws, retractions) in records, and annotated games."""

import random
import re

import pytest

import tercet
from tercet import IllegalAction, ParseError, Position, Record, read
from tercet.core.abilities.play import Sample
from tercet.games import game_definition
from tercet.record import Node, annotate
from tests.support.play import play, random_actions
from tests.support.present import present
from tests.support.refusals import refuses

TRIPLICITY = tercet.game("triplicity")
HEAD = '[Game "triplicity"]\n\n'


def line(count: int, seed: int = 1) -> list[str]:
    """The first actions of a random game of Triplicity."""
    return random_actions(TRIPLICITY.start(), seed, count)


def after(actions: list[str]) -> Position:
    return play(TRIPLICITY.start(), *actions)


def test_a_retraction_takes_back_the_last_turn() -> None:
    a, b, c = line(3)
    record = Record.from_actions(TRIPLICITY, None, [a, b, c, "retract"])
    assert record.end == after([a, b])
    assert record.last.effective_line() == (after([]), [a, b])
    again = read(record.write())[0]
    assert (again.moves(), again.end) == ([a, b, c, "retract"], record.end)
    assert again.write() == record.write()
    # A retraction of an earlier turn takes the others with it.
    a, b, c = line(3)
    record = Record.from_actions(TRIPLICITY, None, [a, b, c, "retract=White", a, b, "retract=Black"])
    assert record.end == after([a])
    node = record.last.play("retract=White")
    assert node.action_text == "retract"  # whose turn was last need not be named
    assert node.position == after([])
    refuses(IllegalAction, "no turn to take back", node.play, "retract")
    refuses(IllegalAction, "no turn to take back", record.root.play(a).play, "retract=Red")
    # A turn of several actions is retracted whole.
    start = tercet.parse("sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0")
    record = Record.from_actions(start.game, start, ["b3=R", "c3=G", "b2=G", "retract"])
    assert (record.end, read(record.write())[0].end) == (start, start)


def test_ten_retractions_each_and_none_of_a_resignation() -> None:
    a = line(1)[0]
    node = Record.from_actions(TRIPLICITY).root
    for _ in range(10):
        node = node.play(a).play("retract")
    refuses(IllegalAction, "White has already taken back 10 times", node.play(a).play, "retract")
    a, b = line(2)
    record = Record.from_actions(TRIPLICITY, None, [a, b, "resign"])
    for token in ("retract", "retract=White"):
        refuses(IllegalAction, "cannot be taken back", record.last.play, token)
    assert record.last.effective_line() == (record.end, [])


def test_a_draw_is_offered_and_agreed() -> None:
    a, b, c = line(3)
    record = Record.from_actions(TRIPLICITY, None, [a, "draw?", b, "draw?=White", c, "draw"], {"White": "Ann"})
    assert present(record.end.outcome).reason == "agreement"
    text = record.write()
    assert text.rstrip().endswith("draw 1/3-1/3-1/3")
    assert f"1... draw? {b}" in text  # an offer belongs to the turn
    again = read(text)[0]
    assert again.write() == text
    assert present(again.last.parent).effective_line() == (after([]), [a, b, c])


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ("1. draw=Red *", "All players who are left agree"),
        ("1. draw?=Blue *", "The player must be one of"),
        ("1. resign 2. draw?=White *", "out of the game"),
        ("1. draw 2. draw 1/3-1/3-1/3", "over"),
        ("1. retract *", "no turn to take back"),
    ],
)
def test_tokens_that_make_no_sense(moves: str, why: str) -> None:
    refuses(ParseError, why, read, HEAD + moves)


def test_other_games_write_the_result() -> None:
    refuses(IllegalAction, "Write the result", Record.from_actions, tercet.game("sanqi", side=4), None, ["draw"])
    record = Record.from_actions(tercet.game("sanqi", side=4), None, ["Rd4", "retract", "Yd4"])
    assert record.last.effective_line()[1] == ["Yd4"]


def test_tokens_are_told_on_request() -> None:
    rng, position, actions = random.Random(3), TRIPLICITY.start(), []
    for _ in range(60):
        legal = list(position.legal_actions)
        actions.append(rng.choice([one for one in legal if "x" in str(one)] or legal))
        position = position.play(actions[-1])
    record = Record.from_actions(position.game, None, actions)
    assert "{coins" not in record.write()
    noted = record.write(notes=True)
    told = [word for word in noted.replace("\n", " ").split("{") if word.startswith("coins ")]
    assert told
    assert told[-1].split("}")[0] == "coins " + ",".join(str(position).split()[3].split(","))
    assert read(noted)[0].end == position


SAMPLES = [(name, sample) for name in tercet.games() for sample in game_definition(name).samples]
ANNOTATED = [(name, sample) for name, sample in SAMPLES if sample.id.startswith("engines-")]


def wins(position: tercet.Position) -> set[str]:
    ends = {str(action): position.play(action).outcome for action in position.legal_actions}
    return {action for action, outcome in ends.items() if outcome and outcome.winners == (position.mover,)}


def check_named(named: str, more: str | None, right: set[str]) -> None:
    listed = named.split(", ")
    assert set(listed) <= right
    assert len(listed) + int(more or 0) == len(right)


def keeping(node: Node) -> set[str]:
    """The answers after which the player who moved to ``node`` has not won and cannot at once."""
    player = present(node.parent).position.mover
    return {
        str(answer)
        for answer in node.position.legal_actions
        if (after := node.position.play(answer))
        and not (wins(after) if after.mover == player else after.outcome and after.outcome.winners == (player,))
    }


def check(node: Node, sentence: str) -> str:
    """Check one sentence of an annotation against the rules; what kind it is."""
    before, after = present(node.parent).position, node.position
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
    said = [(node, sentence) for node in record.main() for sentence in sentences(node)]
    kinds = {check(node, sentence) for node, sentence in said if not PROVED.fullmatch(sentence)}
    assert {"threat", "won", "event"} <= kinds if name == "sanqi" else {"event", "lead"} <= kinds


def test_each_game_but_the_designers_own_has_three() -> None:
    assert [sum(other == name for other, _ in ANNOTATED) for name in ("sanqi", "triplicity")] == [3, 3]


def test_a_win_that_is_missed_is_named_and_comments_are_kept() -> None:
    (record,) = tercet.read(game_definition("sanqi").samples[0].text)
    before = present(record.last.parent)
    before.variations.clear()
    missing = before.play(min({str(action) for action in before.position.legal_actions} - wins(before.position)))
    for node in record.main():
        node.comment = "Mine." if node is missing else ""
    annotate(record)
    first, *others = sentences(missing)
    assert first == "Mine."
    assert "missed" in {check(missing, sentence) for sentence in others}
