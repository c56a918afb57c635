"""The command line: what it prints, what it refuses, and that it says so in one line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

import tercet
from tercet.cli.app import all_commands, split
from tercet.record import Node
from tests.cli.conftest import Run
from tests.support.division import online_but
from tests.support.present import lacking

HEAD = '[Game "sanqi"]\n[Options "side=4"]\n\n'


def test_words_of_a_game() -> None:
    words, options = split(["sanqi", "--side", "6", "3", "stalemate=loss", "--max-pings=0"])
    assert (words, options) == (["sanqi", "3"], {"side": "6", "stalemate": "loss", "max_pings": "0"})
    assert split(["--side", "--vs"])[1] == {"side": None, "vs": None}
    with pytest.raises(tercet.OptionError, match="twice"):
        split(["--side", "4", "side=5"])


@pytest.mark.parametrize("words", [["sanqi", "2", "--side", "4"], ["--side=4", "sanqi", "2"], ["sanqi", "2", "side=4"]])
def test_perft(run: Run, words: list[str]) -> None:
    for mode in ("compiled", "interpreted"):
        assert run("perft", *words, "--execution", mode)[:2] == (0, "nodes 11988\n")
    answer = json.loads(run("perft", *words, "--divide", "--json")[1])
    assert answer["nodes"] == sum(answer["divide"].values()) == 11988
    lines = run("perft", "sanqi", "1", "--divide", "--position", "sanqi/4 4/5/6/3R3/6/5/4 S d4")[1].splitlines()
    assert (lines[-1], len(lines), "Ra4 1" in lines) == ("nodes 108", 109, True)
    assert run("perft", "sanqi", "0")[1] == "nodes 1\n"
    said = run("ugi", given="ugi\nisready\ngame sanqi side=4\nperft 2\nquit\n")[1]
    assert not lacking(said, "ugiok", "nodes 11988")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["perft", "sanqi"], "a game and a depth"),
        (["perft", "sanqi", "x"], "depth"),
        (["perft", "chess", "2"], "no game 'chess'"),
        (["perft", "sanqi", "2", "--side", "99"], "must be at most"),
        (["perft", "sanqi", "2", "--sides", "4"], "has no option"),
        (["perft", "sanqi", "2", "--side"], "must have a value"),
        (["perft", "sanqi", "2", "--execution", "fast"], "must be compiled, interpreted or wasm"),
        (["perft", "sanqi", "2", "--position", "sanqi/4 x"], "four fields"),
        (["play", "sanqi", "--vs", "engine:99"], "level"),
        (["play", "sanqi", "--vs", "random", "--seat", "Third"], "seat"),
        (["play", "sanqi", "--vs", "random", "--vs", "random"], "Give one --vs for each other seat (1), not 2."),
        (["play", "sanqi", "--seat", "none"], "vs"),
        (["play"], "Name one game"),
        (["play", "sanqi", "--load", "no/such/file"], "No such file"),
        (["play", "sanqi", "--save", "no/such/folder/game.txt"], "There is no folder no/such/folder"),
        (["match", "random", "nobody"], "no engine"),
        (["match", "random", "random", "chess"], "no option"),
        (["match", "random", "random", "--sprt", "5"], "normalized Elo"),
        (["match", "random", "random", "--sprt", "10:0"], "normalized Elo"),
        (["draw", "no-such-file"], "neither a file nor a position string"),
        (["draw", "sanqi/xx"], "a position string, which begins with a game"),
        (["draw", "sanqi/4 x F -"], "rows"),
        (["draw", "sanqi/4 4/5/6/7/6/5/4 F -", "-o", "x.gif"], "end in .svg or .png"),
        (["draw", "sanqi/4 4/5/6/7/6/5/4 F -", "--size", "1"], "pixels"),
        (["record", "no-such-file"], "No such file"),
        (["record", "-", "--convert", "pgn"], "convert"),
        (["bench", "dance", "sanqi"], "playouts"),
        (["bench", "api", "sanqi", "--threads", "2"], "one thread"),
        (["games", "chess"], "no game"),
        (["rules", "chess"], "no game"),
        (["warm", "chess"], "no game"),
        (["nonsense"], "nonsense"),
        (["serve", "--port", "x"], "`tercet serve --help` shows what it takes."),
        (["play", "sanqi", "--movetime", "-1"], "--movetime"),
        (["play", "sanqi", "--position", "xx"], "A position of SanQi must begin with sanqi."),
        (["stats", "sanqi", "--records", __file__], "test_cli.py: line 1, column 1: The header Game is missing."),
        (["puzzle", "show", "none"], "`tercet puzzle list` lists them."),
        (["tournament", "random"], "at least 2 engines"),
        (["tournament", "random", "level:11"], "from 1 to 10"),
        (["tournament", "random", "random", "--form", "cup"], "round-robin, swiss"),
        (["tournament", "random", "random", "--form", "arena"], "An arena must have minutes"),
        (["tournament", "random", "random", "--form", "best-margin"], "round-robin, swiss, arena, not best-margin"),
        (["tournament", *["random"] * 3, "--game", "triplicity", "--form", "best-margin"], "tournaments of the form"),
        (["tournament", "random", "random", "--rounds", "3"], "by the number of players"),
        (["tournament", "random", "random", "--cycles", "9"], "1 to 4"),
        (["tournament", "random", "random", "--form", "swiss", "--cycles", "2"], "A round robin"),
        (["solve", "sanqi"], "Name a game that can be solved: sparklies"),
        (["solve", "sparklies", "--ruleset", "subtle"], "Only Speed can be solved"),
        (["solve", "sparklies", "--players", "2"], "Only a solitaire can be solved"),
        (["stats"], "Name one game of sanqi"),
        (["stats", "sparklies", *["--engine", "random"] * 3], "must have different names"),
        (["stats", "sparklies", "--board", "5x5", "--engine", "level:99"], "from 1 to 10, not 99"),
    ],
)
def test_errors_are_one_line(run: Run, arguments: list[str], why: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out, err.partition(" ")[0], err.count("\n")) == (2, "", "tercet:", 1)
    assert why in err


@pytest.mark.parametrize("group", ["puzzle", "lab"])
def test_a_group_without_a_command_prints_its_help(run: Run, group: str) -> None:
    code, out, err = run(group)
    assert (code, err) == (2, "")
    assert out.startswith(f"Usage: tercet {group} [OPTIONS] COMMAND")
    assert "\n  list " in out


def test_play_a_game_beside_a_friend(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    typed = ["help", "moves Rd", "Rd4", "Rd4", "Yc4", "undo", "Bc4", "flip", "position", "hint", f"save {path}"]
    typed += [f"save {tmp_path}/no/such/folder", "record", "nonsense", "resign", ""]
    code, out, _ = run("play", "sanqi", "--side", "4", given="\n".join(typed))
    told = ("Rd4: d4 is taken by Red", "No such file", "sanqi/4 4/5/6/2BR3/6/5/4 F c4", "First resigned. Second wins.")
    assert (code, lacking(out, *told)) == (0, [])
    assert tercet.read(path.read_text())[0].moves() == ["Rd4", "Bc4"]
    assert run("play", "--load", path, "--save", path, given="Bd3\nresign\n")[0] == 0
    record = tercet.read(path.read_text())[0]
    assert (record.moves(), record.result) == (["Rd4", "Bc4", "Bd3"], "1-0")
    assert record.headers["Reason"] == "resignation"


def test_play_to_the_end_against_engines_or_three(run: Run) -> None:
    _, out, _ = run("play", "--position", "sanqi/4 4/5/2RR2/2R4/2RR2/5/4 F -", given="Re4\n")
    assert out.rstrip().endswith("First wins with a circle.")
    assert "[R]" in out
    _, out, _ = run("play", "triplicity", given="resign\nundo\nresign\nrecord\nresign\n")
    assert "1. resign *" in out
    assert out.rstrip().splitlines()[-1].startswith("Red wins")
    engine = ("play", "sanqi", "--side", "4", "--vs", "random", "--seat")
    code, out, _ = run(*engine, "second", given="undo\nquit\n")
    assert (code, "First (random): " in out) == (0, True)
    code, out, _ = run(*engine, "none")
    assert (code, "wins" in out or "Drawn" in out) == (0, True)
    _, out, _ = run("play", "sanqi", "--side", "4", given="Rd4 Yd4\nposition\n")
    assert not lacking(out, "turn is over", "sanqi/4 4/5/6/7/6/5/4 F -")


def test_colour_can_be_off(tmp_path: Path) -> None:
    environment = {"PATH": "", "HOME": str(tmp_path), "NO_COLOR": "1", "TERCET_EXECUTION": "interpreted"}
    command = [sys.executable, "-m", "tercet", "play", "sanqi", "--side", "4"]
    found = subprocess.run(command, input="Rd4\n", capture_output=True, text=True, env=environment, check=True)
    assert "\x1b[3" not in found.stdout
    assert "[R]" in found.stdout


def test_help_imports_nothing_heavy_and_names_no_game() -> None:
    code = "import sys\nfrom tercet.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "print(sorted({'numpy', 'numba', 'fastapi', 'sqlalchemy', 'rich.console'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"
    # Which games there are is for `tercet games` to say.
    words = {name.lower() for name in tercet.games()} | {tercet.game(name).definition.title for name in tercet.games()}
    command: Any = typer.main.get_command(all_commands())
    for name, each in {"": command, **command.commands}.items():
        context = each.make_context(name, [], resilient_parsing=True)
        assert not [word for word in words if word in each.get_help(context)], name


def test_the_first_game_is_meant_where_none_is_named_and_others_say_how_they_are_written(run: Run) -> None:
    _, out, _ = run("match", "random", "random", "--games", "1", "--json")
    assert json.loads(out)["games"] == 1
    for words in (["play"], ["perft"], ["bench"]):
        assert f" {tercet.games()[0]}" in run(*words)[2], "an example names a game that there is"
    assert not lacking(run("games", "sparklies")[1], "positions also as save", "turns also as long")


def test_a_match_stops_when_it_is_decided(run: Run) -> None:
    words = ["match", "mcts", "random", "--nodes", "60", "--game", "sanqi", "--side", "4", "--sprt", "0:300"]
    answer = json.loads(run(*words, "--games", "400", "--json")[1])
    assert answer["sprt"] == "high"
    assert answer["llr"] > 2.94
    assert answer["games"] in range(0, 100, 2)
    assert answer["nelo_low"] is None or answer["nelo_low"] < answer["nelo"] < answer["nelo_high"]
    out = run("match", "random", "random", "--games", "2", "--side", "4", "--game", "sanqi", "--sprt", "0:10")[1]
    assert not lacking(out, "normalized", "not decided")


def test_save_strings_and_the_long_notation(run: Run, tmp_path: Path) -> None:
    save, turns = "2:3:2:4:1:012012012:17", tmp_path / "turns.txt"
    position = tercet.parse(save)
    node = (record := tercet.Record(position.game, position, {}, Node(None, position))).root
    while len(record.moves()) < 8 or node.position.turn_is_open:
        node = node.play(str(node.position.legal_actions[0]))
    kept = tmp_path / "kept.txt"
    kept.write_text(record.write())
    turns.write_text(run("record", str(kept), "--convert", "long")[1])
    assert "->" in turns.read_text()
    read = run("record", str(turns), "--turns", "long", "--position", save, "--convert", "moves")[1]
    assert read.split() == record.moves()
    assert tercet.parse(run("record", str(kept), "--convert", "save")[1].strip()) == node.position
    assert run("draw", save)[1] == run("draw", str(position))[1]
    turns.write_text("B2\n" + "Q9 R->B\n")
    code, _, error = run("record", str(turns), "--turns", "long", "--position", save)
    assert (code, "Line 2" in error) == (2, True)
    assert "players" in run("draw", "7:3:2:4:1:012012012:17")[2]


def test_record(run: Run, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text(f"{HEAD}1. 上d4 2. Yc4 *\n\n{HEAD}1. Ba4 *\n")
    bad.write_text(f"{HEAD}1. Rd4 2. Rd4 *\n")
    assert run("record", good)[1] == f"{good}: 2 games, 3 actions\n"
    assert run("record", good, "--convert", "moves")[1] == "Rd4 Yc4\nBa4\n"
    assert "1. Rd4 Yc4 *" in run("record", good, "--convert", "record")[1]
    assert run("record", "-", "--convert", "positions", given=good.read_text())[1].startswith("sanqi/4 4/5/6/2YR3")
    code, _, err = run("record", bad)
    assert (code, "line 4, column 11" in err) == (2, True)
    code, out, err = run("record", bad, "--lenient")
    assert (code, "1 games, 1 actions, 1 problems" in out, "line 4" in err) == (1, True, True)


def test_what_a_lenient_reading_leaves_out_is_reported_and_in_the_exit_code(run: Run, tmp_path: Path) -> None:
    text = f'{HEAD}1. Rd4 Yc4 *\n\n[Game "none"]\n\n*\n\n{HEAD}1. Rd4 2. Rd4 *\n'
    file = tmp_path / "games.txt"
    file.write_text("\ufeff" + text, encoding="utf-8")
    for name, given in ((str(file), ""), ("-", "\ufeff" + text)):
        assert run("record", name, given=given)[0] == 2
        for form in ((), ("--convert", "moves")):
            code, out, err = run("record", name, "--lenient", *form, given=given)
            assert (code, err.count("\n")) == (1, 2)
            assert "must be one of sanqi" in err
            assert out == (f"{name}: 2 games, 3 actions, 2 problems\n" if not form else "Rd4 Yc4\nRd4\n")
    for out_file in ("games.parquet", "parts"):
        code, out, err = run("export", str(file), "--out", str(tmp_path / out_file), "--lenient")
        assert (code, err.count("\n"), out.partition(": ")[2]) == (1, 2, "2 games, 2 problems\n")
    file.write_text('[Game "none"]\n\n*\n', encoding="utf-8")
    assert run("record", str(file), "--lenient")[::2] == (1, run("record", str(file))[2].removeprefix("tercet: "))
    file.write_text(f"{HEAD}1. Rd4 *\n", encoding="utf-8")
    assert run("record", str(file), "--lenient")[0] == 0
    assert run("stats", "sanqi", "--side", "4", "--records", str(file))[0] == 2


def tercet_in(shell: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell, in which ``tercet`` is the command line."""
    line = f'tercet() {{ "{sys.executable}" -m tercet "$@"; }}; {shell}'
    return subprocess.run(["bash", "-c", line], env={**os.environ, **environment}, capture_output=True, check=False)


