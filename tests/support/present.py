"""What a test knows to be there: a value that may be None elsewhere, parts of a text, a module that no package has."""

import importlib.util
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")


def present(value: Value | None) -> Value:
    assert value is not None
    return value


def module_at(path: Path) -> Any:
    spec = present(importlib.util.spec_from_file_location(path.stem, path))
    module = importlib.util.module_from_spec(spec)
    present(spec.loader).exec_module(module)
    return module


def lacking(text: str, *parts: str) -> list[str]:
    return [part for part in parts if part not in text]
