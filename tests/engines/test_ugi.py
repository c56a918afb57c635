"""The engine protocol, row by row, and against 1,000 broken lines."""

import queue
import random
import threading
from collections.abc import Iterator

import pytest

import tercet
from tercet.engines import EngineError, Info, Limits, Line, engine, level
from tercet.engines.client import read_info
from tercet.engines.mcts import MctsEngine
from tercet.engines.ugi import Ugi, info_lines
from tests.engines.test_client import program

GAME = tercet.game("sanqi", side=4)
OVER = "sanqi/4 RR2/R1R2/1RR3/7/6/5/4 S -"


def talk(*lines: str) -> list[str]:
    answers: list[str] = []
    Ugi(lines, answers.append).run()
    return answers


def refuses(*lines: str) -> None:
    """Each line alone is answered by an error and by nothing else."""
    assert [[answer.startswith("error ") for answer in talk(line)] for line in lines] == [[True]] * len(lines), lines


class Conversation:
    """A conversation that can wait for answers."""

    def __init__(self) -> None:
        self.to: queue.Queue[str | None] = queue.Queue()
        self.back: queue.Queue[str] = queue.Queue()
        self.thread = threading.Thread(target=Ugi(iter(self.to.get, None), self.back.put).run, daemon=True)
        self.thread.start()

    def say(self, *lines: str | None) -> None:
        for line in lines:
            self.to.put(line)

    def until(self, word: str) -> list[str]:
        """Answers up to the one that begins with ``word``."""
        seen = []
        while True:
            seen.append(self.back.get(timeout=120))
            if seen[-1].split(" ")[0] == word:
                return seen


@pytest.fixture
def live() -> Iterator[Conversation]:
    conversation = Conversation()
    yield conversation
    conversation.say("quit", None)
    conversation.thread.join(60)
    assert not conversation.thread.is_alive()


def test_ugi_isready_and_setoption() -> None:
    answers = talk("ugi")
    assert answers[0].startswith("id name Tercet")
    assert sum(answer.startswith("option name ") for answer in answers) >= 3
    assert answers[-1] == "ugiok"
    assert talk("isready") == ["readyok"]
    ugi = Ugi(["game sanqi side=4", "setoption name Level value 2", "isready"], lambda _answer: None)
    ugi.run()
    assert ugi._engine is not None, "it waited for the engine"
    refused = talk("setoption name Threads value 2", "game triplicity", "isready")
    assert refused[-1] == "readyok", "only `go` reports options that do not go together"
    assert talk("setoption name Level value 3", "setoption name seed value 7", "setoption name Seed value -1") == []
    refuses("setoption", "setoption name Level value 11", "setoption name X value 1", "setoption Level 3")


def test_game_names_all_options_in_force() -> None:
    for side, asked in ((6, "game sanqi side=6"), (10, "game sanqi")):
        assert talk(asked) == [f"game sanqi side={side} stalemate=draw opening=free setup=3 line=6 triangle=both"]
    refuses("game", "game chess", "game sanqi side=3", "game sanqi side", "game sanqi side=4 side=5", "game sanqi x=1")


def test_position_show_legal_and_status() -> None:
    answers = talk(
        "game sanqi side=4", "position start moves Rd4", "show", "legal", "status", f"position text {OVER}", "status",
        "legal", "position text sanqi/4 4/5/6/3R3/6/5/4 S d4 moves Bd5", "show",
    )  # fmt: skip
    assert answers[1] == "position sanqi/4 4/5/6/3R3/6/5/4 S d4"
    legal = answers[2].split()
    assert (legal[:2], len(set(legal[2:]))) == (["legal", "108"], 108)
    assert (answers[3], answers[4], answers[5]) == ("playing Second", "over 1 0 circle", "legal 0")
    assert answers[6] == "position sanqi/4 4/5/3B2/3R3/6/5/4 F d5"
    for name in tercet.games():
        answers = talk(f"game {name}", "position start seed=5", "show", "legal", "status")
        assert not any(answer.startswith("error") for answer in answers), answers
    # A bad position changes nothing.
    _, refused, shown = talk("game sanqi side=4", "position start moves Rd4", "position start moves Rd4 Rd4", "show")
    assert refused.startswith("error ")
    assert shown == "position sanqi/4 4/5/6/3R3/6/5/4 S d4"