@pytest.mark.online
@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-16"])
def test_files_and_pipes_are_utf_8_whatever_the_environment_says(encoding: str, tmp_path: Path) -> None:
    text = '[Game "sanqi"]\n[Options "side=4"]\n[Event "Größe 上中下"]\n\n1. Rd4 {“ü”} *\n'
    (tmp_path / "u.txt").write_text(text, encoding="utf-8")
    for source in ("u.txt", "- < u.txt"):
        line = f"cd '{tmp_path}' && tercet record {source} --convert record > v.txt && tercet record v.txt"
        done = tercet_in(line, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"v.txt: 1 games, 1 actions\n", b"")
        written = tercet.read((tmp_path / "v.txt").read_text(encoding="utf-8"))[0]
        assert (written.headers["Event"], written.last.comment) == ("Größe 上中下", "“ü”")
    (tmp_path / "latin.txt").write_bytes(text.encode("utf-16"))
    for source in ("latin.txt", "- < latin.txt"):
        done = tercet_in(f"cd '{tmp_path}' && tercet record {source}", PYTHONIOENCODING=encoding)
        assert (done.returncode, b"must be UTF-8 text" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("command", "code"),
    online_but(
        lambda one: one[0] in ("games >&-", "nonsense 2>/dev/full"),
        [
            ("games >&-", 0),
            ("games 2>&-", 0),
            ("games <&- >&- 2>&-", 0),
            ("record - <&-", 0),
            ("ugi <&-", 0),
            ("analysis <&-", 0),
            ("play sanqi --side 4 <&- >&-", 0),
            ("nonsense 2>&-", 2),
            ("nonsense 2>/dev/full", 2),
            ("games >/dev/full", 2),
            ("games > >(exec true)", 1),
            ("puzzle list sanqi --json | head -c 1; exit ${PIPESTATUS[0]}", 1),  # more than a pipe holds
        ],
    ),
)
def test_closed_full_and_broken_streams_leave_no_trace(command: str, code: int) -> None:
    done = tercet_in(f"tercet {command}")
    assert done.returncode == code
    assert b"Error" not in done.stderr + done.stdout
    assert done.stderr.count(b"\n") == (b"full" in done.stderr or (code == 2 and "2>" not in command))


