"""Plugins of all tests, and the order of their files."""

from __future__ import annotations

from itertools import chain, zip_longest
from pathlib import Path

import pytest

pytest_plugins = ["pytester", "tests.support.required_tests", "tests.support.server_errors"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files that need much of the processor (a browser's) alternate with those that mostly wait (a server's), and come
    before all the others, which are short: so processes that share the files are busy to the end."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    folders: dict[str, list[list[pytest.Item]]] = {}
    for path, of_file in files.items():
        parts = path.relative_to(config.rootpath).parts if path.is_relative_to(config.rootpath) else ()
        folder = parts[1] if len(parts) > 2 else ""
        folders.setdefault(folder if folder in ("browser", "server") else "", []).append(of_file)
    pairs = zip_longest(folders.pop("browser", []), folders.pop("server", []))
    alternating = [of_file for pair in pairs for of_file in pair if of_file]
    items[:] = chain.from_iterable([*alternating, *folders.get("", [])])
