"""Records: what is written can be read, what cannot be read is refused with its place."""

import contextlib
import pickle
import random
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.answers.translation import _read as catalogue_of
from tercet.core.abilities.play import Sample
from tercet.engines.openings import read_book
from tercet.errors import ParseError
from tercet.games import game_definition
from tercet.games.sanqi import lessons
from tercet.laboratory import read_study
from tercet.laboratory.answers import read_figures
from tercet.learning.lessons import read_lesson
from tercet.learning.puzzles import read as puzzles_of
from tercet.learning.puzzles import shipped
from tercet.record import MAX_NESTING, Node, Record, read, read_file, result_token
from tercet.training.data.schema import read_json
from tests.support.division import online_but
from tests.support.refusals import refuses
from tests.support.texts import any_text

SANQI = tercet.game("sanqi", side=4)
HEAD = '[Game "sanqi"]\n[Options "side=4"]\n\n'
COMMENTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=30).map(str.strip)


def shape(node: Node) -> list[object]:
    """What a node and all that follow it have."""
    here = (node.action_text, node.comment, node.nags, len(node.variations), node.turn)
    return [here, *(one for variation in node.variations for one in shape(variation))]


@st.composite
def records(draw: st.DrawFn) -> Record:
    """A random tree of play, with comments and headers."""
    name = draw(st.sampled_from(tercet.games()))
    game = SANQI if name == "sanqi" else tercet.game(name)
    chance = random.Random(draw(st.integers(0, 2**32)))
    start = game.start(draw(st.integers(0, 3)))
    for _ in range(draw(st.integers(0, 5))):
        if not start.is_over:
            start = start.play(chance.choice(start.legal_actions))
    keys = st.sampled_from(["Event", "Date", game.players[0], "Annotator", "x_1"])
    headers = {key: " ".join(value.split()) for key, value in draw(st.dictionaries(keys, COMMENTS, max_size=4)).items()}
    record = Record.from_actions(game, start, (), headers)
    nodes = [record.root]
    for _ in range(draw(st.integers(0, 40))):
        node = nodes[-1] if chance.random() < 0.7 else chance.choice(nodes)
        if not node.position.is_over:
            nodes.append(node.play(chance.choice(node.position.legal_actions)))
    for node in chance.sample(nodes, min(len(nodes), 3)):
        node.comment = draw(COMMENTS)
        node.nags = tuple(draw(st.lists(st.integers(0, 255), unique=True, max_size=3)))
    return record


@given(records())
@settings(max_examples=60, deadline=None)
def test_round_trip(record: Record) -> None:
    text = record.write()
    again = read(text)
    assert (len(again), again[0].game, again[0].start) == (1, record.game, record.start)
    assert shape(again[0].root) == shape(record.root)
    assert again[0].write() == text
    assert {k: v for k, v in again[0].headers.items() if k in record.headers} == record.headers
    assert read(text, lenient=True)[0].problems == []


TOKENS = r"1. 2. 1... 1.Rd4 !? $7 $ Yc4! Rd4 Yc4 Rxd4 ( ) { } \ * 1-0 1/2-1/2"
PIECES = [*TOKENS.split(), "a } b", ";x\n", "\n", '["', '[Game "sanqi"]\n', '[Options "side=4"]\n', '[Result "0-1"]\n']
PIECES += ['[Position "sanqi/4 4/5/6/7/6/5/4 F -"]\n']


@given(st.one_of(any_text(200), st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join)), st.booleans())
@settings(max_examples=300, deadline=None)
def test_garbage_meets_typed_errors_only(text: str, headed: bool) -> None:
    text = HEAD + text if headed else text
    try:
        strict = read(text)
    except tercet.ParseError as error:
        assert error.line is not None  # noqa: PT017  (whether it raises is what is drawn)
        lenient = read(text, lenient=True)
        assert lenient.problems or any(record.problems for record in lenient)
    else:
        lenient = read(text, lenient=True)
        assert [r.write() for r in lenient] == [r.write() for r in strict]


