"""Lessons, pages of rules and themes of puzzles have a translation in which cells, numbers and marks are the same."""

import re
from collections.abc import Iterator

import pytest

import tercet
from tercet.answers.translation import LANGUAGES, Translator
from tercet.answers.wire.game_data import SkinView
from tercet.core.presentation import skins_view
from tercet.core.view import RulesPage
from tercet.games import game_definition
from tercet.learning.lessons import first_game_of, lessons_of
from tercet.learning.puzzles import read, shipped

TRANSLATED = [(language, name) for language in LANGUAGES for name in tercet.games()]
# What every language writes alike: cells and moves, numbers, marks of bold words and of our own decisions.
ALIKE = re.compile(r"\b[A-Z]?[x@+]?[a-m][0-9]{1,2}\b|\d+|\*\*|^\(ours\)")
SIGNS = re.compile(r"[上中下]")


def _rules(name: str) -> Iterator[str]:
    """The texts of a game's pages of rules, those of its skins among them."""
    definition, game = game_definition(name), tercet.game(name)
    pages: list[RulesPage | None] = [definition.view.rules_page(game)]
    if definition.skins is not None and definition.skins.rules is not None:
        pages += [definition.skins.rules(game, skin.id) for skin in definition.skins.offered]
    for page in pages:
        if page is not None:
            yield page.title
            for title, paragraphs, _ in page.sections:
                yield from (title, *paragraphs)
            yield from (example.caption for example in page.examples)


def _lessons(name: str) -> Iterator[str]:
    """The texts of a game's lessons that learners read."""
    for lesson in lessons_of(name):
        yield from (lesson.title, lesson.chapter, lesson.about)
        for step in lesson.steps:
            yield from (step.title, step.text, step.task, step.hint, step.done, step.otherwise)
            yield from (mark.says for mark in step.marks)
            yield from (wrong.says for wrong in step.wrong)


def _first_game(name: str) -> Iterator[str]:
    """All texts of the guided first game."""
    first = first_game_of(name)
    for idea in () if first is None else first.ideas:
        yield from (idea.title, idea.text)
    yield game_definition(name).aim


def _puzzles(name: str) -> Iterator[str]:
    for puzzle in (one for path in shipped(name) for one in read(path)):
        yield from puzzle["tags"]


def _marks_kept(language: str, text: str, told: str) -> bool:
    """Whether ``told`` has the marks of ``text``. The signs of pieces are words in Chinese, and may come more often."""
    signs, found = SIGNS.findall(text), SIGNS.findall(told)
    kept = set(signs) <= set(found) if language == "zh" else sorted(signs) == sorted(found)
    return kept and sorted(ALIKE.findall(text)) == sorted(ALIKE.findall(told))


@pytest.mark.parametrize(("language", "name"), TRANSLATED)
def test_every_text_has_a_translation(language: str, name: str) -> None:
    translator = Translator(language)
    texts = dict.fromkeys(
        text for text in (*_rules(name), *_lessons(name), *_first_game(name), *_puzzles(name)) if text
    )
    told = {text: translator.find(text, name) for text in texts}
    assert [text for text, found in told.items() if found is None] == []
    unlike = {text: found for text, found in told.items() if found and not _marks_kept(language, text, found)}
    assert unlike == {}


def test_a_skin_puts_words_of_the_language_in() -> None:
    kingdom = Translator("de", "sparklies").value(skins_view(tercet.game("sparklies")), list[SkinView])[0]
    assert kingdom["title"] == "Das Königreich wählt seinen ersten Premierminister"
    assert kingdom["words"]["bleibt rot"] == "bleibt bei der Kirche"
    assert kingdom["words"]["rot"] == "Kirche"
    assert not {"red", "church"} & {*kingdom["words"], *kingdom["words"].values()}
