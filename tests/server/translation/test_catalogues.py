"""What the games, lessons, rules and puzzles say has a translation, and each text of a message is marked as one."""

import ast
import functools
import json
import random
import re
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NotRequired

import pytest

import tercet
from tercet.answers import translation
from tercet.answers.addresses import ADDRESSES, Wrong, find
from tercet.answers.translation import LANGUAGES, Catalogue, Translator, accepted, read_catalogue
from tercet.answers.wire.game_data import PositionView, SkinView, TableView
from tercet.answers.wire.table_messages import ServerMessage
from tercet.browser.backend import Backend
from tercet.core.presentation import hint, position_view, skins_view, table_view
from tercet.core.texts import TextMark
from tercet.core.view import RulesPage
from tercet.engines.levels import LEVELS
from tercet.errors import ParseError
from tercet.games import game_definition
from tercet.learning.lessons import first_game_of, lessons_of
from tercet.learning.puzzles import read, shipped
from tercet.play.tournaments.form import FORM_TITLES, FORMS
from tercet.play.tournaments.results import TIEBREAKS
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import WORDS, Buckets, Budgets, Exchange, ServerLimits, Visits
from tercet.server.limits.spenders import Spender
from tercet.server.people.credentials import flaw
from tercet.server.schema import SOCKETS, served
from tests.server.games.requests import fixed, recorded
from tests.support.present import present
from tests.support.refusals import refuses
from tests.support.waiting import until_async

OF_SANQI: list[dict[str, Any]] = [{}, {"stalemate": "loss"}, {"opening": "swap2"}, {"side": 6, "opening": "book"}]
OF_SANQI += [*({"line": line} for line in (4, 5, 7)), {"triangle": "first"}, {"line": 4, "triangle": "first"}]
OF_SANQI += [{"line": line, "triangle": "first", "opening": "swap"} for line in (5, 7)]
OF_SPARKLIES: list[dict[str, Any]] = [{}, {"ruleset": "speed", "players": 1}, {"ruleset": "playtest2", "flag": True}]
OF_SPARKLIES += [{"board": "hex3", "players": 3}, {"mode": "duel"}, {"attack": "2T+1p"}]
PLAYED: list[tuple[str, dict[str, Any]]] = [
    *(("sanqi", {"side": 4, **options}) for options in OF_SANQI),
    *(("triplicity", options) for options in ({}, {"coins": 5, "tribute": "off"})),
    *(("sparklies", {"board": "4x4", **options}) for options in OF_SPARKLIES),
]
FOLDERS = [Path(str(game_definition(name).translations)) for name in tercet.games()]
FOLDERS.append(Path(str(translation.__file__)).parent)


class Gathering(Translator):
    """Remembers what it cannot translate."""

    def __init__(self, language: str) -> None:
        super().__init__(language)
        self.unknown: set[str] = set()

    def say(self, text: str, game: str | None) -> str:
        if self.find(text, game) is None and any(letter.isalpha() for letter in text):
            self.unknown.add(text)
        return super().say(text, game)


@pytest.fixture(params=LANGUAGES)
def translator(request: pytest.FixtureRequest) -> Iterator[Gathering]:
    """Each language's, which has to know all that a test asks for."""
    made = Gathering(request.param)
    yield made
    assert made.unknown == set()


@pytest.mark.parametrize(("name", "options"), PLAYED, ids=str)
def test_a_game_is_told_whole(translator: Gathering, name: str, options: dict[str, Any]) -> None:
    game, chance = tercet.game(name, **options), random.Random(4)
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
        for strength in ("place", "piece", "move") if turn % 2 else ():
            translator.say(hint(position, action, strength)[0], name)
        position = position.play(action)


def test_what_a_newcomer_would_regret_is_told(translator: Gathering) -> None:
    position = tercet.parse("sanqi/5 5/6/7/8/3BBB3/3B4/7/6/5 F -")
    careless = game_definition("sanqi").lessons.careless  # type: ignore[union-attr]
    assert careless is not None
    for why in careless(position, 0).values():
        translator.say(why, "sanqi")


@pytest.mark.parametrize("name", tercet.games())
def test_puzzles_and_options_are_told_whole(translator: Gathering, name: str) -> None:
    definition = game_definition(name)
    for puzzle in (one for path in shipped(name) for one in read(path)):
        translator.say(puzzle["task"], name)
    for option in definition.options:
        for text in (option.title, option.help, *option.words.values()):
            translator.say(text, name)
    translator.say(definition.summary, name)
    for title in [form.title for form in definition.saves] + [form.title for form in definition.turn_forms]:
        translator.say(title, name)


