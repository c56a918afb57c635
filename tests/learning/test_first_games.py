"""Guided first games: each idea appears when it should, points at the right cells and makes only true claims."""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

import tercet
from tercet.answers.translation import game_catalogue
from tercet.engines import Limits, level
from tercet.games import game_definition
from tercet.games.triplicity.view import scene
from tercet.learning import lessons
from tercet.learning.lessons import Situation, Tip, first_game_of, learned_ideas, next_idea
from tests.support.present import present

EVERY_GAME = {
    "sanqi": {"start", "circle", "replacing", "line"},
    "sparklies": {"start", "ping", "takes", "capture", "chain"},
    "triplicity": {"start", "knight", "buy"},
}  # the ideas that must appear in each game played
GAMES = [game for game in tercet.games() if first_game_of(game)]
SUBTLE = "sparklies/board=5x5,ruleset=subtle"
DEFENDED = (  # what a knight on d7 could take
    "triplicity rBrRrP1rN1bNbPbPbRbB/rBrK1rP1rP1bNbP1bQbB/rBrQ1rPrPrP3bP1bKbB/rR1rP1rP1bP2bPbNbR/rP2rN4bPbP1/"
    "rP1rN6bP/3wN2bP1bR/4wP2bP/wP3wP1wN/wP1wPwPwPwP/wPwNwNwQwP/wRwKwBwR/1wBwB W 2,4,16 a,a,a 0 -"
)
ATTACKED = "triplicity 11/rK11/12bK/12/2rQ8/1rR8/9/8/6wR/5wQ/5/4/1wK1 W 0,0,0 a,a,a 0 -"


def tip(at: str | tercet.Position | Situation, seen: Collection[str] = ()) -> Tip | None:
    """Return what the guide shows to First, or White or Black, who has ``seen`` some ideas."""
    position = tercet.parse(at) if isinstance(at, str) else at
    situation = position if isinstance(position, Situation) else Situation(0, position)
    return next_idea(present(first_game_of(situation.position.game.name)), situation, seen)


def careless(position: tercet.Position) -> Mapping[str, str]:
    """Return the questions about the actions of the first player."""
    return present(present(position.game.definition.lessons).careless)(position, 0)


def lost(position: tercet.Position) -> bool:
    """Whether an answer wins."""
    return any(position.play(reply).is_over for reply in position.legal_actions)


def every_idea(game: str) -> list[str]:
    return [idea.id for idea in present(first_game_of(game)).ideas]


@pytest.mark.parametrize("game", GAMES)
def test_a_first_game_holds(game: str) -> None:
    first = present(first_game_of(game))
    assert not any("You know how to take" in idea.text for idea in first.ideas), "said to those who had not"
    assert [str(error) for error in lessons.check_first_game(first)] == []
    assert len({idea.id for idea in first.ideas}) == len(first.ideas)
    assert all(len(idea.text) <= 150 and len(idea.title) <= 36 for idea in first.ideas)  # read in a few seconds
    german = present(game_catalogue(game, "de"))
    for idea in first.ideas:  # the page asked people with a mouse to tap
        assert not re.search(r"\b(tap|click|tippe)", f"{idea.text} {german.translate(idea.text)}", re.IGNORECASE)


def played(game: str, seed: int) -> Iterator[tuple[Situation, Tip | None]]:
    """The newcomer's decisions in a game between gentle engines, each with the tip that the page would show."""
    first, quick = present(first_game_of(game)), game_definition(game).quick_start
    position = tercet.game(game, **quick.options).start(seed=seed)
    engine = level(position.game, quick.level, seed=seed)
    seen: list[str] = []
    situation = Situation(0, position)
    while not situation.position.is_over and len(seen) < len(first.ideas) and len(situation.played) < 60:
        found = next_idea(first, situation, seen)
        if situation.position.mover == 0:
            yield situation, found
            seen += [found.idea.id] if found and found.idea.id not in seen else []
        situation = situation.then(str(engine.think(situation.position, Limits(nodes=50)).action))