def test_help_and_listings(run: Run) -> None:
    """It was the order in which a program had imported their modules; the reference was written in another."""
    help_after = "import sys, tercet.cli.people, tercet.cli.puzzles; from tercet.cli import main; main(['--help'])"
    done = subprocess.run([sys.executable, "-c", help_after], capture_output=True, check=True)
    assert done.stdout == tercet_in("tercet --help").stdout
    assert [each["name"] for each in json.loads(run("games", "--json")[1])] == list(tercet.games())
    listings = (("stalemate", "games", "sanqi"), ("circle", "rules", "sanqi"), ("engine:10", "levels"))
    for word, *command in (*listings, (tercet.__version__, "--version")):
        assert word in run(*command)[1], command


def test_draw(run: Run, tmp_path: Path) -> None:
    text = "sanqi/4 4/5/6/3R3/6/5/4 S d4"
    assert run("draw", text)[1].startswith("<svg")
    assert run("draw", "-", given=text)[1] == run("draw", text)[1]
    path = tmp_path / "game.txt"
    path.write_text(f"{HEAD}1. Rd4 2. Yc4 *\n")
    assert run("draw", path, "--ply", "1")[1] == run("draw", text)[1]
    assert run("draw", path, "--ply", "9")[0] == 2
    looks = ("--dark", "--style", "letter", "--no-coordinates")
    for name, words, begins in (("x.svg", looks, b"<svg"), ("x.png", ("--size", "64"), b"\x89PNG")):
        assert run("draw", text, "-o", tmp_path / name, *words)[0] == 0
        assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize("kind", online_but(lambda kind: kind != "mcts", ["playouts", "mcts", "api", "perft"]))
