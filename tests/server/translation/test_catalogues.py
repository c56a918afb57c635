"""What the games say has a translation, and the catalogues of a game say the same in each language."""

import ast
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.answers import translation
from tercet.answers.translation import LANGUAGES, Catalogue, Translator, accepted, read_catalogue
from tercet.answers.wire.game_data import PositionView, TableView
from tercet.core.presentation import hint, position_view, table_view
from tercet.engines.levels import LEVELS
from tercet.errors import ParseError
from tercet.games import game_definition
from tercet.learning.puzzles import read, shipped
from tercet.play.tournaments.form import FORM_TITLES, FORMS
from tercet.play.tournaments.results import TIEBREAKS
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import WORDS, Buckets, Budgets, Exchange, ServerLimits, Spender, Visits
from tercet.server.people.credentials import flaw

PLAYED: list[tuple[str, dict[str, Any]]] = [
    ("sanqi", {"side": 4}),
    ("sanqi", {"side": 4, "stalemate": "loss"}),
    ("sanqi", {"side": 4, "opening": "swap2"}),
    ("sanqi", {"side": 6, "opening": "book"}),
    ("sanqi", {"side": 4, "line": 7}),
    ("sanqi", {"side": 4, "line": 7, "triangle": "first", "opening": "swap"}),
    ("sanqi", {"side": 4, "triangle": "first"}),
    ("triplicity", {}),
    ("triplicity", {"coins": 5, "tribute": "off"}),
    ("sparklies", {"board": "4x4"}),
    ("sparklies", {"board": "4x4", "ruleset": "speed", "players": 1}),
    ("sparklies", {"board": "4x4", "ruleset": "playtest2", "flag": True}),
    ("sparklies", {"board": "hex3", "players": 3}),
    ("sparklies", {"board": "4x4", "mode": "duel"}),
    ("sparklies", {"board": "4x4", "attack": "2T+1p"}),
]
FOLDERS = [Path(str(game_definition(name).translations)) for name in tercet.games()] + [
    Path(str(translation.__file__)).parent
]


class Gathering(Translator):
    """Remembers what it cannot translate."""

    def __init__(self, language: str) -> None:
        super().__init__(language)
        self.unknown: set[str] = set()

    def say(self, text: str, game: str | None) -> str:
        if self.find(text, game) is None and any(letter.isalpha() for letter in text):
            self.unknown.add(text)
        return super().say(text, game)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "options"), PLAYED, ids=str)
def test_a_game_is_told_whole(language: str, name: str, options: dict[str, Any]) -> None:
    game, chance = tercet.game(name, **options), random.Random(4)
    translator = Gathering(language)
    translator.value(table_view(game), TableView)
    position = game.start(seed=1)
    for turn in range(70):
        if turn % 7 == 0 or position.is_over:
            translator.value(position_view(position), PositionView)
        if position.is_over:
            break
        action = chance.choice(list(position.legal_actions))
        for event in position.transition(action).events:
            translator.say(event.says, name)
        position = position.play(action)
    assert translator.unknown == set()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "options"), PLAYED, ids=str)