@given(records(), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_damaged_records_meet_typed_errors_only(record: Record, seed: int) -> None:
    chance = random.Random(seed)
    text = list(record.write())
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text))
        text[at : at + chance.randint(0, 2)] = chance.choice(["", "(", ")", "{", "}", '"', "x", "9", "\n"])
    try:
        read("".join(text))
    except tercet.ParseError:
        read("".join(text), lenient=True)


@pytest.mark.parametrize(
    ("moves", "line", "column", "why"),
    [
        ("1. Rd4 2. Yd4 *", 4, 11, "d4 is taken by Red"),
        ("1. Rd4 2. Zz *", 4, 11, "Write a move as a kind and a cell"),
        ("1. Rd4 3. Yc4 *", 4, 8, "The number here must be 1, not 3."),
        ("1. Rd4 Yc4 2. Bd3 4. Ya1 *", 4, 19, "The number here must be 2, not 4."),
        ("1. Rd4 2. Yc4 2. Bd3 *", 4, 15, "must be 3, not 2"),
        ("1. Rd4", 4, 6, "must end with a result"),
        ("1. Rd4 * 2. Yc4", 4, 10, "Nothing may follow the result"),
        ("1. Rd4 {open *", 4, 8, "not closed"),
        ("1. Rd4 } *", 4, 8, "Leave it out."),
        ("1. Rd4 (1. Yc4 *", 4, 8, "not closed"),
        ("1. Rd4 (1. Yc4", 4, 8, "not closed"),
        ("1. Rd4 () *", 4, 9, "at least one action"),
        ("(1. Rd4) *", 4, 1, "must stand after"),
        ("1. Rd4 ) *", 4, 8, "Leave it out."),
        ("1. Rd4 1-0-0", 4, 8, "Write a move as"),
        ("1.Rd4 2.Yd4! *", 4, 9, "d4 is taken by Red"),
        ("1. Rd4 (!! 1. Yc4) *", 4, 9, "must stand behind the action"),
        ("1. Rd4 $256 *", 4, 8, "Write a move as"),
    ],
)
def test_strict_reading_names_the_place(moves: str, line: int, column: int, why: str) -> None:
    caught = refuses(tercet.ParseError, None, read, HEAD + moves)
    assert (caught.line, caught.column) == (line, column)
    assert why in str(caught)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ('[Game "chess"]', "must be one of"),
        ('[Event "x"]', "is missing"),
        ('[Game "sanqi"]\n[Options "side=99"]', "must be at most"),
        ('[Game "sanqi"]\n[Options "side"]', "name=value"),
        ('[Game "sanqi"]\n[Game "sanqi"]', "is given twice"),
        ('[Game "sanqi"]\n[Position "sanqi/4 4/5"]', "four fields"),
        ('[Game "sanqi"]\n[Seed "x"]', "must be a whole number"),
        ('[Game "sanqi"]\n[Result "2-0"]', "must fit 2 players"),
        ('[Game "sanqi"]\n[oops]', "must be written"),
    ],
)
def test_bad_headers(head: str, why: str) -> None:
    refuses(tercet.ParseError, why, read, head + "\n\n*\n")


def test_the_board_decides_the_result() -> None:
    won = "sanqi/4 4/5/2RR2/2R4/2RR2/5/4 F -"
    head = f'[Game "sanqi"]\n[Position "{won}"]\n'
    record = read(f"{head}\n1. Re4 1-0\n")[0]
    assert (record.result, record.end.is_over) == ("1-0", True)
    for bad in (f"{head}\n1. Re4 0-1\n", f'{head}[Result "1/2-1/2"]\n\n1. Re4 1-0\n'):
        refuses(tercet.ParseError, "ends 1-0", read, bad)
    resigned = read(HEAD + "1. Rd4 0-1")[0]
    assert resigned.result == resigned.headers["Result"] == "0-1"


