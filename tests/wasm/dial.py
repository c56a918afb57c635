"""The dial as a visitor turns it."""

import time

from playwright.sync_api import Page

COUNT = r"() => +(document.querySelector('.results .count')?.textContent ?? '').replace(/\D/g, '')"
FREED = 20  # seconds


def turn_the_dial(page: Page) -> None:
    """Compare with games on a smaller board."""
    side = page.get_by_role("spinbutton", name="Side")
    side.fill("5")
    side.press("Tab")


def freed(page: Page) -> None:
    """Wait until no worker plays for the page any more."""
    end = time.monotonic() + FREED
    while page.workers and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert page.workers == []
