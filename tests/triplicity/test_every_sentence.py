"""Every sentence of the rules file is quoted in the docstring of a test, here or where its subject is at home."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
RULES = TESTS.parents[1] / "docs" / "games" / "triplicity.md"

NOTHING_TO_TEST = (
    "Designer: David Jagger (2005).",
    "The mark (text) means that the designer's page says so; (ours) means that the page is silent and we decided.",
    "The designer's *men* are pieces here, and the *tribute tokens* are coins.",
    # tests/learning/test_lessons.py
    "David Jagger writes the name TRiPLiCiTY; its three i's stand for three contending egos.",
    "Titles keep that here, sentences do not.",
    "A rated game that is over stays over.",  # tests/server/tables/test_seats.py
    (  # tests/docs runs it
        "`tercet stats triplicity --engine level:4 --games 60` prints it. "
        "[The designers' questions](../research/designers-questions.md#triplicity) say what it shows."
    ),
)


def sentences(text: str) -> list[str]:
    found = []
    for block in re.split(r"\n\s*\n|\n(?=- )|\n(?=#)", text):
        if block.startswith("```board"):  # tests/docs plays its moves
            continue
        if block.startswith("#"):
            block = block.partition("\n")[2]
        plain = " ".join(block.removeprefix("- ").split())
        found += [part for part in re.split(r"(?<=\.)\s+(?=[A-Z(`])", plain) if part]
    return found


def test_every_sentence_of_the_rules_file_is_quoted_by_a_test() -> None:
    quoted = ""
    for path in sorted(TESTS.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                quoted += " ".join((ast.get_docstring(node) or "").split()) + "\n"
    wanting = [one for one in sentences(RULES.read_text()) if one not in quoted and one not in NOTHING_TO_TEST]
    assert not wanting, "\n".join(wanting)


def test_the_rules_file_is_cut_into_sentences() -> None:
    found = sentences(RULES.read_text())
    assert "A turn is a move or a purchase." in found
    assert "Their coins go to the captor." in found
    assert len(found) > 60
