"""Crossway, a game of somebody else's, is installed beside Tercet: nothing outside its package knows of it."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tercet.games import rescan
from tests.browser.conftest import browser, page, usual  # noqa: F401  (fixtures)

PACKAGE = Path(__file__).with_name("crossway")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages into which pip has installed the game, as it installs any."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "--target", target, PACKAGE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
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
