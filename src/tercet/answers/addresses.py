"""The addresses of the API, each declared on the function that answers it.

From a declaration come the server's route and the browser's dispatch, the check of what is asked, the description at
``/api/openapi.json``, the page's client with its types, and the table in the documentation.
"""

from __future__ import annotations

import functools
import inspect
import json
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import parse_qs, unquote

from tercet.answers.fields import MISSING, Kind, fields_of, kind_of, refused, taken
from tercet.answers.wire import TypedDict, game_data

JSON = "application/json"
Queue = Literal["opening", "reading", "drawing", "playing"]
Where = Literal["path", "query", "body"]
WHERE: tuple[Where, ...] = ("path", "query", "body")
F = TypeVar("F", bound=Callable[..., Any])
ADDRESSES: dict[str, Address] = {}  # by method and path


class Wrong(TypedDict):
    """The answer to a request that was refused."""

    error: game_data.ErrorData


class Field(NamedTuple):
    """A field of a request: the ``name`` of its parameter, ``where`` it stands, and its type."""

    name: str
    where: Where
    hint: Any
    required: bool


@dataclass(frozen=True)
class Address:
    """What is asked at an address, and how it is answered. ``answer`` is the type of what ``function`` returns (None:
    no JSON, or none that is described), ``media`` its media type. On a server a function without a request runs in a
    thread of the ``queue``, or, where it may take long, ``apart`` in a process of its own; a request is refused if its
    client has used up the computing time, or one of the resources of ``quota``. The answer of a ``fixed`` address does
    not change while the program runs."""

    method: str
    path: str
    function: Callable[..., Any]
    answer: Any
    status: int
    media: str
    queue: Queue
    apart: Callable[..., bool]
    quota: Sequence[str]
    fixed: bool

    @functools.cached_property
    def fields(self) -> dict[str, Field]:
        """Return the fields by name: the parameters of the function, and the fields of the type that its ``**``
        unpacks. An underscore behind a parameter's name only keeps it apart from a word of Python's."""
        hints, found = typing.get_type_hints(inspect.unwrap(self.function), include_extras=True), dict[str, Field]()
        for name, parameter in inspect.signature(self.function).parameters.items():
            if name in ("self", "request"):
                continue
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                (unpacked,) = typing.get_args(hints[name])
                found |= {key: self._field(key, *hint) for key, hint in fields_of(unpacked).items()}
            else:
                key = name.rstrip("_")
                found[key] = self._field(key, hints[name], parameter.default is inspect.Parameter.empty, name)
        return found

    def _field(self, key: str, hint: Any, required: bool, name: str = "") -> Field:
        where: Where = "path" if f"{{{key}}}" in self.path else "query" if self.method == "GET" else "body"
        return Field(name or key, where, hint, required)

    @functools.cached_property
    def _demands(self) -> dict[Where, tuple[dict[str, Kind], list[str]]]:
        """Return what the fields of each part of a request demand, and those that may not be left out."""
        parts = {where: [(key, one) for key, one in self.fields.items() if one.where == where] for where in WHERE}
        return {
            where: ({key: kind_of(one.hint) for key, one in part}, [key for key, one in part if one.required])
            for where, part in parts.items()
        }

    @functools.cached_property
    def has_body(self) -> bool:
        """Return whether a request has fields in its body."""
        return any(one.where == "body" for one in self.fields.values())

    def read(self, parts: Mapping[str, str], query: str, body: str | bytes | None) -> dict[str, Any]:
        """Return the arguments of the function: the ``parts`` of the path, and the fields of the ``query`` and of the
        ``body``. Raise AnswerError where one is missing, unknown or wrong; a query may have more."""
        path, asked, wanted = (self._demands[where] for where in WHERE)
        found = taken(parts, *path, ("path",))
        if asked[0]:
            said = parse_qs(query, keep_blank_values=True)
            known = {key: said[key] for key in asked[0] if key in said}
            given = {key: all_said if asked[0][key].base is list else all_said[-1] for key, all_said in known.items()}
            found |= taken(given, *asked, ("query",))
        if wanted[0]:
            found |= taken(self._body(body, bool(wanted[1])), *wanted, ("body",))
        return {self.fields[key].name: value for key, value in found.items()}

    @staticmethod
    def _body(body: str | bytes | None, is_required: bool) -> dict[str, Any]:
        try:
            found = json.loads(body) if body else None
        except (ValueError, RecursionError):
            raise refused(("body",), "must be JSON.") from None
        if found is None and is_required:
            raise refused(("body",), MISSING)
        if not isinstance(found, dict | None):
            raise refused(("body",), "must be an object.")
        return found or {}

    @property
    def asked(self) -> str:
        """Return the method and the path."""
        return f"{self.method} {self.path}"

    @property
    def is_shared(self) -> bool:
        """Return whether the function answers wherever it runs."""
        module = self.function.__module__
        return module.startswith("tercet.answers.") and module != "tercet.answers.home"

    def parts_of(self, method: str, path: str) -> dict[str, str] | None:
        """Return the parts of ``path`` that stand for the names in this address; None where the address is another."""
        wanted, said = self.path.split("/"), path.split("/")
        if method != self.method or len(wanted) != len(said):
            return None
        pairs = list(zip(wanted, said, strict=True))
        if any(part != one and (not part.startswith("{") or not one) for part, one in pairs):
            return None
        return {part[1:-1]: unquote(one) for part, one in pairs if part.startswith("{")}


def address(
    asked: str,
    answer: Any = None,
    *,
    status: int = 200,
    media: str = JSON,
    queue: Queue = "reading",
    apart: Callable[..., bool] = lambda **_: False,
    quota: Sequence[str] = (),
    fixed: bool = False,
) -> Callable[[F], F]:
    """Declare what a function answers: requests with this method and path, whose fields are its parameters. See
    :class:`Address`."""
    method, _, path = asked.partition(" ")

    def declare(function: F) -> F:
        made = Address(method, path, function, answer, status, media, queue, apart, quota, fixed)
        ADDRESSES[asked] = function.address = made  # type: ignore[attr-defined]
        return function

    return declare


def answers(declared: Callable[..., Any]) -> Callable[[F], F]:
    """Let a function answer, in the place where it runs, at the address of the function ``declared``."""

    def bind(function: F) -> F:
        function.address = declared.address  # type: ignore[attr-defined]
        return function

    return bind


def answers_of(place: Any) -> list[tuple[Address, Any]]:
    """Return the addresses that functions of a module, or methods of an object, answer, each with what answers it."""
    module = getattr(place, "__name__", None)
    names = vars(place if module else type(place))
    found = [(getattr(one, "address", None), name, one) for name, one in names.items()]
    return [
        (declared, getattr(place, name))
        for declared, name, one in found
        if isinstance(declared, Address) and module in (None, one.__module__)
    ]


def in_order(addresses: Iterable[str]) -> list[str]:
    """Return ``addresses``, those with a word before those with a name in its place."""
    return sorted(addresses, key=lambda asked: asked.partition(" ")[2].replace("{", "~"))


def find(addresses: Iterable[str], method: str, path: str) -> tuple[Address | None, dict[str, str]]:
    """Return the one of ``addresses`` that is asked, and the parts of the path that stand for names in it."""
    for asked in in_order(addresses):
        parts = ADDRESSES[asked].parts_of(method, path)
        if parts is not None:
            return ADDRESSES[asked], parts
    return None, {}
