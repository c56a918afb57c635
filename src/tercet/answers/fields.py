"""The fields of requests: what their types demand of what a client sends, the same on a server and in a browser."""

from __future__ import annotations

import datetime
import functools
import math
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Union

from tercet.answers.errors import AnswerError
from tercet.answers.wire.client_messages import MAX_ACTION, MAX_NUMBER

Place = tuple[str, ...]  # "path", "query" or "body", and the names and numbers that lead to a field in it
# Fields that people fill in have names in sentences.
NOUNS = {"email": "e-mail address", "handle": "username", "name": "name", "password": "password", "text": "text"}
MISSING, UNKNOWN = "is missing.", "is not known here. Leave it out."


def refused(place: Place, rule: str) -> AnswerError:
    """Return the error that says which ``rule`` the field at ``place`` breaks."""
    named = next((one for one in reversed(place) if not one.isdigit()), "")
    field = f"The field {'.'.join(place[1:])}" if place[1:] else "The body"
    subject = f"The {NOUNS[named]}" if named in NOUNS else field
    return AnswerError("bad-message", ".".join(place)[:200], f"{subject} {rule}"[:300])


@dataclass(frozen=True)
class Limit:
    """Bounds of a field: the ``most`` and the ``least`` of a number, or of the characters of a text or the entries of a
    list; what a number must be ``above`` or ``below``; the ``pattern`` of a text."""

    most: float | None = None
    least: float | None = None
    above: float | None = None
    below: float | None = None
    pattern: str | None = None

    def broken_by(self, value: Any) -> str | None:
        """Return the rule that ``value`` breaks; None if it keeps them all."""
        if isinstance(value, str | list | dict):
            things = "characters" if isinstance(value, str) else "entries"
            if self.least is not None and len(value) < self.least:
                return "must not be empty." if self.least == 1 else f"must have at least {self.least} {things}."
            if self.most is not None and len(value) > self.most:
                return f"must have at most {self.most} {things}."
            keeps = self.pattern is None or not isinstance(value, str) or re.fullmatch(self.pattern, value)
            return None if keeps else f"must match {self.pattern}"
        if self.least is not None and not value >= self.least:
            return f"must be at least {self.least}."
        if self.most is not None and not value <= self.most:
            return f"must be at most {self.most}."
        if self.above is not None and not value > self.above:
            return f"must be above {self.above}."
        return f"must be below {self.below}." if self.below is not None and not value < self.below else None

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Callable[[Any], dict[str, Any]]) -> Any:
        """Return the JSON Schema of a field with these bounds."""
        found = handler(core_schema)
        size = {"string": "Length", "array": "Items", "object": "Properties"}.get(found.get("type", ""))
        least, most = ("minimum", "maximum") if size is None else (f"min{size}", f"max{size}")
        bounds = {least: self.least, most: self.most, "pattern": self.pattern}
        bounds |= {"exclusiveMinimum": self.above, "exclusiveMaximum": self.below}
        return found | {name: bound for name, bound in bounds.items() if bound is not None}


class Kind(NamedTuple):
    """What a type demands: ``noun`` says what a value must be, ``base`` is the type of such JSON, and ``take`` returns
    the value as the type has it, or raises AnswerError."""

    noun: str
    base: type
    take: Callable[[Any, Place], Any]


TRUTHS = dict.fromkeys(("true", "1", "on", "yes"), True) | dict.fromkeys(("false", "0", "off", "no"), False)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    value.encode()  # half a surrogate pair is no text
    return value


