"""Plugins of all tests, which of their files are imported, and in what order they run."""

from __future__ import annotations

import asyncio
import inspect
import re
from itertools import chain, zip_longest
from pathlib import Path

import pytest

pytest_plugins = ["pytester", "tests.support.required_tests", "tests.support.server_errors"]

MARK_OF_FILE = re.compile(r"^pytestmark = .*pytest\.mark\.(long|online|page|thorough|train|wasm)\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether to skip a file because the command excludes all its tests (``-m "not page"``). Each process of a run
    would spend seconds on importing such files."""
    if not collection_path.match("test_*.py"):
        return None
    excluded = set(re.findall(r"\bnot (\w+)", config.getoption("markexpr")))
    return True if excluded & set(MARK_OF_FILE.findall(collection_path.read_text())) else None


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}))
    return True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files that need much of the processor (a browser's) alternate with those that mostly wait (a server's). They come
    before all the others, which are short, and the simulated world, the longest test of all, comes first: so processes
    that share the files are busy to the end."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    folders: dict[str, list[list[pytest.Item]]] = {}
    for path, of_file in files.items():
        parts = path.relative_to(config.rootpath).parts if path.is_relative_to(config.rootpath) else ()
        folder = parts[1] if len(parts) > 2 else ""
        folders.setdefault(folder if folder in ("browser", "server", "simulation") else "", []).append(of_file)
    pairs = zip_longest([*folders.pop("simulation", []), *folders.pop("browser", [])], folders.pop("server", []))
    alternating = [of_file for pair in pairs for of_file in pair if of_file]
    items[:] = chain.from_iterable([*alternating, *folders.get("", [])])
