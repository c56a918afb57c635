"""Which strings of a message are texts, its type says: no message has a text in a string that is not marked."""

import asyncio
import functools
import json
import re
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NotRequired

import pytest

import tercet
from tercet.answers.addresses import ADDRESSES, Wrong, find
from tercet.answers.translation import LANGUAGES, Translator
from tercet.answers.wire.table_messages import ServerMessage
from tercet.browser.backend import Backend
from tercet.core.texts import TextMark
from tercet.server.schema import SOCKETS, served
from tests.server.games.requests import fixed, recorded

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
            inner = [part for part in parts if part is not types.NoneType]
            yield from unmarked(value, _chosen(inner, value), path)
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
def test_answers_have_no_texts_that_are_not_marked() -> None:
    async def ask() -> set[str]:
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
        return found

    assert asyncio.run(ask()) == set()


@pytest.mark.parametrize("name", tercet.games())
def test_messages_of_a_table_have_no_texts_that_are_not_marked(name: str) -> None:
    async def play() -> list[str]:
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
        while not any(f'"id":"m{len(said) - 2}"' in text for text in heard):
            await asyncio.sleep(0.01)
        return heard

    heard = [json.loads(text) for text in asyncio.run(play())]
    assert {"snapshot", "event", "ack", "error"} <= {message["type"] for message in heard}
    found = set()
    for message in heard:
        found |= spoken(unmarked(message, ServerMessage), name)
    assert found == set()


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
    found = {one for kind in kinds for one in strings(kind) if SPEAKING.search(one)}
    assert found == set()
