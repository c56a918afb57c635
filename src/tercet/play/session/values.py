"""Values that differ from others in a few fields."""

from __future__ import annotations

from typing import Any, TypeVar

__all__ = ["replaced"]

T = TypeVar("T")


def replaced(value: T, **changes: Any) -> T:
    """Return the same as :func:`dataclasses.replace` of a dataclass that computes nothing when it is made, for what is
    done with every action: it looks at no field but those it copies, which is several times as quick."""
    made = object.__new__(type(value))
    fields, before = made.__dict__, value.__dict__
    for name in value.__dataclass_fields__:  # type: ignore[attr-defined]
        fields[name] = before[name]
    fields.update(changes)
    return made
