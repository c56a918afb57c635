"""Crossway, a game of somebody else's, is installed beside Tercet: nothing outside its package knows of it."""

import importlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tercet.games import rescan
from tests.browser.conftest import browser, meet, page, usual  # noqa: F401  (fixtures)
from tests.fourth_game.gomoku import install

PACKAGE = Path(__file__).with_name("crossway")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages into which the game is installed."""
    target = tmp_path_factory.mktemp("site")
    install(PACKAGE, target)
    return target


@pytest.fixture(scope="module")
def installed(site: Path) -> Iterator[Path]:
    """Programs started by a test of the module, and the test itself, find the game."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])]))
        patch.syspath_prepend(site)
        importlib.invalidate_caches()
        rescan()
        yield site
    rescan()