def test_hints_are_told_whole(language: str, name: str, options: dict[str, Any]) -> None:
    """The sentence of a hint is a phrase of the board with a capital and a full stop."""
    translator, chance = Gathering(language), random.Random(3)
    position = tercet.game(name, **options).start(seed=1)
    for _ in range(40):
        if position.is_over:
            break
        action = chance.choice(list(position.legal_actions))
        for strength in ("place", "piece", "move"):
            translator.say(hint(position, action, strength)[0], name)
        position = position.play(action)
    assert translator.unknown == set()
    assert translator.say("Claim d4.", "sparklies") == {"de": "d4 nehmen.", "zh": "占领 d4。"}[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_newcomer_would_regret_is_told(language: str) -> None:
    position = tercet.parse("sanqi/5 5/6/7/8/3BBB3/3B4/7/6/5 F -")
    careless = game_definition("sanqi").lessons.careless  # type: ignore[union-attr]
    assert careless is not None
    translator = Gathering(language)
    for why in careless(position, 0).values():
        translator.say(why, "sanqi")
    assert translator.unknown == set()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", tercet.games())
def test_puzzles_and_options_are_told_whole(language: str, name: str) -> None:
    translator, definition = Gathering(language), game_definition(name)
    for puzzle in (one for path in shipped(name) for one in read(path)):
        translator.say(puzzle["task"], name)
    for option in definition.options:
        for text in (option.title, option.help, *option.words.values()):
            translator.say(text, name)
    translator.say(definition.summary, name)
    for title in [form.title for form in definition.saves] + [form.title for form in definition.turn_forms]:
        translator.say(title, name)
    assert translator.unknown == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_server_says_of_levels_and_tournaments(language: str) -> None:
    translator = Gathering(language)
    words = [level.character for level in LEVELS]
    words += [*FORMS.values(), *FORM_TITLES.values(), *(text for pair in TIEBREAKS.values() for text in pair)]
    for text in words:
        translator.say(text, "sanqi")
    alike = {"Buchholz", "Sonneborn-Berger", "Arena"}  # names
    assert translator.unknown - alike == set()


# What only a program can do wrong: errors with these codes elsewhere than where people fill in forms, and these.
RAISED = {"AnswerError", "ApiError", "SessionError", "TournamentError"}
OF_PROGRAMS = {"bad-message", "bad-option", "bad-record"}
PACKAGES = ("api", "engines", "limits", "lobby", "people", "puzzles", "tables", "tournaments")
FORMS_OF_PEOPLE = {"people", "accounts", "friends", "my_data", "profiles", "puzzles", "social"}
FOR_PROGRAMS = {"bots", "health"}  # modules whose errors no person sees
REFUSING = ("answers", "play/session", "play/tournaments", *(f"server/{name}" for name in PACKAGES))
UNTRANSLATED = {
    "There is no such game. Choose from 7.",
    "The field table must be the game in the address.",
    "A report must name a game, a chat message or a player.",
    "There is no event of kind 7.",
    "There is no pairing 7.",
    "Only these skins have their own rules: 7.",
    "The step must be from 0 to 7.",
    "Variations must be nested at most 7 deep.",
    "Your offer has been declined7.",  # either "." or ". Offer again after the next move."
    "7: 7",
}


def _refusals(folder: Path) -> set[str]:
    """The texts of the errors that the modules of ``folder`` raise; a number is 7."""
    found = set()
    for path in folder.rglob("*.py"):
        if path.stem in FOR_PROGRAMS:
            continue
        has_forms = not FORMS_OF_PEOPLE.isdisjoint((folder.name, path.stem))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in RAISED:
                code, why = node.args[0], node.args[-1]
                if not has_forms and getattr(code, "value", "") in OF_PROGRAMS:
                    continue
                if isinstance(why, ast.Constant):
                    found.add(str(why.value))
                elif isinstance(why, ast.JoinedStr):
                    found.add(
                        "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in why.values)
                    )
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_are_refused(language: str) -> None:
    translator = Translator(language)
    texts = {flaw("short", "anna"), flaw("password1234", "anna"), "win in 3", "loses"}
    for folder in REFUSING:
        texts |= _refusals(Path(str(tercet.__file__)).parent / folder)
    assert len(texts) > 120
    assert sorted(text for text in texts - UNTRANSLATED if text and translator.find(text, None) is None) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("who", [Spender(None, "anna"), Spender("192.0.2.0")], ids=["person", "network"])
def test_a_used_up_budget_is_refused_in_the_language(who: Spender, language: str) -> None:
    """Budgets put this sentence together, so that `_refusals` does not find it."""
    translator, budgets = Gathering(language), Budgets(ServerLimits(), Exchange())
    budgets.spend(who, engine=1e9, cpu=1e9, size=10**12, rows=10**9)
    for resource, words in WORDS.items():
        with pytest.raises(ApiError) as refused:
            budgets.check(who, resource)
        assert words in refused.value.why
        assert words not in translator.say(refused.value.why, None)
    assert translator.unknown == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_too_many_connections_are_refused_in_the_language(language: str) -> None:
    translator = Gathering(language)
    refusal = Visits(Buckets(1, size=0)).refusal(Spender("192.0.2.0"))
    assert refusal is not None
    translator.say(refusal.why, None)
    assert translator.unknown == set()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_each_language_has_the_same_sentences(folder: Path) -> None:
    told = {
        language: tomllib.loads((folder / f"{language}.toml").read_text(encoding="utf-8")) for language in LANGUAGES
    }
    first = told[LANGUAGES[0]]
    for data in told.values():
        assert list(data["texts"]) == list(first["texts"])
        assert data["holes"] == first["holes"]
        assert all(text.strip() for text in data["texts"].values())


def test_a_list_is_told_to_its_end_though_another_sentence_follows() -> None:
    text = "At risk: Black 2 cells, White 2 cells. There may be more."
    assert Translator("zh").find(text, "sparklies") == "处于危险：黑方 2 格、白方 2 格。可能还有更多。"


def test_sentences_with_places() -> None:
    one = Catalogue(
        {"cell": "[a-z]+[0-9]+"},
        {"Red": "Rot", "Blue": "Blau", "{piece} on {cell}.": "{piece} auf {cell}.", "Done.": "Fertig."},
        {" and ": " und "},
    )
    assert one.translate("Red on c3.") == "Rot auf c3."
    assert one.translate("Red and Blue on c3.") == "Rot und Blau auf c3."
    assert one.translate("Red on c3. Done.") == "Rot auf c3. Fertig."
    assert one.translate("Red on the table.") is None
    assert one.translate("Red on c3. Over.") is None
    with pytest.raises(ParseError, match="places"):
        Catalogue({}, {"Red": "{colour}"}, {})


def test_a_file_that_is_no_catalogue(tmp_path: Path) -> None:
    assert read_catalogue(tmp_path, "de") is None
    (tmp_path / "zh.toml").write_text("texts = 3", encoding="utf-8")
    with pytest.raises(ParseError, match=r"zh\.toml"):
        read_catalogue(tmp_path, "zh")


def test_the_language_that_is_asked_for() -> None:
    assert accepted("de-AT,de;q=0.9,en;q=0.8") == "de"
    assert accepted("fr, zh-CN") == "zh"
    assert accepted("en-GB,de") == "en"
    assert accepted("") == accepted("xx") == accepted(";;,,") == "en"


def test_further_files_of_a_language(tmp_path: Path) -> None:
    (tmp_path / "de.toml").write_text('[holes]\ncell = "[a-z]+[0-9]+"\n[texts]\n"Red" = "Rot"\n', encoding="utf-8")
    (tmp_path / "de").mkdir()
    rules = tmp_path / "de" / "rules.toml"
    rules.write_text('[texts]\n"**Red** on {cell}." = "**Rot** auf {cell}."', encoding="utf-8")
    behind = Catalogue({}, {"Now: {what}": "Jetzt: {what}", "Red": "rot"}, {})
    found = read_catalogue(tmp_path, "de", behind)
    assert found is not None
    assert found.translate("**Red** on c3.") == "**Rot** auf c3."
    assert found.translate("Now: Red") == "Jetzt: Rot"
    rules.write_text("[rules]", encoding="utf-8")
    with pytest.raises(ParseError, match=r"rules\.toml"):
        read_catalogue(tmp_path, "de")


def test_long_texts_are_looked_up_and_not_compared() -> None:
    paragraph = "All of it stands in the catalogue. " * 400
    found = Catalogue({}, {paragraph: "Alles", "{a}, {b}, {c}.": "{a}, {b}, {c}."}, {})
    assert found.translate(paragraph) == "Alles"
    assert found.translate("Red, red, red. " * 100 + "Red, red, red.") is not None
    for text in ("a, " * 300, "a, b, c. " * 2000):
        assert found.translate(text) is None