def test_any_white_space_stands_between_words() -> None:
    lines = ["\tgame   sanqi\tside=4\r\n", "position\tstart\tmoves \t Rd4   Yc4\r\n", "  show\t\n"]
    lines += ["setoption\tname Level  value\t3", "setoption name\tSeed value 1"]
    lines += ["position  text\tsanqi/4  4/5/6/3R3/6/5/4\tS  d4\tmoves\tYc4", "show", "perft\t1", "\t\r\n"]
    lines += ["go \t nodes  1"]
    plain = [" ".join(line.split()) for line in lines]
    assert [one for one in talk(*lines) if "info" not in one] == [one for one in talk(*plain) if "info" not in one]
    assert not any(one.startswith("error") for one in talk(*lines))


def test_an_outside_program_may_use_any_white_space() -> None:
    answers = {"ugi": "ugiok\\t", "isready": "loading\\nreadyok  ", "game": "game\\tsanqi", "go": "bestmove\\t Rd4\\r"}
    outside = engine("ugi:" + program(**{word: f"print('{answer}')" for word, answer in answers.items()}), GAME)
    assert str(outside.think(GAME.start(), Limits(nodes=1)).action) == "Rd4"
    outside.close()


def test_perft_counts_leaves_and_answers_keep_the_order_of_the_questions() -> None:
    counted = talk("game sanqi side=4", "perft 0", "perft 1", "perft 2", "perft 3")[1:]
    assert counted == ["nodes 1", "nodes 111", "nodes 11988", "nodes 1258740"]
    answers = talk("game sanqi side=4", "perft 3", "show", "go nodes 50", "position start moves Rd4", "show", "quit")
    kinds = [answer.split()[0] for answer in answers if not answer.startswith("info")]
    assert kinds == ["game", "nodes", "position", "bestmove", "position"]


def test_an_option_sent_after_bestmove_is_set_before_isready_is_answered() -> None:
    to: queue.Queue[str | None] = queue.Queue()
    said, ready = [], threading.Event()

    def write(line: str) -> None:
        said.append(line.split()[0])
        if said[-1] == "bestmove":
            for command in ("setoption name Level value 99", "isready", "quit", None):
                to.put(command)
            ready.wait(0.5)  # as long as the engine might still be at work
        if said[-1] == "readyok":
            ready.set()

    to.put("game sanqi side=4")
    to.put("go nodes 1")
    Ugi(iter(to.get, None), write).run()
    assert said[-3:] == ["bestmove", "error", "readyok"]


def test_go_reports_and_plays_a_legal_move() -> None:
    answers = talk("setoption name Seed value 1", "game sanqi side=4", "go nodes 300 multipv 2")
    assert answers[-1].split()[0] == "bestmove"
    assert {"depth", "nodes", "nps", "multipv", "score", "pv"} <= set(answers[-2].split())
    assert "multipv 1" in answers[-3]
    assert answers[-1].split()[1] == answers[-3].split(" pv ")[1].split()[0]
    assert answers[-1].split()[1] in GAME.start().legal_actions
    said = talk("position text sanqi/4 RR2/R1R2/1R4/7/6/5/4 F -", "go nodes 100 multipv 3")
    lines = [line.split() for line in said if line.startswith("info")][-3:]
    assert [line[line.index("multipv") + 1] for line in lines] == ["1", "2", "3"]
    assert "win-in-1" in lines[0]
    assert said[-1] == f"bestmove {lines[0][-1]}"


