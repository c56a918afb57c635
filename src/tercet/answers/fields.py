"""The fields of a request, held against the parameters of the function that answers it."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tercet.answers.errors import AnswerError

__all__ = ["answer_fields", "field_subject"]

# Fields that people fill in have names in sentences.
NOUNS = {"email": "e-mail address", "handle": "username", "name": "name", "password": "password", "text": "text"}
MISSING, UNKNOWN = "is missing.", "is not known here. Leave it out."


def field_subject(places: Sequence[str]) -> str:
    """Return the subject of a sentence about the field at ``places``: its name after those of the fields around it."""
    named = next((place for place in reversed(places) if not place.isdigit()), "")
    if named in NOUNS:
        return f"The {NOUNS[named]}"
    return f"The field {'.'.join(places)}" if places else "The body"


def answer_fields(function: Callable[..., Any], fields: Mapping[str, Any]) -> Any:
    """Return what ``function`` answers to ``fields``. Raise AnswerError where one is missing, unknown or of another
    kind than the function takes."""
    kinds, required = _parameters(function)
    for name, kind in kinds.items():
        if name not in fields:
            if name in required:
                raise _refused(name, MISSING)
        elif (rule := _rule(kind, fields[name])) is not None:
            raise _refused(name, rule)
    for name in fields:
        if name not in kinds:
            raise _refused(name, UNKNOWN)
    return function(**fields)


def _refused(name: str, rule: str) -> AnswerError:
    return AnswerError("bad-message", f"body.{name}", f"{field_subject([name])} {rule}")


@functools.cache
def _parameters(function: Callable[..., Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the kinds of a function's parameters, and which of them have no default."""
    known = inspect.signature(function).parameters
    hints = typing.get_type_hints(inspect.unwrap(function))
    required = frozenset(name for name, one in known.items() if one.default is inspect.Parameter.empty)
    return {name: hints[name] for name in known}, required


def _rule(kind: Any, value: Any) -> str | None:
    """Return what must hold of a value of this kind; None if it does."""
    if isinstance(kind, types.UnionType):
        wanted = [one for one in typing.get_args(kind) if one is not types.NoneType]
        return None if value is None and len(wanted) < len(typing.get_args(kind)) else _rule(wanted[0], value)
    origin = typing.get_origin(kind) or kind
    if origin is str:
        return None if isinstance(value, str) else "must be a string."
    if origin is int:
        return None if isinstance(value, int) and not isinstance(value, bool) else "must be a whole number."
    if origin is bool:
        return None if isinstance(value, bool) else "must be true or false."
    if origin is Mapping:
        return None if isinstance(value, Mapping) else "must be an object."
    if origin is Sequence:
        return None if isinstance(value, list) else "must be a list."
    return None
