"""What happens at a table and is no action: resignations, draws and retractions in records."""

import random

import pytest

import tercet
from tercet import IllegalAction, ParseError, Position, Record, read

HEAD = '[Game "triplicity"]\n\n'


def line(count: int, seed: int = 1) -> list[str]:
    """The first actions of a random game of Triplicity."""
    rng, position, found = random.Random(seed), tercet.game("triplicity").start(), []
    for _ in range(count):
        found.append(str(rng.choice(position.legal_actions)))
        position = position.play(found[-1])
    return found


def after(actions: list[str]) -> Position:
    position = tercet.game("triplicity").start()
    for action in actions:
        position = position.play(action)
    return position


def test_a_retraction_takes_back_the_last_turn() -> None:
    a, b, c = line(3)
    record = Record.from_actions(tercet.game("triplicity"), None, [a, b, c, "retract"])
    assert record.end == after([a, b])
    assert record.last.effective_line() == (after([]), [a, b])
    again = read(record.write())[0]
    assert again.moves() == [a, b, c, "retract"]
    assert again.end == record.end
    assert again.write() == record.write()


def test_a_retraction_of_an_earlier_turn_takes_the_others_with_it() -> None:
    a, b, c = line(3)
    record = Record.from_actions(tercet.game("triplicity"), None, [a, b, c, "retract=White", a, b, "retract=Black"])
    assert record.end == after([a])
    node = record.last.play("retract=White")
    assert node.action_text == "retract"  # whose turn was last need not be named
    assert node.position == after([])
    with pytest.raises(IllegalAction, match="no turn to take back"):
        node.play("retract")
    with pytest.raises(IllegalAction, match="no turn to take back"):
        record.root.play(a).play("retract=Red")


def test_ten_retractions_each() -> None:
    a = line(1)[0]
    node = Record.from_actions(tercet.game("triplicity")).root
    for _ in range(10):
        node = node.play(a).play("retract")
    with pytest.raises(IllegalAction, match="White has already taken back 10 times"):
        node.play(a).play("retract")


def test_a_resignation_is_not_taken_back() -> None:
    a, b = line(2)
    record = Record.from_actions(tercet.game("triplicity"), None, [a, b, "resign"])
    for token in ("retract", "retract=White"):
        with pytest.raises(IllegalAction, match="cannot be taken back"):
            record.last.play(token)
    start, moves = record.last.effective_line()
    assert moves == []
    assert start == record.end


def test_a_draw_is_offered_and_agreed() -> None:
    a, b, c = line(3)
    record = Record.from_actions(
        tercet.game("triplicity"), None, [a, "draw?", b, "draw?=White", c, "draw"], {"White": "Ann"}
    )
    outcome = record.end.outcome
    assert outcome is not None
    assert outcome.reason == "agreement"
    text = record.write()
    assert text.rstrip().endswith("draw 1/3-1/3-1/3")
    assert f"1... draw? {b}" in text  # an offer belongs to the turn
    again = read(text)[0]
    assert again.write() == text
    assert again.last.parent is not None
    assert again.last.parent.effective_line() == (after([]), [a, b, c])


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
    with pytest.raises(ParseError, match=why):
        read(HEAD + moves)


def test_other_games_write_the_result() -> None:
    with pytest.raises(IllegalAction, match="Write the result"):
        Record.from_actions(tercet.game("sanqi", side=4), None, ["draw"])
    record = Record.from_actions(tercet.game("sanqi", side=4), None, ["Rd4", "retract", "Yd4"])
    assert record.last.effective_line()[1] == ["Yd4"]


def test_a_turn_of_several_actions_is_retracted_whole() -> None:
    text = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
    start = tercet.parse(text)
    record = Record.from_actions(start.game, start, ["b3=R", "c3=G", "b2=G", "retract"])
    assert record.end == start
    assert read(record.write())[0].end == start


def test_tokens_are_told_on_request() -> None:
    rng, position, actions = random.Random(3), tercet.game("triplicity").start(), []
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
