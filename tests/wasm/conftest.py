"""The static site, built once."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tercet.browser.site import build_docs, build_site
from tests.browser.conftest import DESKTOP, Watch, browser  # noqa: F401  (a fixture)
from tests.wasm.modules import GAMES, loaded
from tests.wasm.site import Host, Visitor

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


@pytest.fixture
def host(built: Path) -> Iterator[Host]:
    with contextlib.closing(Host(built)) as host:
        yield host


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Iterator[Host]:
    """A host of a copy of the site, for a test that changes it."""
    shutil.copytree(built, tmp_path / "site", copy_function=os.link)
    with contextlib.closing(Host(tmp_path / "site")) as host:
        yield host


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Visitor]:  # noqa: F811
    """Visitors, each with a browser of their own; no page of theirs may fail or ask another host."""
    contexts: list[BrowserContext] = []
    watch = Watch()

    def visitor(**options: Any) -> BrowserContext:
        contexts.append(browser.new_context(**{**DESKTOP, **options}))
        contexts[-1].set_default_timeout(120_000)
        contexts[-1].grant_permissions(["clipboard-read", "clipboard-write"])
        contexts[-1].on("weberror", lambda found: watch.faults.append(f"error in the page: {found.error}"))
        contexts[-1].on("request", lambda request: watch.asked(request.url))
        return contexts[-1]

    yield visitor
    for context in contexts:
        context.close()
    assert watch.faults == []


@pytest.fixture
def page(visitor: Visitor) -> Page:
    return visitor().new_page()