def test_what_the_server_says_and_people_are_refused(translator: Gathering) -> None:
    words = [level.character for level in LEVELS]
    words += [*FORMS.values(), *FORM_TITLES.values(), *(text for pair in TIEBREAKS.values() for text in pair)]
    for text in words:
        translator.say(text, "sanqi")
    translator.unknown -= {"Buchholz", "Sonneborn-Berger", "Arena"}  # names
    texts = {flaw("short", "anna"), flaw("password1234", "anna"), "win in 3", "loses"}
    for folder in REFUSING:
        texts |= _refusals(Path(str(tercet.__file__)).parent / folder)
    assert len(texts) > 120
    assert sorted(text for text in texts - UNTRANSLATED if text and translator.find(text, None) is None) == []


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
                    found.add("".join(str(one.value) if isinstance(one, ast.Constant) else "7" for one in why.values))
    return found


@pytest.mark.parametrize("who", [Spender(None, "anna"), Spender("192.0.2.0")], ids=["person", "network"])
def test_a_used_up_budget_is_refused_in_the_language(who: Spender, translator: Gathering) -> None:
    """Budgets put this sentence together, so that `_refusals` does not find it."""
    budgets = Budgets(ServerLimits(), Exchange())
    budgets.spend(who, engine=1e9, cpu=1e9, size=10**12, rows=10**9)
    for resource, words in WORDS.items():
        refused = refuses(ApiError, None, budgets.check, who, resource)
        assert words in refused.why
        assert words not in translator.say(refused.why, None)
    translator.say(present(Visits(Buckets(1, size=0)).refusal(Spender("192.0.2.0"))).why, None)  # too many connections


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_each_language_has_the_same_sentences(folder: Path) -> None:
    told = {one: tomllib.loads((folder / f"{one}.toml").read_text(encoding="utf-8")) for one in LANGUAGES}
    first = told[LANGUAGES[0]]
    for data in told.values():
        assert list(data["texts"]) == list(first["texts"])
        assert all(text.strip() for text in data["texts"].values())


def test_sentences_with_places_and_lists() -> None:
    text = "At risk: Black 2 cells, White 2 cells. There may be more."
    # The sentence of a hint is a phrase of the board with a capital and a full stop.
    said = [Translator(language).say("Claim d4.", "sparklies") for language in ("de", "zh")]
    assert said == ["d4 nehmen.", "占领 d4。"]
    assert Translator("zh").find(text, "sparklies") == "处于危险：黑方 2 格、白方 2 格。可能还有更多。"
    one = Catalogue(
        {"cell": "[a-z]+[0-9]+"},
        {"Red": "Rot", "Blue": "Blau", "{piece} on {cell}.": "{piece} auf {cell}.", "Done.": "Fertig."},
        {" and ": " und "},
    )
    told: dict[str, str | None] = {"Red on c3.": "Rot auf c3.", "Red and Blue on c3.": "Rot und Blau auf c3."}
    told |= {"Red on c3. Done.": "Rot auf c3. Fertig.", "Red on the table.": None, "Red on c3. Over.": None}
    assert {sentence: one.translate(sentence) for sentence in told} == told
    refuses(ParseError, "places", Catalogue, {}, {"Red": "{colour}"}, {})
    asked = {"de-AT,de;q=0.9,en;q=0.8": "de", "fr, zh-CN": "zh", "en-GB,de": "en", "": "en", "xx": "en", ";;,,": "en"}
    assert {header: accepted(header) for header in asked} == asked


def test_catalogues_have_further_files_and_others_are_refused(tmp_path: Path) -> None:
    assert read_catalogue(tmp_path, "de") is None
    (tmp_path / "zh.toml").write_text("texts = 3", encoding="utf-8")
    refuses(ParseError, r"zh\.toml", read_catalogue, tmp_path, "zh")
    (tmp_path / "de.toml").write_text('[holes]\ncell = "[a-z]+[0-9]+"\n[texts]\n"Red" = "Rot"\n', encoding="utf-8")
    (tmp_path / "de").mkdir()
    rules = tmp_path / "de" / "rules.toml"
    rules.write_text('[texts]\n"**Red** on {cell}." = "**Rot** auf {cell}."', encoding="utf-8")
    found = present(read_catalogue(tmp_path, "de", Catalogue({}, {"Now: {what}": "Jetzt: {what}", "Red": "rot"}, {})))
    assert (found.translate("**Red** on c3."), found.translate("Now: Red")) == ("**Rot** auf c3.", "Jetzt: Rot")
    rules.write_text("[rules]", encoding="utf-8")
    refuses(ParseError, r"rules\.toml", read_catalogue, tmp_path, "de")


