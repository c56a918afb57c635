"""The clients that follow a table, and the messages for them: rendered once for all clients that get the same."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import orjson

from tercet.answers import table_messages
from tercet.session import LogEvent, Session, Step
from tercet.translation.messages import Translated, Translator
from tercet.view import fields_of, to_json

__all__ = [
    "BARE_HERE",
    "FULL_HERE",
    "HERE",
    "SEATING",
    "Client",
    "Readers",
    "Rendered",
    "encode",
    "readers",
    "render",
    "view_of",
    "written",
]

QUEUE = 64  # commits that a client may lag behind
SEATING = ("sit", "stand", "lots", "claim", "link")  # events that change who sits where, or what opens a seat

Readers = frozenset[int] | None  # the seats of clients that read messages; None: no client does


def _data(value: Any) -> Any:
    """What stands for ``value`` in JSON; TypeError where nothing does."""
    data = to_json(value)
    if data is value:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON.")
    return data


_ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False, default=_data)


def encode(message: Any) -> str:
    """``message``, in which dataclasses may stand, as JSON. Where something in it cannot be written in UTF-8 (half of a
    surrogate pair, which a client may send as an escape), all of it is pure ASCII."""
    try:
        return orjson.dumps(message, default=_data).decode()
    except TypeError:
        return _ENCODER.encode(message)


# A view whose parts are dataclasses and whose paths are text, as :func:`written` takes it.
view_of = functools.partial(table_messages.view_of, as_data=fields_of, path_data=attrgetter("as_text"))
# The view is most of a message and the same for all who get it: it is written once, and put where this stands.
HERE = {secrets.token_hex(16): True}
PATHLESS: dict[str, Any] = {"paths": [], "gestures": []}
FULL_HERE, BARE_HERE = encode(HERE), encode({**HERE, **PATHLESS})


class Client:
    """A client that follows a table: a player (with ``held`` seats, as ``tokens`` and ``person_id`` say) or a
    spectator. ``opened`` says that this person opened the table. Messages queue up where ``send_now`` cannot send
    them at once; the server cuts a client that lags too far. A client that does not ``read`` only learns that there
    is something new, and nothing is rendered for it. A client in another language than English has a ``translator``."""

    reads = True
    translator: Translator | None = None

    def __init__(
        self,
        held: frozenset[int],
        tokens: Iterable[str] = (),
        person_id: str | None = None,
        opened: bool = False,
    ) -> None:
        self.held = held
        self.tokens = tuple(tokens)
        self.person_id = person_id
        self.opened = opened
        self.send_now: Callable[[Sequence[str]], bool] = lambda _: False
        self.queue: asyncio.Queue[tuple[str, ...]] = asyncio.Queue(QUEUE)
        self.unsent = 0  # tuples of messages in the queue, or taken from it and not sent yet
        self.cut = asyncio.Event()
        self.sent_characters = 0
        self.came: int | None = None  # when the client began to follow, in milliseconds

    @property
    def language(self) -> str:
        """The language that the client reads."""
        return "en" if self.translator is None else self.translator.language

    def tell(self, *messages: Any) -> None:
        """Send or queue ``messages``, which belong together, or cut the client off where its queue is full."""
        texts = tuple(one if isinstance(one, str) else encode(one) for one in messages)
        if self.translator is not None:
            texts = tuple(one if isinstance(one, Translated) else self.translator.message(one) for one in texts)
        self.sent_characters += sum(len(text) for text in texts)
        if not self.unsent and self.send_now(texts):
            return
        try:
            self.queue.put_nowait(texts)
            self.unsent += 1
        except asyncio.QueueFull:
            self.cut.set()


@dataclass(frozen=True)
class Rendered:
    """An event, the session after it and its view, written for the player to move (``full``) and for all others.

    As text, because the garbage collector would spend its time on the views of a thousand tables as objects.
    """

    event: LogEvent
    session: Session
    full: str
    bare: str

    def translated(self, translator: Translator, full: bool) -> Rendered:
        """The same in the translator's language; the whole view only where ``full`` says so."""
        written = translator.message(self.full) if full else ""
        return dataclasses.replace(self, full=written, bare=translator.message(self.bare))


def readers(clients: Iterable[Client]) -> Readers:
    """Who of ``clients`` reads."""
    reading = [client.held for client in clients if client.reads]
    return frozenset().union(*reading) if reading else None


def render(steps: Sequence[Step], most: int, who: Readers) -> list[Rendered]:
    """Return what ``steps`` lead to, one by one, or only the last if there are more than ``most``, for the readers
    ``who``. Only the last view has paths, and only if a reader may move then (or may turn out to, since these steps
    seat a player)."""
    if who is None:
        return [Rendered(event, session, "", "") for event, session in steps]
    seated = any(event.kind in SEATING for event, _ in steps)
    found = []
    for number, (event, session) in enumerate(steps, 1):
        if number == len(steps) or len(steps) <= most:
            view = view_of(session, paths=number == len(steps) and (seated or session.mover in who))
            found.append(Rendered(event, session, *written(view)))
    return found


def written(view: dict[str, Any]) -> tuple[str, str]:
    """A view of :func:`view_of` as text, whole, and without paths and gestures."""
    bare = encode({**view, **PATHLESS})
    return _with_paths(bare, view), bare


def _with_paths(bare: str, view: dict[str, Any]) -> str:
    """The whole view, of which ``bare`` has everything but the paths and gestures, which stand in it side by side."""
    if not (view["paths"] or view["gestures"]):
        return bare
    before, between, after = bare.partition(encode(PATHLESS)[1:-1])
    assert between
    return f'{before}"paths":[{",".join(view["paths"])}],"gestures":{encode(view["gestures"])}{after}'