@pytest.mark.parametrize("game", GAMES)
def test_the_ideas_come_one_after_another_and_point_at_the_board(game: str) -> None:
    """Each once, but for threats and wins, from the first decision on."""
    for seed in range(2):
        found = list(played(game, seed))
        ids = [tip.idea.id for _, tip in found if tip]
        once = [tip.idea.id for _, tip in found if tip and not tip.idea.again]
        assert (len(once), ids[0]) == (len(set(once)), "start")
        assert set(ids) >= EVERY_GAME[game]
        assert game != "sanqi" or {"fifth", "triangle"} & set(ids), "both tell of the triangle"
        for situation, mark in ((at, mark) for at, told in found if told for mark in told.marks):
            assert mark.says
            assert set(mark.cells) <= set(situation.position.game.board.index) != set(mark.cells) != set()


def test_a_threat_is_shown_whenever_it_stands() -> None:
    """It was shown once: a newcomer whose opponent did not win at once was lost at the next turn without a word."""
    situation = Situation(0, tercet.parse("sanqi/5 5/6/7/8/RYYYYY3/8/7/6/5 F -"))
    for now in (situation, situation.then("Re1").then("Bf1")):
        assert present(tip(now, ("threatened", "line", "circle", "triangle"))).idea.id == "threatened"


RULES = ("start", "circle", "line", "triangle")
BESIDE = "sanqi/5 5/6/7/8/3RB4/3Y4/1R5/6/5 F -"


@pytest.mark.parametrize(
    ("at", "seen", "idea", "cell"),
    [
        # What decides the game is told first. Five of six stand, said of a circle that Second had completed.
        ("sanqi/5 5/6/7/3RR3/3R1R3/3RR3/7/6/5 F -", (), "stands", ""),
        # How pieces are replaced, said beside a four open at both ends.
        ("sanqi/5 5/6/7/8/2YYYY3/8/7/6/5 F -", (), "double", ""),
        # Put another kind there, said of two cells.
        ("sanqi/5 5/6/7/8/1YYYYY3/8/7/6/5 F -", (), "threatened-twice", ""),
        # "With 3 more red neighbours, yellow on e4 can be replaced by red", said where no red piece stood.
        ("sanqi/5 5/6/4Y2/4Y3/9/8/7/6/YY3 F e7", RULES, "go-on", ""),
        # What is shown to be replaced had the closed outline of the last move, beside that of the last move itself.
        (BESIDE, ("circle",), "replacing", "e5"),
        # A newcomer had blocked a line, Second replaced the piece that blocked it, and nothing had told of that.
        ("sanqi/5 5/6/3R3/4R3/1RRRRBRR1/8/Y6/6/5 F b5", (*RULES, "threatened"), "retaken", "f5"),
        # "Claim the marked cell for such a pair" of two reds pointed at a green cell.
        (f"{SUBTLE} g0r0g0g0b0/r2b0g0r0r0/g0b0r1r0g0/r0r0g0g0g0/b0g0g0r0r0 B c 0", ("start", "ping"), "takes", "d4"),
        # The guide stopped helping those who claimed a cell that was not marked, and later said that they can take.
        (f"{SUBTLE} g0g0r0b0r0/g2r0g0g0r0/b0g0b1b0b0/r2r0b0g0g0/b0r0g1r0b0 B c 0",
         ("start", "ping", "takes", "at-risk"), "takes-more", "*"),
    ],
)  # fmt: skip
def test_what_matters_is_told_first_and_marked(at: str, seen: tuple[str, ...], idea: str, cell: str) -> None:
    found = present(tip(at, seen))
    assert found.idea.id == idea
    assert cell in ("", "*") or (found.marks[0].kind, found.marks[0].cells) == ("hint", (cell,))
    assert cell != "*" or found.marks[0].cells


@pytest.mark.parametrize(
    ("position", "idea", "warning"),
    [
        ("sanqi/5 5/6/7/8/3BB4/8/7/6/5 F -", "triangle", "fifth"),
        (BESIDE, "replacing", "replaceable"),
    ],
)
def test_an_idea_is_not_introduced_after_an_urgent_one_said_it(position: str, idea: str, warning: str) -> None:
    """ "Either wins with a triangle" followed "Don't place the fifth"."""
    seen = {"start", "circle", "line", "triangle"} - {idea}
    assert present(tip(position, seen)).idea.id == idea
    assert present(tip(position, seen | {warning})).idea.id != idea