def test_lenient_keeps_what_it_can(tmp_path: Path) -> None:
    text = f"{HEAD}1. Rd4 {{good}} (1. Yd4 2. Yd4 3. Bc4) 2. Yc4 3. Qq 4. Rd5 0-1\n\n"
    text += f'[Game "none"]\n\n*\n\n{HEAD}1. Bd4 *\n'
    records = read(text, lenient=True)
    assert [record.moves() for record in records] == [["Rd4", "Yc4"], ["Bd4"]]
    assert (len(records[0].root.variations), records[0].result, len(records[0].problems)) == (2, "0-1", 2)
    assert len(records.problems) == 1
    # A file lists the games that are lost.
    (tmp_path / "games.txt").write_text(f'{HEAD}1. Rd4 *\n\n[Game "none"]\n\n*\n\n{HEAD}1. Qq *\n', encoding="utf-8")
    found = read_file(tmp_path / "games.txt", lenient=True)
    assert [len(record.problems) for record in found] == [0, 1]
    assert [error.line for error in found.problems] == [6]


BEFORE = "\ufeff"  # a byte order mark, as Windows' editors write it


@pytest.mark.parametrize("lenient", [False, True])
def test_a_byte_order_mark_is_skipped_in_records(lenient: bool, tmp_path: Path) -> None:
    text = f"{BEFORE}{HEAD}1. Rd4 *\n{BEFORE}{HEAD}1. Yc4 *\n"  # two files, one appended to the other
    (tmp_path / "games.txt").write_text(text, encoding="utf-8")
    from_text, from_file = read(text, lenient), read_file(tmp_path / "games.txt", lenient)
    assert [record.moves() for record in from_text] == [record.moves() for record in from_file] == [["Rd4"], ["Yc4"]]
    assert from_text.problems == from_file.problems == []


STUDY = 'question = "Who?"\ngame = "sanqi"\nplayers = ["random"]\nmetrics = ["share"]\n[stop]\ngames = 2\n'
LESSONS = Path(lessons.__file__).parent


def _puzzle() -> str:
    return next(iter(shipped("sanqi"))).read_text(encoding="utf-8").splitlines()[0]


@pytest.mark.parametrize(
    ("text", "reader"),
    [
        (lambda: f"{HEAD}1. Rd4 *\n", lambda path: read_book(path, SANQI)[0].actions),
        (lambda: STUDY, lambda path: read_study(path).question),
        (_puzzle, lambda path: next(puzzles_of(path))["id"]),
        (lambda: next(LESSONS.glob("*.toml")).read_text(encoding="utf-8"),
         lambda path: read_lesson(game_definition("sanqi"), path).title),
        (lambda: "arm,null,figure,unit,mean,low,high,values,games\na,0,turns,,1,1,1,3,3\n",
         lambda path: read_figures(path)[1]),
        (lambda: 'origin = "none"\n[texts]\n"a" = "b"\n', lambda path: catalogue_of(path)["texts"]),
        (lambda: f"{HEAD}1. Rd4 *\n", lambda path: Sample("a", "A", path).text[:1]),
        (lambda: '{"a": 1}', read_json),
        (lambda: str(SANQI.start()), lambda path: tercet.parse(path.read_text("utf-8"))),
        (lambda: "2:3:2:4:1:012012012:17", lambda path: tercet.parse(path.read_text("utf-8"))),
        (lambda: str(SANQI.start()), lambda path: tercet.game("sanqi").parse(path.read_text("utf-8"))),
    ],
    ids=["book", "study", "puzzles", "lesson", "figures", "catalogue", "sample", "manifest", "position", "save", "own"],
)  # fmt: skip
def test_a_byte_order_mark_is_skipped_by_every_reader(
    text: Callable[[], str], reader: Callable[[Path], object], tmp_path: Path
) -> None:
    plain, marked = tmp_path / "file.txt", tmp_path / "marked" / "file.txt"
    marked.parent.mkdir()
    plain.write_text(text(), encoding="utf-8")
    marked.write_text(BEFORE + text(), encoding="utf-8")
    assert reader(plain) == reader(marked)