def test_long_texts_are_looked_up_and_not_compared() -> None:
    paragraph = "All of it stands in the catalogue. " * 400
    found = Catalogue({}, {paragraph: "Alles", "{a}, {b}, {c}.": "{a}, {b}, {c}."}, {})
    assert found.translate(paragraph) == "Alles"
    assert found.translate("Red, red, red. " * 100 + "Red, red, red.") is not None
    for text in ("a, " * 300, "a, b, c. " * 2000):
        assert found.translate(text) is None


# What every language writes alike: cells and moves, numbers, marks of bold words and of our own decisions.
ALIKE = re.compile(r"\b[A-Z]?[x@+]?[a-m][0-9]{1,2}\b|\d+|\*\*|^\(ours\)")
SIGNS = re.compile(r"[上中下]")


def texts_of(name: str) -> Iterator[str]:
    """What a game says in its rules and those of its skins, in lessons, in the guided first game and of puzzles."""
    definition, game, first = game_definition(name), tercet.game(name), first_game_of(name)
    pages: list[RulesPage | None] = [definition.view.rules_page(game)]
    if definition.skins is not None and definition.skins.rules is not None:
        pages += [definition.skins.rules(game, skin.id) for skin in definition.skins.offered]
    for page in pages:
        if page is not None:
            yield page.title
            for title, paragraphs, _ in page.sections:
                yield from (title, *paragraphs)
            yield from (example.caption for example in page.examples)
    for lesson in lessons_of(name):
        yield from (lesson.title, lesson.chapter, lesson.about)
        for step in lesson.steps:
            yield from (step.title, step.text, step.task, step.hint, step.done, step.otherwise)
            yield from (mark.says for mark in step.marks)
            yield from (wrong.says for wrong in step.wrong)
    yield definition.aim
    for idea in () if first is None else first.ideas:
        yield from (idea.title, idea.text)
    for puzzle in (one for path in shipped(name) for one in read(path)):
        yield from puzzle["tags"]
    for motif in () if definition.puzzles is None else definition.puzzles.motifs:
        yield from (motif.title, motif.says)


def _marks_kept(language: str, text: str, told: str) -> bool:
    """Whether ``told`` has the marks of ``text``. The signs of pieces are words in Chinese, and may come more often."""
    signs, found = SIGNS.findall(text), SIGNS.findall(told)
    kept = set(signs) <= set(found) if language == "zh" else sorted(signs) == sorted(found)
    return kept and sorted(ALIKE.findall(text)) == sorted(ALIKE.findall(told))


@pytest.mark.parametrize("name", tercet.games())
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_has_a_translation(language: str, name: str) -> None:
    translator = Translator(language)
    told = {text: translator.find(text, name) for text in texts_of(name) if text}
    assert [text for text, found in told.items() if found is None] == []
    assert {text: found for text, found in told.items() if found and not _marks_kept(language, text, found)} == {}


def test_a_skin_puts_words_of_the_language_in() -> None:
    kingdom = Translator("de", "sparklies").value(skins_view(tercet.game("sparklies")), list[SkinView])[0]
    assert kingdom["title"] == "Das Königreich wählt seinen ersten Premierminister"
    assert (kingdom["words"]["bleibt rot"], kingdom["words"]["rot"]) == ("bleibt bei der Kirche", "Kirche")
    assert not {"red", "church"} & {*kingdom["words"], *kingdom["words"].values()}


REQUESTS = 400


@functools.cache
def fields(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind, include_extras=True)