def test_whoever_builds_five_of_a_triangle_is_warned_before() -> None:
    """How every beginner of SanQi loses: they build five, the engine places the sixth."""
    position = tercet.parse("sanqi/5 5/6/7/8/3BBB3/3B4/7/6/5 F -")
    found = careless(position)
    assert found["Bf4"] == "Careful: Second could then complete the triangle on f3 and win."
    assert all(lost(position.play(action)) for action in found), "the rules themselves say so"
    assert not lost(position.play(next(action for action in position.legal_actions if str(action) not in found)))


def test_the_warning_names_the_patterns_that_would_be_completed() -> None:
    """The warning of a line named the triangle that the piece was part of too, and came before a move that wins."""
    both = careless(tercet.parse("sanqi/5 5/6/3R3/4R3/2RRR2R1/1Y6/Y6/6/5 F c4"))
    assert both["Rf5"] == "Careful: Second could then complete the line on g5 or the triangle on d6 and win."
    assert both["Rg5"] == "Careful: Second could then complete the line on f5 and win."
    wins = tercet.parse("sanqi/5 5/6/2RR3/4R3/2RRR4/8/7/6/5 F -")
    assert wins.play("Rc6").is_over
    assert "Rc6" not in careless(wins)


def test_a_move_that_lets_second_replace_a_piece_and_win_is_warned_of() -> None:
    """A red piece beside the blue one made it replaceable; only moves within the pattern were warned of."""
    position = tercet.parse("sanqi/5 5/6/7/5B2/1RRRRBRR1/8/Y6/6/5 F b5")
    loses = {str(action) for action in position.legal_actions if lost(position.play(action))}  # as the rules have it
    assert loses == set(careless(position)) == {"Re6", "Rf4", "Rg4"}


def test_what_can_be_replaced_is_told_by_the_third_turn() -> None:
    """A refusal told it first: no piece could be replaced yet, and the guide spoke only of those that could."""
    told = re.compile(r"With (one|\d) more (\w+) neighbours?, (\w+) on (\w+) can be replaced by (\w+)")
    for moves in ("Re5 Yd6 Rf5 Ba5", "Re5 Ye6 Rf4 Yd6", "Ra5 Yi5 Re1 Be9"):
        situation = Situation(0, tercet.game("sanqi", side=5).start())
        for move in moves.split():
            situation = situation.then(move)
        found = present(tip(situation, ["start", "circle"]))
        assert found.idea.id == "replacing"
        piece, beside = found.marks
        number, lacking, _, cell, by = present(told.fullmatch(piece.says)).groups()
        assert piece.cells == (cell,)
        lacks = 1 if number == "one" else int(number)
        assert lacks <= len(beside.cells)
        replaces = f"{by[0]}x{cell}"
        for move, elsewhere in zip(beside.cells[:lacks], ("a7", "i3"), strict=False):
            assert replaces not in {str(action) for action in situation.position.legal_actions}
            situation = situation.then(f"{lacking[0]}{move}").then(f"Y{elsewhere}")
        assert replaces in {str(action) for action in situation.position.legal_actions}, "as the rules have it"


@pytest.mark.parametrize(
    ("position", "possible", "seen", "idea"),
    [
        # The guide marked the one piece that could be replaced. That placed the fifth of a triangle, and a newcomer
        # who did as it said lost.
        ("sanqi/5 5/6/2RRR2/R2B4/4R4/8/2B3R/6/5 F e7", "Rxd6", ["start", "fifth"], "replaceable"),
        # The guide marked a pawn that a knight could take, and the pawn was defended.
        (DEFENDED, "d7xe10", ["start", "king", "you-paid"], "capture"),
    ],
    ids=["a piece to be replaced", "a capture that loses a dearer piece"],
)
def test_what_loses_is_not_offered(position: str, possible: str, seen: list[str], idea: str) -> None:
    assert possible in tercet.parse(position).legal_actions
    found = tip(position, seen)
    assert found is None or found.idea.id != idea