def test_go_keeps_to_its_limits_and_refuses_nonsense_and_finished_games() -> None:
    for limit in ("movetime 50", "nodes 20", "depth 2 nodes 50", "movetime 5000 nodes 20"):
        assert talk("game sanqi side=4", f"go {limit}")[-1].startswith("bestmove "), limit
    refuses("go nodes", "go nodes 0", "go nodes -1", "go nodes 5 nodes 6")
    refuses("go fast", "go movetime 1.5", "go infinite infinite")
    assert talk(f"position text {OVER}", "go nodes 5") == ["error The game is over."]


def test_stop_and_isready_are_answered_while_thinking(live: Conversation) -> None:
    live.say("game sanqi side=4", "go infinite", "isready")
    assert live.until("readyok")[0].startswith("game ")
    live.say("legal", "stop")  # "legal" waits its turn
    assert live.until("bestmove")
    assert live.until("legal")


def test_perft_can_be_stopped_and_quit_ends_at_once(live: Conversation) -> None:
    live.say("game sanqi side=6", "perft 9", "isready")
    live.until("readyok")
    live.say("stop")
    assert live.until("error")[-1] == "error The count was stopped."
    live.say("go movetime 600000", "quit")
    live.thread.join(120)
    assert not live.thread.is_alive()


@pytest.mark.parametrize("last", ["quit", None])
def test_quit_and_the_end_of_the_input_end_an_infinite_search_with_a_move(last: str | None) -> None:
    lines = ["game sanqi side=4", "go infinite", *([last] if last else [])]
    assert [answer.split()[0] for answer in talk(*lines) if not answer.startswith("info")] == ["game", "bestmove"]


def test_an_infinite_search_keeps_its_move_back_until_stop(live: Conversation) -> None:
    live.say("position text sanqi/4 RR2/R1R2/R2R1/7/6/5/4 F -", "go infinite")  # a circle lacks one piece
    assert " score " in live.until("info")[-1]
    live.say("show", "isready")  # "show" waits its turn, as every command but four
    assert not [answer for answer in live.until("readyok") if answer.startswith(("bestmove", "position"))]
    live.say("stop")
    assert sum(answer.startswith("bestmove") for answer in live.until("position")) == 1
    live.say("stop", "isready")  # nothing is searched: nothing is answered
    assert live.until("readyok") == ["readyok"]


def broken_lines(count: int, seed: int) -> list[str]:
    """Good lines with something wrong, and noise."""
    chance = random.Random(seed)
    good = [
        "ugi", "isready", "setoption name Level value 3", "game sanqi side=4", "position start seed=3 moves Rd4 Bd5",
        "position text sanqi/4 4/5/6/3R3/6/5/4 S d4 moves Bd5", "show", "legal", "status", "perft 1", "go nodes 5",
        "go movetime 1 depth 2 multipv 3", "stop",
    ]  # fmt: skip
    letters = "abcdefRYBx0123456789 =-/,.\t\0\x1b\u2028é中𝟚\ud800\"'\\%{}"
    lines: list[str] = []
    while len(lines) < count:
        line = chance.choice(good)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(line) + 1)
            what = chance.randrange(5)
            if what == 0:
                line = line[:at] + chance.choice(letters) + line[at:]
            elif what == 1:
                line = line[:at] + line[at + 1 :]
            elif what == 2:
                line = line[:at] + "".join(chance.choice(letters) for _ in range(chance.randrange(40)))
            elif what == 3:
                line = " ".join(chance.sample(line.split(), len(line.split())))
            else:
                line = line + " " + chance.choice(good)
        if line.split() and line.split()[0] not in ("quit",) and "infinite" not in line and "perft" not in line:
            lines.append(line)
    return lines


