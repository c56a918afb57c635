"""``tercet stats`` and ``tercet solve``."""

import json
from itertools import chain

import pytest

import tercet
from tercet.laboratory import Arm, players, summary
from tests.support.commands import run_command
from tests.support.play import play


@pytest.mark.thorough  # compiles the solver
def test_solve_prints_a_line_that_fills_the_board(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_command(capsys, "solve", "sparklies", "--board", "4x4", "--seed", "1")
    assert code == 0
    lines = out.splitlines()
    position = tercet.parse(lines[0])
    turns = [line.split(". ")[1].split() for line in lines if line[0].isdigit() and ". " in line[:4]]
    assert play(position, *chain.from_iterable(turns)).is_over
    assert f"{len(turns)} turns: no fewer can do it" in lines


def test_solve_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_command(capsys, "solve", "sparklies", "--board", "8x8", "--seconds", "0.3", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["low"] <= told["high"] == len(told["line"])
    assert not told["proven"]


def test_stats_of_random_play(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--ruleset", "speed", "--board", "5x5", "--games", "30", "--json")
    code, out, _ = run_command(capsys, "stats", "sparklies", *words)
    assert code == 0
    told = json.loads(out)
    assert told["games"] == 30
    assert told["gained"]["low"] < told["gained"]["mean"] < told["gained"]["high"]
    assert told["actions"]["mean"] == pytest.approx(2 * told["turns"]["mean"])
    assert sum(share["mean"] for share in told["shares"].values()) == pytest.approx(1, abs=1e-3)
    assert sum(held["mean"] for held in told["held"].values()) == pytest.approx(25)


def test_figures_add_up() -> None:
    for row in Arm("sparklies", {"board": "4x4", "players": 3}, players("random")).run(10):
        counts = row.counts
        filled = [cells for third in counts["filled"].values() for cells in third]
        assert len(counts["gained"]) == len(filled) == len(counts["pings"]) == counts["turns"]
        assert all(gained >= 1 for gained in counts["gained"])
        assert sum(counts["held"]) == sum(filled) == 16
        assert sum(counts["pings"]) >= counts["turns"]


def test_a_duel_is_counted_by_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    game = tercet.game("sparklies", board="3x3", mode="duel")
    rows = Arm("sparklies", dict(game.options), players("random")).run(10)
    for row in rows:
        counts = row.counts
        assert 1 <= counts["turns"] <= 5, "each round takes two cells of nine or more"
        assert sum(sum(third) for third in counts["filled"].values()) == sum(counts["held"]) == 9
        assert 0 < sum(counts["pings"]) <= row.actions
    assert summary(game, rows)["turns"]["mean"] == sum(row.counts["turns"] for row in rows) / 10
    code, out, _ = run_command(capsys, "stats", "sparklies", "--board", "3x3", "--mode", "duel", "--games", "3")
    assert code == 0
    assert "rounds a game" in out
    assert "turns a game" not in out


def test_engines_may_play_and_take_turns_in_the_seats(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("stats", "sparklies", "--board", "3x3", "--engine", "random", "--engine", "level:3", "--games", "5")
    code, out, _ = run_command(capsys, *words, "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["games"], told["engine"]) == (6, "random, level:3")
    assert told["engines"]["random"]["mean"] + told["engines"]["level:3"]["mean"] == pytest.approx(1, abs=1e-3)
    words = ("stats", "sparklies", "--board", "5x5", "--games", "2", "--engine", "level:2", "--nodes", "500")
    code, out, _ = run_command(capsys, *words)
    assert code == 0
    assert "cells gained a turn" in out