def test_nobody_is_sent_on_in_the_middle_of_a_turn() -> None:
    """After the claim, when a ping was asked for, the guide said "Now play on"."""
    start = tercet.parse(f"{SUBTLE} r1r0r0r0r1/r0r0r0r0r0/r0r0r0r0r0/r0r0r0r0r0/r0r0r0r0r1 B c 0")
    told = [idea for idea in every_idea("sparklies") if idea != "go-on"]
    assert present(tip(start.play("+c3"), told)).idea.id == "ping-any"
    assert present(tip(start, told)).idea.id == "go-on"


def test_a_threat_waits_while_a_captured_cell_may_ping() -> None:
    """The guide marked a cell to save with a ping, while only the cells with a halo could ping."""
    start = tercet.parse(f"{SUBTLE} r0g0g0b0b0/g0g0b0g0r0/r1g2b2g2b0/g0g0g0b0g0/g0b0g0b0b0 B c 0")
    now = start.play("+b4").play("b4=R").play("b3=R")
    assert {str(action) for action in now.legal_actions if "=" in str(action)} == {"a4=R", "a4=G", "a4=B"}
    found = tip(now, ["start", "ping", "takes", "takes-more", "chain"])
    assert found is None or found.idea.id != "at-risk"


def test_after_each_claim_the_guide_says_what_to_ping() -> None:
    """From the second turn on, nothing said which cell to ping after a claim."""
    told = [found for situation, found in played("sparklies", seed=5) if situation.position.turn_is_open]
    assert len(told) > 5
    assert all(present(found).marks or present(found).idea.id == "chain" for found in told)


def test_a_pair_is_shown_whole() -> None:
    """Only the cell to claim was marked: neither its partner nor what the two take."""
    start = tercet.parse(f"{SUBTLE} g0g0g0r0r0/b0g0g0r2g0/b0r0g1r0b0/b0r0g0g0g0/g0b0r0r0g0 B c 0")
    for now, cell, says in ((start, "a3", "Claim a3"), (start.play("+a3"), "c3", "Recolour c3 blue")):
        found = present(tip(now, ["start", "ping"]))
        assert (found.marks[0].kind, found.marks[0].cells, found.marks[0].says) == ("hint", (cell,), says)
        assert {mark.cells for mark in found.marks if mark.kind == "arrow"} == {("a3", "b3"), ("c3", "b3")}


def test_cells_that_the_opponent_took_are_told_and_marked() -> None:
    """Nothing during the game said which cells were lost."""
    situation = Situation(0, tercet.parse(f"{SUBTLE} r0r0r0r0r0/g0r2g1g0g0/g0g0r2b0g0/r0g0b0b0b0/g0b0g0b0b0 B c 0"))
    for action in ("+a1", "a1=G", "+e5", "b4=R", "c4=G", "b3=G"):
        situation = situation.then(action)
    for seen in (["takes"], ["takes", "lost"]):
        found = present(tip(situation, seen))
        assert (found.idea.id, [mark.cells for mark in found.marks]) == ("lost", [("c4",)])


def test_what_attacks_a_king_is_marked_whenever_it_does() -> None:
    """ "Take what attacks it" was said once, without a word of what did: a queen far away, on a diagonal."""
    found = present(tip(ATTACKED, every_idea("triplicity")))
    assert found.idea.id == "king"
    assert [(mark.kind, mark.cells) for mark in found.marks] == [("danger", ("b1",)), ("arrow", ("b8", "b1"))]
    assert found.marks[0].says == "Red's rook on b8 could take White's king on b1"


def test_a_turn_that_leaves_the_last_king_to_be_taken_is_asked_about() -> None:
    """A newcomer who moved another piece was out at once, and no question had come before."""
    position = tercet.parse(ATTACKED)
    found = careless(position)
    assert found["g5-h6"] == "Careful: Red could then take your last king."
    assert "b1-a1" not in found or "b1-c1" not in found
    for action in position.legal_actions:
        after = position.play(action)
        cell = next(piece.cell for piece in scene(after).pieces if piece.symbol == "wK")
        red = after.play(next(one for one in after.legal_actions if "x" not in str(one)))
        taken = any(str(reply).endswith(f"x{cell}") for reply in red.legal_actions)
        assert ("last king" in found.get(str(action), "")) == taken


