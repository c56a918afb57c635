"""Plugins of all tests, and which of their files are imported."""

import asyncio
import inspect
import re
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
