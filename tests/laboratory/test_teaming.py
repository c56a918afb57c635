"""Who favours whom: planted pairs are found, honest players are not, whatever their strength and habits."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import tercet
from tercet.engines.politics import Shift
from tercet.laboratory import Arm, GameRow, Player
from tercet.laboratory.metrics import figures
from tercet.laboratory.storing import read_rows, rows_bytes
from tercet.laboratory.teaming import TRIALS, JudgedGame, chance, favours, suspicions
from tercet.record import Record
from tests.support.commands import run_command

NAMES = ("Ann", "Bob", "Cid")


def _game(chance: random.Random, favour: float = 0.0, habit: float = 0.0, noise: float = 0.05) -> JudgedGame:
    """Return a game in random seats: Ann and Bob favour each other; all have the ``habit`` to shift from leaders."""
    names = tuple(chance.sample(NAMES, 3))
    found = []
    for number in range(60):
        mover = number % 3
        leader = (mover + chance.randint(1, 2)) % 3
        taken = chance.gauss(habit, noise)
        if names[mover] != "Cid":
            taken += favour * (1 if names[leader] == "Cid" else -1)
        found.append(Shift(mover, leader, taken))
    return names, found


def test_who_favours_whom_is_found_within_twenty_games() -> None:
    dice = random.Random(1)
    found = suspicions([_game(dice, favour=0.02, habit=0.01) for _ in range(20)])
    assert found[0].players == ("Ann", "Bob")
    assert found[0].favour > 0.5
    assert [one.suspected for one in found] == [True, False, False]


@pytest.mark.parametrize("habit", [0.0, 0.03])
def test_of_those_who_favour_nobody_one_in_a_hundred_is_suspected(habit: float) -> None:
    dice, alarms, players = random.Random(2), 0, 0
    for _ in range(100):
        games = [_game(dice, habit=habit) for _ in range(20)]
        suspected = {name for one in suspicions(games) if one.suspected for name in one.players}
        alarms, players = alarms + len(suspected), players + 3
    assert alarms <= 9  # of 300: three are expected, ten or more come once in 1,000 times


def test_favours_to_one_are_taken_from_the_other_and_a_blunder_counts_no_more_than_the_bound() -> None:
    dice = random.Random(3)
    games = [_game(dice, favour=0.02) for _ in range(5)]
    for values in zip(*favours(games).values(), strict=True):
        assert sum(values) == pytest.approx(0)
    small = favours([(NAMES, [Shift(0, 1, 0.0), Shift(0, 2, 0.2)])])
    large = favours([(NAMES, [Shift(0, 1, 0.0), Shift(0, 2, 0.9)])])
    assert small == large
    # The chance is that of all signs.
    assert chance([1.0, 1.0, 1.0, 1.0]) == pytest.approx(1 / 16, abs=0.01)
    assert chance([1.0, -1.0]) == pytest.approx(0.75, abs=0.02)


def test_shifts_of_a_game_end_where_the_first_is_out(tmp_path: Path) -> None:
    ally, lone = Player("level:2", title="ally", spares="ally"), Player("level:2", title="lone")
    judge = Player("level:3", nodes=100)
    arm = Arm("triplicity", {}, (ally, ally, lone), judge=judge, shifts=True, fight="captured")
    (row,) = arm.play(0, 1)
    assert 10 < len(row.shifts) < len(row.moves)
    assert all(one.mover != one.leader and -1 <= one.taken <= 1 for one in row.shifts)
    (tmp_path / "rows").write_bytes(rows_bytes([row]))
    assert read_rows(tmp_path / "rows") == [row]


def test_a_study_says_how_soon_allies_are_known() -> None:
    dice = random.Random(4)
    ally, lone = Player("random", title="ally", spares="ally"), Player("random", title="lone")
    allies, honest = (Arm("triplicity", {}, players, fight="captured") for players in ((ally, ally, lone), (lone,) * 3))
    for arm, favour in ((allies, 0.02), (honest, 0.0)):
        rows = []
        for number in range(3 * max(TRIALS)):
            names, made = _game(dice, favour)
            rows.append(GameRow(number, tuple(map(NAMES.index, names)), (1.0, 0.0, 0.0), 60, "", shifts=tuple(made)))
        found = {figure.name.removeprefix("teaming."): figure.estimate for figure in figures(["teaming"], rows, arm)}
        assert (found["favour"].low > 0.5) == (arm is allies)
        assert found["false alarms after 20 games"].mean == 0
        assert found["false alarms after 20 games"].count == 3
        assert ("known after 20 games" in found) == (arm is allies)
    assert found["favour"].low < 0 < found["favour"].high


def test_the_command_reads_records_with_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, texts = tercet.game("triplicity"), []
    for number, names in enumerate([("Ann", "Bob", "Cid"), ("Bob", "Cid", "Ann"), ("", "", "")]):
        record, dice = Record.from_actions(game), random.Random(number)
        node = record.root
        for _ in range(12):
            node = node.play(dice.choice(node.position.legal_actions))
        record.headers |= {seat: name for seat, name in zip(game.players, names, strict=True) if name}
        texts.append(record.write())
    file = tmp_path / "three.games"
    file.write_text("\n\n".join(texts), encoding="utf-8")
    code, out, _ = run_command(capsys, "lab", "teaming", str(file), "--nodes", "50", "--json")
    assert code == 0
    assert [(one["games"], one["suspected"]) for one in json.loads(out)] == [(2, False)] * 3
    assert "1 game was left out" in run_command(capsys, "lab", "teaming", str(file), "--nodes", "50")[1]
    file.write_text('[Game "sanqi"]\n\n*\n', encoding="utf-8")
    code, _, error = run_command(capsys, "lab", "teaming", str(file))
    assert (code, "names three players" in error) == (2, True)