def test_a_turn_that_gives_a_piece_away_is_asked_about() -> None:
    """Queens were put where a bishop took them from across the board, without a word."""
    position = tercet.parse("triplicity 11/rK10bK/13/12/2rB8/10/9/8/6wQ/6/5/4/1wK1 W 9,0,0 a,a,a 0 -")
    found = careless(position)
    assert found["R@a11"] == "Careful: Red's king on b12 could then take your rook."
    assert "g5xc9" not in found, "it takes the bishop, and nothing takes back"
    for action in (action for action in position.legal_actions if str(action).startswith("g5-")):
        black = position.play(action)
        replies = (*black.legal_actions, *black.play("m12-m13").legal_actions)
        taken = any(str(reply).endswith(f"x{str(action)[3:]}") for reply in replies)
        assert (str(action) in found) == taken, action


def test_who_owes_a_piece_is_told_so_and_nothing_else() -> None:
    """ "Your king can be taken. Move it" stood beside a board on which only a sacrifice was allowed."""
    owing = f"{ATTACKED.removesuffix('-')}r"
    found = present(tip(owing))
    assert (found.idea.id, found.marks[0].cells) == ("owe", ("g5",))
    again = present(tip(owing, every_idea("triplicity")))
    assert again.idea.id == "owe", "captures pay nothing any more, said another idea beside a second debt"


def test_a_newcomer_who_has_bought_a_piece_is_not_told_how() -> None:
    """ "Or buy a piece" was still said to those who had bought one."""
    first = present(first_game_of("triplicity"))
    start = Situation(0, tercet.game("triplicity").start())
    theirs = [str(start.position.play("c5-d7").legal_actions[-1])]  # a purchase of another player's
    assert "@" in theirs[0]
    assert learned_ideas(first, start.then("c5-d7").then(theirs[0])) == ()
    assert learned_ideas(first, start.then("P@a7")) == ("buy",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "A first game must have ideas"),
        ("[[idea]]\nid = 'a'\ntitle = 'A'", "text: This field is missing."),
        ("[[idea]]\nid = 'a'\ntitle = 'A'\ntext = 'T'\npoint = 'moon'", "There is no finder moon."),
        ("[[idea]]\nid = 'a'\ntitle = 'A'\ntext = 'T'\nwhen = { moon = 1 }", "There is no predicate moon."),
        ("[[idea]]\nid = 'a'\ntitle = 'A'\ntext = 'T'\nmoon = 1", "There is no such field here."),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "first_game.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(lessons.LessonError, match=why) as refused:
        lessons.read_first_game(game_definition("sanqi"), path)
    assert refused.value.file == "first_game.toml"


WRONG = """
[[idea]]
id = "none"
title = "No example"
text = "Nothing."
[[idea]]
id = "late"
title = "Another comes first"
text = "Nothing."
  [[idea.example]]
  start = { side = 4 }
[[idea]]
id = "false"
title = "It points elsewhere and claims what is not so"
text = "Nothing."
point = "circle"
  [[idea.example]]
  position = "sanqi/4 4/5/6/3R3/6/5/4 F -"
  seen = ["none", "late"]
  cells = ["a4"]
    [[idea.example.claim]]
    says = "First has won."
    holds = { wins = true }
"""


def test_what_does_not_hold_is_found(tmp_path: Path) -> None:
    path = tmp_path / "first_game.toml"
    path.write_text(WRONG, encoding="utf-8")
    found = [str(error) for error in lessons.check_first_game(lessons.read_first_game(game_definition("sanqi"), path))]
    assert found.pop(2).startswith("first_game.toml: idea false: points at ")
    wrong = ("none: has no example", "late: does not come up in its example, but none")
    assert found == [f"first_game.toml: idea {one}" for one in (*wrong, "false: is not so: First has won.")]