def unmarked(value: Any, kind: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each string in ``value`` that has no mark in the type ``kind``, and where it stands."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        if not any(isinstance(part, TextMark) for part in parts):
            yield from unmarked(value, parts[0], path)
    elif origin is NotRequired:
        yield from unmarked(value, parts[0], path)
    elif origin in (typing.Union, types.UnionType):
        if value is not None:
            yield from unmarked(value, _chosen([part for part in parts if part is not types.NoneType], value), path)
    elif isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        row = parts if origin is tuple and parts[-1] is not Ellipsis else [(parts or (Any,))[0]] * len(value)
        for item, part in zip(value, row, strict=True):
            yield from unmarked(item, part, f"{path}/*")
    elif isinstance(value, dict) and isinstance(kind, type):
        for name, item in value.items():
            yield from unmarked(item, fields(kind)[name], f"{path}/{name}")
    elif isinstance(value, dict):
        for item in value.values():
            yield from unmarked(item, (parts or (Any,))[-1], f"{path}/*")


def _chosen(kinds: list[Any], value: Any) -> Any:
    """The one of several types that a message has."""
    if len(kinds) == 1 or not isinstance(value, Mapping):
        return kinds[0]
    return next(
        kind
        for kind in kinds
        if all(value.get(tag) in typing.get_args(fields(kind)[tag]) for tag in ("type", "kind") if tag in fields(kind))
    )


def spoken(values: Iterator[tuple[str, str]], game: str | None) -> set[str]:
    """Where strings stand that a catalogue would put into another language, though they are not marked."""
    translators = [Translator(language, game) for language in LANGUAGES]
    return {
        f"{path}: {value}"
        for path, value in values
        if value[:1].isupper()  # other words are ids
        and not path.endswith(("/tags/*", "/tag"))  # of puzzles: the same in every language
        and any(translator.say(value, game) != value for translator in translators)
    }


@pytest.mark.thorough
async def test_answers_have_no_texts_that_are_not_marked() -> None:
    backend, found = Backend(), set[str]()
    for asked in (*fixed(), *recorded(REQUESTS, seed=3)):
        body = None if asked.body is None else json.dumps(asked.body)
        path = asked.path.partition("?")[0]
        status, text = await backend.request(asked.method, asked.path, body)
        address, _ = find(ADDRESSES, asked.method, path)
        kind = Wrong if address is None or status >= 400 else address.answer
        game = next((part for part in path.split("/") if part in tercet.games()), None)
        if text.startswith(("{", "[{")) and kind is not None:
            found |= {f"{path} {one}" for one in spoken(unmarked(json.loads(text), kind), game)}
    assert found == set()


@pytest.mark.parametrize("name", tercet.games())
async def test_messages_of_a_table_have_no_texts_that_are_not_marked(name: str) -> None:
    backend, heard = Backend(), list[str]()
    position = tercet.game(name).start(3)
    seats = [{"kind": "me"}, *[{"kind": "here"}] * (len(position.game.players) - 1)]
    body = {"game": name, "seed": 3, "seats": seats, "takebacks": "consent"}
    _, text = await backend.request("POST", "/api/tables", json.dumps(body))
    number = backend.connect(f"/api/tables/{json.loads(text)['id']}/live", heard.append)
    said = []
    for ply in range(6):
        action = str(position.legal_actions[-1])
        position = position.play(action)
        said.append({"type": "act", "ply": ply, "action": action})
    said += [{"type": kind} for kind in ("takeback", "draw", "resign", "rematch", "act", "snapshot")]
    for count, message in enumerate(said):
        backend.receive(number, json.dumps({"id": f"m{count}", **message}))
    await until_async(lambda: any(f'"id":"m{len(said) - 2}"' in text for text in heard))
    messages = [json.loads(text) for text in heard]
    assert {"snapshot", "event", "ack", "error"} <= {message["type"] for message in messages}
    assert spoken((one for message in messages for one in unmarked(message, ServerMessage)), name) == set()


def strings(kind: Any, name: str = "", within: tuple[Any, ...] = ()) -> Iterator[str]:
    """Yield the fields of a type, and of the types in it, with strings that have no mark."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind is str:
        yield name
    elif isinstance(kind, type) and hasattr(kind, "__annotations__"):
        for field, inner in fields(kind).items() if kind not in within else ():
            yield from strings(inner, f"{kind.__name__}.{field}", (*within, kind))
    elif origin is not Annotated or not any(isinstance(part, TextMark) for part in parts):
        for part in parts[-1:] if origin in (dict, Mapping) else parts:
            yield from strings(part, name, within)


SPEAKING = re.compile(
    r"\.(about|aim|alerts|caption|chapter|designer|formTitle|goal|grave|help|hint|label|lines|notes?|players?|prompt|"
    r"says|summary|task|titles?|unrated|victory|why)$"
)


def test_fields_whose_names_promise_texts_are_marked() -> None:
    """Of all messages and answers, those too that the corpus does not hold."""
    kinds = [*(one.answer for one in served().values()), *(socket.server for socket in SOCKETS.values())]
    assert {one for kind in kinds for one in strings(kind) if SPEAKING.search(one)} == set()
