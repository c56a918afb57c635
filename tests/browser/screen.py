"""What is where on the screen, and when it has come to rest."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from playwright.sync_api import FloatRect, Locator, Page

from .seats import Meet

Size = tuple[int, int]
Motion = Literal["no-preference", "reduce"]
Light = Literal["light", "dark"]
Point = tuple[float, float]

SETTLED = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const late = performance.now() + 10_000;
    await frame();
    await frame();
    while (document.body.hasAttribute("data-waits") && performance.now() < late) await frame();
    const ending = document.getAnimations().filter(each => each.effect.getComputedTiming().endTime !== Infinity);
    const arrived = Promise.all(ending.map(each => each.finished.catch(() => null)));
    await Promise.race([arrived, new Promise(go => setTimeout(go, 400))]); // a word that fades takes its time
    await frame();
}"""

UNDER = """([cover, parts]) => {
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    const lies = document.querySelector(cover).getBoundingClientRect();
    const seen = one => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    return [...document.querySelectorAll(parts)].filter(one => seen(one) && over(one.getBoundingClientRect(), lies))
        .map(one => `${one.tagName}.${one.getAttribute('class')} ${one.textContent.trim().slice(0, 40)}`);
}"""


def named(size: Size) -> str:
    return f"{size[0]}x{size[1]}"


def settled(page: Page) -> None:
    """Wait until everything that was requested is drawn and all movement has ended."""
    page.evaluate(SETTLED)


def visit(page: Page, address: str, sight: str) -> None:
    """Go to an address, and wait until something is seen there: words and headings once."""
    page.goto(address)
    page.wait_for_selector(sight, strict=sight.startswith(("text=", "role=")))


def in_front(page: Page) -> None:
    """Wait until what has just come takes presses."""
    page.wait_for_function("() => !document.querySelector('[data-held]')")


def sized(meet: Meet, size: Size, **how: Any) -> Page:
    """Return a page of this size, a phone's where it is narrow."""
    return meet(viewport={"width": size[0], "height": size[1]}, has_touch=size[0] < 760, **how)


def resize(page: Page, size: Size) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def fits(page: Page) -> bool:
    return bool(page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))


def styles(locator: Locator, name: str) -> list[str]:
    return list(locator.evaluate_all("(all, name) => all.map(one => getComputedStyle(one)[name])", name))


def under(page: Page, cover: str, parts: str) -> list[str]:
    found: list[str] = page.evaluate(UNDER, [cover, parts])
    return found


def box(locator: Locator) -> FloatRect:
    found = locator.bounding_box()
    assert found is not None
    return found


def bottom(locator: Locator) -> float:
    place = box(locator)
    return place["y"] + place["height"]


def centre(locator: Locator) -> Point:
    place = box(locator)
    return place["x"] + place["width"] / 2, place["y"] + place["height"] / 2


class Pointer:
    def __init__(self, page: Page, kind: str) -> None:
        self.page, self.kind = page, kind
        self.session = page.context.new_cdp_session(page)

    def send(self, what: str, *points: Point) -> None:
        if self.kind == "finger":
            touches = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
            self.session.send("Input.dispatchTouchEvent", {"type": f"touch{what}", "touchPoints": touches})
            return
        kind = {"Start": "mousePressed", "Move": "mouseMoved", "End": "mouseReleased"}[what]
        (self.x, self.y), *_ = [*points, (getattr(self, "x", 0), getattr(self, "y", 0))]
        event = {"type": kind, "x": self.x, "y": self.y, "button": "left", "buttons": int(what != "End")}
        self.session.send("Input.dispatchMouseEvent", {**event, "clickCount": 1, "pointerType": self.kind})

    @contextmanager
    def on(self, point: Point) -> Iterator[None]:
        """Keep it pressed on a point."""
        self.send("Start", point)
        yield
        self.send("End")

    def draw(self, start: Point, by: Point, steps: int = 8) -> None:
        self.send("Start", start)
        for i in range(1, steps + 1):
            self.send("Move", (start[0] + by[0] * i / steps, start[1] + by[1] * i / steps))
        self.send("End")
        settled(self.page)

    def pinch(self, middle: Point) -> None:
        """Bring the board closer with two fingers, which move up and down."""
        fingers = [[(middle[0], middle[1] - apart), (middle[0], middle[1] + apart)] for apart in (30, 45, 60, 90)]
        self.send("Start", *fingers[0])
        for both in fingers[1:]:
            self.send("Move", *both)
        self.send("End")
        settled(self.page)
