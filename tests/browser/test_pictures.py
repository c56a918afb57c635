"""The page looks as it is meant to: pictures of every state, shrunk, beside small copies that are kept. Where it is
meant to look otherwise now: ``python -m tests.browser.pictures --keep [STATE ...]``, and look at what has changed."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Browser

from .pictures import COMPARED, Look, difference, kept, opened, shot, small
from .states import STATES
from .table import Server

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.thorough]

ALLOWED = 0.01  # of the picture
# Where chance, the clock or the state of a living board is in the picture.
MORE = {"home": 0.06, "custom": 0.02, "sanqi-code": 0.05, "triplicity-debt": 0.05, "triplicity-out": 0.03}


@pytest.fixture(scope="module", params=[COMPARED[0], pytest.param(COMPARED[1], marks=pytest.mark.long)], ids=str)
def look(request: pytest.FixtureRequest) -> Look:
    """How the page is looked at: on a phone, by day; and, at length, on a desk, by night."""
    return cast("Look", request.param)


@pytest.fixture(scope="module")
def server(look: Look, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of this look's own: what is played at a server is on the first page."""
    with closing(Server(tmp_path_factory.mktemp("games"))) as started:
        yield started


@pytest.mark.parametrize("state", STATES)
def test_a_state_looks_as_it_is_kept(browser: Browser, server: Server, state: str, look: Look, tmp_path: Path) -> None:
    file = kept(state, look)
    assert file.exists(), f"no copy of {state} is kept: python -m tests.browser.pictures --keep {state}"
    before = Image.open(file)
    with opened(browser, look) as page:
        now = small(shot(page, server, state))
        for _ in range(5):  # seconds
            if difference(now, before) <= MORE.get(state, ALLOWED):
                break
            page.wait_for_timeout(1000)  # what the server is slow to answer comes late
            now = small(page.screenshot())
    found = difference(now, before)
    if found > MORE.get(state, ALLOWED):
        folder = Path(os.environ.get("TERCET_PICTURES", tmp_path))
        now.save(folder / file.name)
        pytest.fail(f"{100 * found:.1f} % of {file.name} is other than it was; now it is {folder / file.name}")


def test_a_moved_part_and_another_colour_are_seen() -> None:
    def drawn(at: int, colour: str) -> Image.Image:
        image = Image.new("RGB", (97, 211), "#f7f2e7")
        ImageDraw.Draw(image).rectangle((10, at, 60, at + 12), fill=colour)
        return image

    before = drawn(40, "#244a86")
    assert difference(drawn(40, "#244a86"), before) == 0
    assert difference(drawn(44, "#244a86"), before) > ALLOWED
    assert difference(drawn(40, "#b3372b"), before) > ALLOWED
    assert difference(before.resize((97, 210)), before) == 1
