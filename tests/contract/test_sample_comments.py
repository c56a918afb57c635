"""The records that ship with the games, and what their comments say of wins, of taking back and of kings."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import tercet
from tercet.core.abilities.play import Sample
from tercet.core.game import Game, Position
from tercet.games import game_definition
from tercet.games.triplicity.findings import threats
from tercet.record import Node
from tests.support.present import present

HAD = re.compile(r"(\w+) had (\d+) moves that would have kept the king, such as (\S+)\.")
SAMPLES = [(name, sample) for name in tercet.games() for sample in game_definition(name).samples]


def prover_of(game: Game) -> Any:
    return present(game.definition.engine.make_prover)(game)


kept_prover_of = cache(prover_of)


def check_win(position: Position, who: str, turns: str) -> None:
    win = kept_prover_of(position.game).prove(position, tries=200_000)
    assert position.game.players[position.mover or 0] == who
    assert win is not None, str(position)
    assert win.turns <= int(turns)


def commented(sample: Sample) -> Iterator[Node]:
    (record,) = tercet.read(sample.text)
    waiting = [record.root]
    while waiting:
        node = waiting.pop()
        waiting += node.variations
        if node.comment and node.action_text is not None:
            yield node


@pytest.mark.parametrize(("name", "sample"), SAMPLES, ids=[f"{name} {sample.id}" for name, sample in SAMPLES])
def test_what_is_said_of_wins_is_so(name: str, sample: Sample) -> None:
    for node in commented(sample):
        position = node.position
        for who, how, turns in re.findall(r"(\w+) (now wins|misses a win) by force in (\d+) turns\.", node.comment):
            check_win(position if how == "now wins" else present(node.parent).position, who, turns)
        for who, turns in re.findall(r"Whatever \w+ answers, (\w+) wins by force in at most (\d+) t", node.comment):
            for answer in position.legal_actions:
                check_win(position.play(answer), who, turns)
        if "Better: no win by force is found then." in node.comment:
            assert prover_of(position.game).prove(position, tries=5_000) is None
        if re.fullmatch(r"\w+ wins\.", node.comment):
            winners = [f"{position.game.players[seat]} wins." for seat in present(position.outcome).winners]
            assert winners == [node.comment]


@pytest.mark.parametrize("sample", game_definition("triplicity").samples, ids=lambda sample: sample.id)
def test_who_could_take_back_and_what_would_have_kept_a_king(sample: Sample) -> None:
    count = 0
    for node in commented(sample):
        found = re.search(r"It could be taken back by ([^.]*)\.|No one can take it back\.", node.comment)
        if found:
            assert node.parent is not None
            events = node.parent.position.transition(node.action_text or "").events
            captured = next(event for event in events if event.kind == "captured")
            game, row = node.position.game, node.position.row
            takers = {game.board.names[at] for at in threats(game, row, game.board.index[captured.cells[0]])}
            assert set(re.findall(r" on (\w+)", found[1] or "")) == takers
            count += 1
        for who in re.findall(r"(\w+)'s last king could not be taken here\.", node.comment):
            assert not falls(node.position, node.position.game.players.index(who))
            count += 1
    assert count


def falls(position: Position, player: int) -> bool:
    """Whether an action now takes this player's last king."""
    return any(
        event.kind == "vanquished" and event.data["player"] == player
        for action in position.legal_actions
        for event in position.transition(action).events
    )


def keeps(position: Position, answers: list[str], player: int) -> bool:
    """Whether the player's king can be taken neither now nor after the answers that were given in the game."""
    for text in answers:
        if text not in map(str, position.legal_actions):
            return False
        position = position.play(text)
    return not falls(position, player)


@pytest.mark.parametrize("sample", game_definition("triplicity").samples, ids=lambda sample: sample.id)
def test_the_moves_that_would_have_kept_a_king_are_counted(sample: Sample) -> None:
    (record,) = tercet.read(sample.text)
    (told,) = (node for node in record.main() if HAD.search(node.comment))
    found = present(HAD.search(told.comment))
    player = told.position.game.players.index(found[1])
    answers: list[str] = []
    node = told
    assert node.parent is not None
    while (node := node.parent).parent is not None and node.parent.position.mover != player:
        answers.insert(0, node.action_text or "")
    last = present(node.parent).position
    kept = [str(action) for action in last.legal_actions if keeps(last.play(action), answers, player)]
    assert len(kept) == int(found[2])
    assert found[3] in kept


@pytest.mark.parametrize(("name", "sample"), SAMPLES, ids=[f"{name} {sample.id}" for name, sample in SAMPLES])
def test_a_sample_is_one_whole_annotated_game(name: str, sample: Sample) -> None:
    (record,) = tercet.read(sample.text)
    assert record.game.name == name
    assert record.end.is_over
    assert record.write() == sample.text
    assert any(node.comment for node in record.main())
    assert [one.id for one in game_definition(name).samples].count(sample.id) == 1
