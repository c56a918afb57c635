"""Errors are whole sentences that stand alone: subject, rule, remedy."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.engines import EngineError, Limits, engine, level
from tercet.errors import BatchError, IllegalAction, OptionError, ParseError
from tercet.play.session import SessionError

ROOT = Path(tercet.__file__).parent
# Where the text of an error stands among its arguments; else it is the last one.
RAISED = re.compile(r"^[A-Z]\w*(Error|Action)$")
MAKERS = ("error", "problem")  # methods of readers that make an error of a place and a text
PREDICATE = re.compile(r"^(is|are|has|have|must|can|cannot|may|needs?|names?|says?|holds?|takes?|belongs?|was|were)\b")
WRAPPED = re.compile(r"\{x\}(: \{x\})*|.*`[^`]*`|.*\{x\}|.*\[[^\]]*\]")  # another error's own sentence ends it


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of the errors that a file raises, with {x} where a value stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name, method = getattr(node.func, "id", ""), getattr(node.func, "attr", "")
        if RAISED.match(name) or (method in MAKERS and len(node.args) > 1):
            why = node.args[-1]
            if isinstance(why, ast.Constant) and isinstance(why.value, str):
                yield node.lineno, why.value
            elif isinstance(why, ast.JoinedStr):
                parts = (str(part.value) if isinstance(part, ast.Constant) else "{x}" for part in why.values)
                yield node.lineno, "".join(parts)


def wrong(text: str) -> bool:
    whole = " " in text and (text[-1] in ".?!" or WRAPPED.fullmatch(text) is not None)
    return not whole or PREDICATE.match(text) is not None


def test_errors_are_whole_sentences() -> None:
    found = [(path, line, text) for path in sorted(ROOT.rglob("*.py")) for line, text in texts(path)]
    assert len(found) > 500
    bad = [f"{path.relative_to(ROOT)}:{line}: {text}" for path, line, text in found if wrong(text)]
    assert not bad, "\n".join(bad)


def test_an_error_reads_as_its_sentence() -> None:
    said = "The option side must be at least 3, not 2."
    for error in (OptionError("side", said), BatchError("side", said), ParseError("side", said)):
        assert str(error) == said
    assert str(ParseError("move", "There is no such cell.", 3, 7)) == "line 3, column 7: There is no such cell."
    assert str(SessionError("taken", "seat", "This seat is taken.")) == "This seat is taken."


GAME: Any = tercet.game("sanqi", side=4)
START: Any = GAME.start()
NONE: Any = None


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        (lambda: GAME.start(seed="a"), OptionError, r"seed must be a whole number from 0 to 2\*\*62 - 1, not 'a'\."),
        (lambda: GAME.start(-1), OptionError, r"from 0 to 2\*\*62 - 1, not -1\."),
        (lambda: GAME.parse(3), ParseError, r"must be text, not 3\."),
        (lambda: tercet.parse(NONE), ParseError, r"must be text, not None\."),
        (lambda: START.play(None), IllegalAction, "None: Give an Action, its notation or its number"),
        (lambda: START.play(1.5), IllegalAction, r"1\.5: Give an Action"),
        (lambda: START.play(""), IllegalAction, "^Write a move as a kind and a cell"),
        (lambda: tercet.game("triplicity").start().resign(NONE), IllegalAction, "player must be from 0 to 2, not None"),
        (lambda: START.observe(2), OptionError, r"player must be from 0 to 1, not 2\."),
        (lambda: GAME.perft(START, -1), OptionError, r"depth must be a whole number, at least 0, not -1\."),
        (lambda: GAME.perft(tercet.game("sanqi", side=5).start(), 1), OptionError, "The position must be one of <Game"),
        (lambda: tercet.game("sanqi", execution="wasm"), OptionError, r"Call tercet\.kernel\.webassembly\.provide"),
        (lambda: Limits(nodes=-1), EngineError, "nodes must be a whole number of simulations, at least 1, not -1"),
        (lambda: Limits(depth=0), EngineError, "depth must be a whole number of actions, at least 1, not 0"),
        (lambda: Limits(multipv=-1), EngineError, "multipv must be a whole number of lines, at least 0, not -1"),
        (lambda: Limits(movetime=-1.0), EngineError, "movetime must be a number of seconds, at least 0, not -1"),
        (lambda: Limits(movetime=float("nan")), EngineError, "number of seconds, at least 0, not nan"),
        (lambda: engine("mcts", GAME, nodes=0), EngineError, "nodes must be a whole number"),
        (lambda: engine("mcts", GAME, threads="a"), EngineError, "threads must be a whole number"),
        (lambda: engine("mcts", GAME, seed="a"), EngineError, "seed must be a whole number or None, not 'a'"),
        (lambda: level(GAME, NONE), EngineError, "A level must be a whole number from 1 to 10, not None"),
        (lambda: engine(NONE, GAME), EngineError, "There is no engine None"),
    ],
)  # fmt: skip
def test_arguments_that_make_no_sense(wrong: Callable[[], object], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        wrong()
