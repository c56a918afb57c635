"""Pictures of the page for people to look at: every state at every size, by day and by night; and small copies of some
of them, kept beside the tests, with which `test_pictures` compares the page.

``python -m tests.browser.pictures FOLDER [STATE ...]`` takes the pictures.
``python -m tests.browser.pictures --keep [STATE ...]`` makes the small copies anew: the page is meant to look so.
"""

import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops, ImageFilter
from playwright.sync_api import Browser, Page

from .conftest import ARGS, chromium_path
from .screen import settled
from .states import SIZES, STATES
from .table import Server

TOUCHED = 760
KEPT = Path(__file__).with_name("kept")
SHRUNK = 4  # pixels of the page to one of a small copy
NEAR = 40  # of 255: what is softer is a letter's edge


class Look(NamedTuple):
    width: int
    height: int
    light: str

    def __str__(self) -> str:
        return f"{self.width}x{self.height}-{self.light}"


LOOKS = [Look(width, height, light) for width, height in SIZES for light in ("day", "night")]
COMPARED = [Look(390, 844, "day"), Look(1280, 800, "night")]


@contextmanager
def opened(browser: Browser, look: Look) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": look.width, "height": look.height},
        color_scheme="dark" if look.light == "night" else "light",
        reduced_motion="reduce",
        has_touch=look.width < TOUCHED,
    )
    try:
        yield context.new_page()
    finally:
        context.close()


def shot(page: Page, server: Server, state: str) -> bytes:
    STATES[state](page, server)
    settled(page)
    return page.screenshot()


def small(png: bytes) -> Image.Image:
    """A picture shrunk: what is small in it (letters, numbers) is grey, what is large stays."""
    return Image.open(io.BytesIO(png)).convert("RGB").reduce(SHRUNK).filter(ImageFilter.BoxBlur(1))


def kept(state: str, look: Look) -> Path:
    return KEPT / f"{state}-{look}.png"


def difference(now: Image.Image, before: Image.Image) -> float:
    """The share of the picture, 0 to 1, that is clearly another colour; 1 where the sizes differ."""
    if now.size != before.size:
        return 1.0
    bands = ImageChops.difference(now, before).split()
    most = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    return sum(most.histogram()[NEAR:]) / (now.width * now.height)


def take(folder: Path | None, names: list[str]) -> int:
    """Take all pictures into ``folder``, or, where it is None, keep the small copies; the number of those that could
    not be taken."""
    from playwright.sync_api import Error, sync_playwright

    (folder or KEPT).mkdir(parents=True, exist_ok=True)
    missed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
        for look in LOOKS if folder else COMPARED:
            # a server for each look: what is played at a server is on the first page
            with tempfile.TemporaryDirectory() as data, closing(Server(Path(data))) as server:
                for name in names:
                    try:
                        with opened(browser, look) as page:
                            picture = shot(page, server, name)
                    except Error as error:
                        missed += 1
                        print(f"{name} at {look}: {str(error).splitlines()[0]}")
                        continue
                    if folder:
                        (folder / f"{name}-{look}.png").write_bytes(picture)
                    else:
                        small(picture).save(kept(name, look), optimize=True)
    return missed


if __name__ == "__main__":
    keep = sys.argv[1] == "--keep"
    sys.exit(1 if take(None if keep else Path(sys.argv[1]), sys.argv[2:] or list(STATES)) else 0)