def test_a_thousand_broken_lines() -> None:
    """Each is answered by an error or by what it happens to mean, and the conversation goes on."""
    answers: list[str] = []
    lines = broken_lines(1000, 1)
    for start in range(0, 1000, 50):
        before = len(answers)
        Ugi([*lines[start : start + 50], "game sanqi side=4", "perft 2", "quit"], answers.append).run()
        assert answers[-1] == "nodes 11988"
        assert "game sanqi side=4 stalemate=draw opening=free setup=3 line=6 triangle=both" in answers[before:]
    assert sum(answer.startswith("error ") for answer in answers) > 500
    assert not [answer for answer in answers if "internal" in answer]
    assert all(answer.isprintable() and "\n" not in answer for answer in answers)
    kinds = "error id option ugiok readyok game position legal playing over nodes info bestmove"
    assert {answer.split()[0] for answer in answers} <= set(kinds.split())


def test_info_lines_are_read_back() -> None:
    info = Info(7, 1000, 5000, 0.25, (Line((0.25, 0.75), ("Rd4", "Bd5"), "win in 3"), Line((0.5, 0.5), ("Rd5",))))
    for number, text in enumerate(info_lines(info), 1):
        place, head, line = read_info(text.split()[1:], 2)
        assert place == number
        assert (head.depth, head.nodes, head.nps, head.seconds) == (7, 1000, 5000, 0.25)
        assert line == info.lines[number - 1]


def test_a_program_may_take_long_to_load() -> None:
    """Before its first action, where it may have to compile; not later."""
    slow = engine("ugi:" + program(go="time.sleep(1); print('bestmove Rd4')"), GAME, patience=20)
    slow._patience = 0.2  # type: ignore[attr-defined]
    limits = Limits(movetime=0.01)
    assert str(slow.think(GAME.start(), limits).action) == "Rd4"
    with pytest.raises(EngineError, match="does not answer"):
        slow.think(GAME.start(), limits)
    slow.close()


@pytest.mark.parametrize(
    ("answer", "why"),
    [("game sparklies board=4x4 mode=duel end=full", None), ("game", None), ("error no such game", "no such game"),
     ("game sparklies board=4x4 mode=turns", "plays with mode=turns, not duel")],
)  # fmt: skip
def test_outside_programs_need_not_know_all_options(answer: str, why: str | None) -> None:
    game = tercet.game("sparklies", board="4x4", mode="duel")
    start = game.start(1)
    given = f"print('{answer}' if line.split()[1:] == ['sparklies', 'board=4x4', 'mode=duel'] else 'error ' + line)"
    plays = f"print('bestmove {start.legal_actions[0]}')"
    outside = engine("ugi:" + program(game=given, go=plays), game, patience=20)
    if why is None:
        assert outside.think(start, Limits(nodes=1)).action == start.legal_actions[0]
    else:
        with pytest.raises(EngineError, match=why):
            outside.think(start, Limits(nodes=1))
    outside.close()


def test_threads_each_have_a_tree_where_the_engine_can_use_them() -> None:
    answers: list[str] = []
    ugi = Ugi(["game sanqi side=4", "setoption name Threads value 3", "go nodes 20000"], answers.append)
    ugi.run()
    assert answers[-1].startswith("bestmove ")
    assert isinstance(ugi._engine, MctsEngine)
    assert [tree.visits > 20 for tree in ugi._engine._trees] == [True] * 3
    refused = "error The engine of triplicity can use 1 to 1 threads, not 2."
    assert talk("game triplicity", "setoption name Threads value 2")[1:] == [refused]
    assert talk("setoption name Threads value 2", "game triplicity", "go nodes 5")[1:] == [refused]
    assert talk("game triplicity", "setoption name Threads value 1", "go nodes 5")[-1].startswith("bestmove ")
    with pytest.raises(EngineError, match="can use 1 to 1"):
        level(tercet.game("triplicity"), 10, threads=2)
    with pytest.raises(EngineError, match="can use 1 to 64"):
        level(GAME, 10, threads=65)
    assert level(GAME, 6, seed=1, threads=2).think(GAME.start(), Limits()).info.nodes == 26