def test_bench(run: Run, kind: str) -> None:
    command = ("bench", kind, "sanqi", "--side", "4", "--seconds", "0.05")
    code, out, _ = run(*command, "--json")
    answer = json.loads(out)
    assert (code, list(answer)) == (0, ["games_per_s", "moves_per_s", "threads"])
    assert all(value > 0 for value in answer.values())
    assert "/s" in run(*command)[1]


@pytest.mark.parametrize("name", tercet.games())
def test_every_game_is_shown_and_played_in_the_terminal(run: Run, name: str) -> None:
    code, out, _ = run("play", name, given="moves\nrecord\nboard\nquit\n")
    assert (code, f'[Game "{name}"]' in out) == (0, True)


@pytest.mark.long
def test_warm_leaves_nothing_to_compile(tmp_path: Path) -> None:
    done = [tercet_in(f"tercet {words}", TERCET_CACHE=str(tmp_path)) for words in (
        "warm sanqi", "perft sanqi 2", "match level:1 level:10 --games 1 --nodes 20", "warm sanqi")]  # fmt: skip
    assert [each.returncode for each in done] == [0] * 4
    assert b"sanqi: rules" in done[0].stderr
    assert b"compiling" not in done[1].stderr + done[2].stderr
    assert b"sanqi: 0 kernels compiled" in done[3].stdout