def _whole(value: Any) -> int:
    if isinstance(value, str) and re.fullmatch("[+-]?[0-9]{1,20}", value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise ValueError
    return int(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not math.isfinite(number := float(value)):
        raise ValueError
    return number


SCALARS: dict[Any, tuple[str, Callable[[Any], Any]]] = {
    str: ("a string", _text),
    int: ("a whole number", _whole),
    float: ("a number", _number),
    bool: ("true or false", lambda value: TRUTHS[str(value).lower()]),
    datetime.date: ("a date, as in 2026-01-31", datetime.date.fromisoformat),
}


@functools.cache
def kind_of(annotation: Any) -> Kind:
    """Return what a type demands of a value. Numbers, dates, true and false may be text, as addresses have them."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        limits = [one for one in parts[1:] if isinstance(one, Limit)]
        return functools.reduce(_limited, limits, kind_of(parts[0]))
    if origin in (Union, types.UnionType):
        return _union([kind_of(one) for one in parts if one is not types.NoneType], types.NoneType in parts)
    if origin is Literal:
        *first, last = map(repr, parts)
        known = {value: value for value in parts}
        return _converting(f"{', '.join(first)} or {last}" if first else last, type(parts[0]), known.__getitem__)
    if origin in (list, Sequence):
        return _listed([kind_of(parts[0])], None)
    if origin is tuple:
        return _listed([kind_of(one) for one in parts], len(parts))
    if origin in (dict, Mapping):
        return _mapped(*(kind_of(one) for one in parts))
    if annotation in SCALARS:
        return _converting(SCALARS[annotation][0], annotation, SCALARS[annotation][1])
    return _object(annotation)


def _converting(noun: str, base: type, convert: Callable[[Any], Any]) -> Kind:
    def take(value: Any, place: Place) -> Any:
        try:
            return convert(value)
        except (ValueError, TypeError, KeyError, OverflowError):
            raise refused(place, f"must be {noun}.") from None

    return Kind(noun, base, take)


def _limited(kind: Kind, limit: Limit) -> Kind:
    def take(value: Any, place: Place) -> Any:
        many = isinstance(value, list | dict) and limit.most is not None and len(value) > limit.most
        taken = value if many else kind.take(value, place)
        rule = limit.broken_by(taken)
        if rule is not None:
            raise refused(place, rule)
        return taken

    return kind._replace(take=take)


def _union(kinds: list[Kind], optional: bool) -> Kind:
    *first, last = [kind.noun for kind in kinds]
    noun = f"{', '.join(first)} or {last}" if first else last
    by_base = {kind.base: kind for kind in kinds}

    def take(value: Any, place: Place) -> Any:
        if value is None and optional:
            return None
        kind = kinds[0] if not first else by_base.get(type(value))
        if kind is None:
            raise refused(place, f"must be {noun}.")
        return kind.take(value, place)

    return Kind(noun, kinds[0].base, take)


def _listed(kinds: list[Kind], length: int | None) -> Kind:
    def take(value: Any, place: Place) -> Any:
        if not isinstance(value, list):
            raise refused(place, "must be a list.")
        if length is not None and len(value) != length:
            raise refused(place, f"must have {length} entries.")
        each = kinds if length is not None else kinds * len(value)
        try:
            return [kind.take(one, ()) for kind, one in zip(each, value, strict=True)]
        except AnswerError:  # the places, which take as long as all else, are only needed now
            return [kind.take(one, (*place, str(at))) for at, (kind, one) in enumerate(zip(each, value, strict=True))]

    return Kind("a list", list, take)


def _mapped(key: Kind, inner: Kind) -> Kind:
    def take(value: Any, place: Place) -> Any:
        if not isinstance(value, dict):
            raise refused(place, "must be an object.")
        return {key.take(name, (*place, name, "[key]")): inner.take(one, (*place, name)) for name, one in value.items()}

    return Kind("an object", dict, take)


def fields_of(annotation: Any) -> dict[str, tuple[Any, bool]]:
    """Return the types of an object's fields, and whether each is required."""
    hints = typing.get_type_hints(annotation, include_extras=True)
    needed = {name: typing.get_origin(hint) is not NotRequired for name, hint in hints.items()}
    return {name: (hint if needed[name] else typing.get_args(hint)[0], needed[name]) for name, hint in hints.items()}


def _object(annotation: Any) -> Kind:
    fields = fields_of(annotation)
    kinds = {name: kind_of(hint) for name, (hint, _) in fields.items()}
    required = [name for name, (_, needed) in fields.items() if needed]

    def take(value: Any, place: Place) -> Any:
        if not isinstance(value, dict):
            raise refused(place, "must be an object.")
        return taken(value, kinds, required, place)

    return Kind("an object", dict, take)


def taken(given: Mapping[str, Any], kinds: Mapping[str, Kind], required: Sequence[str], place: Place) -> dict[str, Any]:
    """Return the ``given`` fields as their ``kinds`` have them. Raise AnswerError where one of those ``required`` is
    missing, or where one is unknown or wrong."""
    found = {}
    for name, kind in kinds.items():
        if name in given:
            found[name] = kind.take(given[name], (*place, name))
        elif name in required:
            raise refused((*place, name), MISSING)
    for name in given:
        if name not in kinds:
            raise refused((*place, name), UNKNOWN)
    return found


OptionValue = bool | int | Annotated[str, Limit(2000)]
Options = Annotated[Mapping[Annotated[str, Limit(40)], OptionValue], Limit(40)]
Clock = Annotated[Mapping[Annotated[str, Limit(20)], str | int | float], Limit(8)]
GameField = Annotated[str, Limit(40)]
PuzzleGame = Annotated[str, Limit(20, pattern="^[a-z]*$")]
PositionText = Annotated[str, Limit(20_000)]
RecordText = Annotated[str, Limit(200_000)]
Action = Annotated[str, Limit(MAX_ACTION)]
Line = Annotated[Sequence[Action], Limit(5000)]  # of moves
Actions = Annotated[Sequence[Action], Limit(400)]  # of one step
Seed = Annotated[int, Limit(least=0, below=1 << 53)]
Ply = Annotated[int, Limit(MAX_NUMBER, 0)]