@pytest.mark.parametrize(
    ("moves", "written"),
    [
        ("1.Rd4 Yc4 2.Bd3 *", "1. Rd4 Yc4 2. Bd3 *"),
        ("1.Rd4! Yc4?! {x} 2.Bd3 $14 *", "1. Rd4 $1 Yc4 $6 {x} 2. Bd3 $14 *"),
        ("1. Rd4 !! 1... Yc4$2$19 *", "1. Rd4 $3 Yc4 $2 $19 *"),
        ("1. ... Rd4 1…Yc4 *", "1. Rd4 Yc4 *"),
        ("{start} $10 1. Rd4 ({why} 1. Yc4?? 1... Ba4 $1 $1) 1... Bc4!? *",
         "{start} $10 1. Rd4 (1. Yc4 $4 {why} 1... Ba4 $1) 1... Bc4 $5 *"),
    ],
)  # fmt: skip
def test_numbers_and_signs_as_in_other_programs_are_read_and_kept(moves: str, written: str) -> None:
    record = read(HEAD + moves)[0]
    assert record.write().partition("\n\n")[2] == written + "\n"
    for again in (read(record.write())[0], pickle.loads(pickle.dumps(record))):
        assert again.write() == record.write()


def test_many_games_of_a_file_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    texts = [Record.from_actions(SANQI, None, [move]).write() for move in ("Rd4", "Yc4", "Ba4")]
    path.write_text("\n".join(texts).replace("\n", "\r\n"))
    found = read_file(path)
    assert next(found).moves() == ["Rd4"]
    assert [record.moves() for record in found] == [["Yc4"], ["Ba4"]]
    path.write_bytes(b"\xff\xfe")
    refuses(tercet.ParseError, "UTF-8", list, read_file(path))


def test_synonyms_signs_and_numbers_by_turns_are_read() -> None:
    assert read(HEAD + "1. 上d4 2. Zc4 *")[0].moves() == ["Rd4", "Yc4"]
    node = read(HEAD + "1.Rd4!? $18 *")[0].root.variations[0]
    assert (node.action_text, node.nags) == ("Rd4", (5, 18))
    offer = read('[Game "triplicity"]\n\n1. c5-d7 draw? $1 *')[0].root.variations[0].variations[0]
    assert (offer.action_text, offer.nags) == ("draw?", (1,))
    assert read(HEAD + "1.Rd4! 1...Yc4?? *", max_nodes=2)[0].moves() == ["Rd4", "Yc4"], "signs cost no actions"
    by_turns, by_rounds = (read(HEAD + moves)[0] for moves in ("1. Rd4 2. Yc4 3. Bd3 *", "1. Rd4 Yc4 2. Bd3 *"))
    assert shape(by_turns.root) == shape(by_rounds.root)
    assert by_turns.write() == by_rounds.write()


def test_rounds_are_numbered() -> None:
    record = Record.from_actions(SANQI, None, ["Rd4", "Yc4", "Bd3", "Ya4"])
    assert record.write().splitlines()[-1] == "1. Rd4 Yc4 2. Bd3 Ya4 *"
    record.root.variations[0].comment = "the centre"
    record.root.variations[0].play("Ba4").play("Rb4")
    assert record.write().splitlines()[-1] == "1. Rd4 {the centre} 1... Yc4 (1... Ba4 2. Rb4) 2. Bd3 Ya4 *"
    second = Record.from_actions(SANQI, SANQI.start().play("Rd4"), ["Yc4", "Bd3", "Ya4"])
    assert second.write().splitlines()[-1] == "1. Yc4 2. Bd3 Ya4 *"


