"""The static site, built once."""

import os
from pathlib import Path

import pytest

from tercet.browser.site import build_docs, build_site
from tests.wasm.modules import GAMES, loaded

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site: TERCET_SITE, if `make site` has just written it there."""
    if given := os.environ.get("TERCET_SITE"):
        return Path(given)
    pyodide = Path(os.environ.get("TERCET_PYODIDE", ROOT / ".venv" / "pyodide" / "node_modules" / "pyodide"))
    if not pyodide.exists():
        pytest.skip("THE SITE WAS NOT TESTED: there is no Pyodide (make test-wasm installs it)")
    out = tmp_path_factory.mktemp("site")
    assert build_docs(out) == ""
    build_site(out, pyodide, {name: loaded(name) for name in GAMES})
    return out