def test_turns_of_several_actions_stand_alone_and_a_round_of_three_is_one() -> None:
    sparklies = tercet.Record.from_actions(tercet.game("sparklies").start().game)
    node = sparklies.root
    while node.turn < 4:
        node = node.play(next(a for a in node.position.legal_actions))
    numbers = [line.split()[0] for line in sparklies.write().splitlines() if line[:1].isdigit()]
    assert numbers[:3] == ["1.", "1...", "2."]
    node = (three := Record.from_actions(tercet.game("triplicity"))).root
    for _ in range(4):
        node = node.play(next(iter(node.position.legal_actions)))
    assert [word for word in three.write().splitlines()[-1].split() if word[0].isdigit()] == ["1.", "2."]


def test_nesting_and_length_are_limited() -> None:
    deep = "".join(f"1. Rd{i % 4 + 1} (" for i in range(MAX_NESTING + 2))
    refuses(tercet.ParseError, None, read, HEAD + deep + "*")
    refuses(tercet.ParseError, "too many actions", read, HEAD + "1. Rd4 2. Yc4 *", max_nodes=1)
    record = Record.from_actions(SANQI)
    node = record.root
    for action in ["Rd4", "Yc4"] * 20:
        try:
            node.play(action)
            node = node.play(next(a for a in node.position.legal_actions if str(a) != action))
        except tercet.IllegalAction:
            break
    assert read(record.write())[0].write() == record.write()


def test_promotion_and_result_tokens() -> None:
    record = read(HEAD + "1. Rd4 (1. Yc4 2. Ba4) *")[0]
    record.root.variations[1].promote()
    assert record.moves() == ["Yc4", "Ba4"]
    scores = ((1.0, 0.0), (0.5, 0.5), (1 / 3, 1 / 3, 1 / 3))
    assert [result_token(one) for one in scores] == ["1-0", "1/2-1/2", "1/3-1/3-1/3"]


def test_others_play_on_after_a_resignation() -> None:
    start = tercet.game("triplicity").start()
    first = str(start.legal_actions[0])
    record = Record.from_actions(start.game, start, [first, "resign=Red", "resign"])
    assert record.moves() == [first, "resign=Red", "resign"]
    assert record.end.is_over
    text = record.write()
    assert text.rstrip().endswith("1-0-0")
    assert read(text)[0].moves() == record.moves()
    for wrong, why in (
        ('[Game "triplicity"]\n\n1. resign=Red 2. resign=Red *', "out of the game"),
        ('[Game "triplicity"]\n\n1. resign=Blue *', "The player must be"),
        (HEAD + "1. resign *", "Write the result"),
    ):
        refuses(tercet.ParseError, why, read, wrong)


def test_a_node_knows_its_action_where_it_is_one() -> None:
    record = tercet.read('[Game "triplicity"]\n\n1. resign *')[0]
    assert [node.action for node in (record.root, *record.mainline())] == [None, None]
    record = Record.from_actions(SANQI, actions=["Rd4", "Yc4"])
    assert [str(node.action) for node in record.root.mainline()] == ["Rd4", "Yc4"]
    assert record.last.action in record.root.variations[0].position.legal_moves


@pytest.mark.parametrize(
    ("more", "why"),
    online_but(
        lambda case: len(case[0]) < 210_000,
        [
            ("{a comment} " * 100_000, None),
            ("{}" * 100_000, None),
            (";x\n" * 100_000, None),
            ("(1. Rd5) " * 15_000, None),
            ("(1. Rd5 " * 100_000 + ")" * 100_000, "Variations must be nested at most 100 deep."),
            ("(1. Rd5) " * 30_000, "The game has too many actions to be read."),
            ("{" * 200_000, "The comment is not closed"),
        ],
    ),
    ids=["comments", "empty comments", "lines", "variations", "nested", "too many", "open"],
)
def test_records_of_a_hundred_thousand_comments_are_read_in_bounded_time_and_memory(more: str, why: str | None) -> None:
    text = f'[Game "sanqi"]\n[Options "side=6"]\n\n1. Rd4 {more}*'
    tracemalloc.start()
    began = time.process_time()
    try:
        with pytest.raises(ParseError, match=why) if why else contextlib.nullcontext():
            assert len(list(read(text))) == 1
    finally:
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 80_000_000
    assert time.process_time() - began < 60
