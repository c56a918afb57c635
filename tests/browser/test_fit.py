"""At every size no text is cut off, nothing is wider than the page, and nothing lies over the board."""

import pytest
from playwright.sync_api import Browser, Page

from .conftest import ARGS, PHONE, chromium_path
from .screen import Size, bottom, box, in_front, named, settled, sized, visit
from .seats import Meet, seats
from .states import SIZES, STATES
from .table import Server

pytestmark = [pytest.mark.browser, pytest.mark.page]

# The sheets and the popup of choices lie over the board because one has asked for them.
ASKED_FOR = {"table-menu", "table-rules", "settings", "sanqi-popup", "sanqi-invited", "triplicity-out"}
# Text whose letters reach out of a box that hides what is outside it. Dots at the end of a line are a way to cut that
# can be seen; what can be scrolled is not cut.
CUT = """() => {
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        if (!node.data.trim() || !node.parentElement.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}))
            continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const rects = [...range.getClientRects()].filter(rect => rect.width && rect.height);
        for (let box = node.parentElement; box && rects.length; box = box.parentElement) {
            const style = getComputedStyle(box), outer = box.getBoundingClientRect();
            if (style.clipPath !== 'none' || box instanceof SVGElement) break;
            const hides = value => value === 'hidden' || value === 'clip';
            const scrolls = value => value === 'auto' || value === 'scroll';
            if (scrolls(style.overflowX) || scrolls(style.overflowY)) break;
            const high = hides(style.overflowY)
                && rects.some(rect => rect.top < outer.top - 1.5 || rect.bottom > outer.bottom + 1.5);
            const wide = hides(style.overflowX) && style.textOverflow !== 'ellipsis'
                && rects.some(rect => rect.left < outer.left - 1.5 || rect.right > outer.right + 1.5);
            if (high || wide) { found.push(`${node.data.trim()} in .${box.className}`); break; }
            if (style.position === 'fixed') break;
        }
    }
    return found;
}"""
# The buttons of a board with free corners lie in them: over no cell and no coordinate.
COVERED = """() => {
    const svg = document.querySelector('.stage svg.board');
    if (!svg) return [];
    const board = [svg.getBoundingClientRect()];
    const drawn = [...svg.querySelectorAll('.tile, text')].map(one => one.getBoundingClientRect());
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    const parts = '.player, .banner, .result, .moves, .clock, .prompt, .controls .button, .pick.laid, .tools .button,'
        + 'header';
    return [...document.querySelectorAll(parts)]
        .filter(one => one.checkVisibility() && (one.closest('.tools.corners') ? drawn : board)
            .some(part => over(one.getBoundingClientRect(), part))).map(one => one.className);
}"""

# What one needs and something else lies over, where it is in sight. The bar of buttons, at the foot of a small screen,
# lies over what is scrolled under it.
HIDDEN = """() => {
    const needed = '.clock, .move, .actions .button, .player h2, .steps .button, .pick.laid, .confirm .button';
    return [...document.querySelectorAll(needed)].filter(one => one.checkVisibility()).flatMap(one => {
        const box = one.getBoundingClientRect(), [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        const hit = document.elementFromPoint(x, y);
        const seen = !hit || one.contains(hit) || hit.contains(one) || hit.closest('.actions');
        return seen ? [] : [`${one.className} under ${hit.className}`];
    });
}"""

# Buttons that look as the browser draws them, and short entries of bars and menus that take two lines.
RAW = """() => [...document.querySelectorAll('button, select')].filter(one => one.checkVisibility()
    && (getComputedStyle(one).borderStyle.includes('outset') || getComputedStyle(one).borderStyle.includes('inset')))
    .map(one => `a raw button: ${one.textContent.trim()}`)"""
LINES = """() => [...document.querySelectorAll('.actions .button span, .menu .button')]
    .filter(one => one.checkVisibility() && one.offsetHeight > (one.tagName === 'SPAN' ? 26 : 52))
    .map(one => `two lines: ${one.textContent.trim()}`)"""


def faults_of(page: Page, asked_for: bool = False) -> list[str]:
    """Return what is cut off, covered or too wide; one may have ``asked_for`` what lies over the board."""
    settled(page)
    found = [f"cut off: {text}" for text in page.evaluate(CUT)]
    if not asked_for:
        found += [f"over the board: {what}" for what in page.evaluate(COVERED)]
        found += [f"hidden: {what}" for what in page.evaluate(HIDDEN)]
    wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    return found + ([f"{wide} pixels wider than the page"] if wide > 0 else [])


# What is to be done next is in sight without scrolling, beside the board or below it.
NEXT = {
    "sanqi-over": ["Rematch", "Analyse", "New game"],
    "sparklies-over": ["Rematch"],
    "sanqi-open": ["Copy", "Invite"],
    "sanqi-friend": ["Copy", "Invite"],
    "triplicity-out": ["Watch", "Watch at higher speed", "Skip to the end", "New game"],
    "sanqi-talk": ["Send"],
}
SEEN = """([wide, high]) => [...document.querySelectorAll('button, a.button')].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width && box.left >= 0 && box.right <= wide && box.top >= 0 && box.bottom <= high
        && one.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}).map(one => one.textContent.trim())"""


@pytest.mark.parametrize(
    "size", [size if size == (390, 844) else pytest.param(size, marks=pytest.mark.long) for size in SIZES], ids=named
)
def test_nothing_is_cut_off_or_covered(meet: Meet, server: Server, size: Size) -> None:
    page = sized(meet, size)
    faults = []
    for name, go in STATES.items():
        go(page, server)
        faults += [f"{name}: {fault}" for fault in faults_of(page, name in ASKED_FOR)]
        faults += [f"{name}: {what}" for script in (RAW, LINES) for what in page.evaluate(script)]
        if name in NEXT:
            in_front(page)
            seen = set(page.evaluate(SEEN, size)) & set(NEXT[name])
            enough = seen if {"Copy", "Invite"} & seen else seen == set(NEXT[name])
            faults += [] if enough else [f"{name}: out of sight: {set(NEXT[name]) - seen}"]
    assert faults == []


@pytest.mark.parametrize("game", ["sanqi", "sparklies", "triplicity"])
def test_a_page_at_200_percent_has_a_board_to_play_on(meet: Meet, server: Server, game: str) -> None:
    """The cells of Triplicity were 12 pixels wide on a desktop of 1280x800 at 200 %."""
    page = meet(viewport={"width": 640, "height": 400})
    visit(page, server.table(seats(3 if game == "triplicity" else 2), game=game), ".stage .cell")
    settled(page)
    board = box(page.locator(".stage svg.board"))
    assert board["width"] > 270
    assert board["height"] > 200
    picks = page.locator(".pick.laid").evaluate_all("found => found.map(one => one.getBoundingClientRect().right)")
    controls = box(page.locator(".controls"))
    assert all(right <= controls["x"] + controls["width"] + 1 for right in picks)


@pytest.mark.parametrize("size", [pytest.param(24, marks=pytest.mark.long), 32])
def test_larger_system_text_fits_a_phone(browser: Browser, server: Server, size: int) -> None:
    """A phone was laid out 434 and 576 pixels wide, and counts of coins were cut."""
    flag = f"--blink-settings=defaultFontSize={size}"
    large = browser.browser_type.launch(executable_path=chromium_path(), args=[*ARGS, flag])
    page = large.new_context(**PHONE, reduced_motion="reduce").new_page()
    page.set_default_timeout(60_000)
    faults = []
    states = "home sanqi-held triplicity triplicity-out analysis-three editor-three tournaments settings rules"
    for state in states.split():
        STATES[state](page, server)
        settled(page)
        wide = page.evaluate("() => Math.max(innerWidth, document.documentElement.scrollWidth)")
        faults += [f"{state}: {wide} pixels wide"] if wide > PHONE["viewport"]["width"] else []
        faults += [f"{state}: {text}" for script in (CUT, OUTSIDE) for text in page.evaluate(script)]
        picks = page.locator(".pick.laid").evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
        faults += [f"{state}: a piece to choose is out of sight" for right in picks if right > wide]
    text = page.locator(".page section p").first.evaluate("one => getComputedStyle(one).fontSize")
    large.close()
    assert faults == []
    assert text == f"{size}px", "where one reads, text is as large as the system's"


# Names of seats that do not lie wholly inside their cards.
NAMES_CUT = """() => [...document.querySelectorAll('.player')].filter(card => {
    const name = card.querySelector('.name'), own = name.getBoundingClientRect(), box = card.getBoundingClientRect();
    const later = [...card.querySelectorAll('h2 > :not(.hidden, .name)')].map(one => one.getBoundingClientRect())
        .filter(one => one.width && one.left >= own.left && one.top < own.bottom && one.bottom > own.top);
    const over = later.some(one => one.left < own.right - 1);
    return over || name.scrollWidth > name.offsetWidth || own.right > box.right - 3;
}).map(card => card.getAttribute('aria-label'))"""


# Parts of bars and cards that lie outside them.
OUTSIDE = """() => [['.actions', '.button'], ['.player', 'li, .you, .name']].flatMap(([outer, inner]) =>
    [...document.querySelectorAll(outer)].flatMap(box => [...box.querySelectorAll(inner)].filter(one =>
        one.checkVisibility() && one.getBoundingClientRect().width
        && one.getBoundingClientRect().right > box.getBoundingClientRect().right + 0.5).map(one => one.textContent)))"""


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
@pytest.mark.parametrize("size", [(640, 400), (844, 390), (360, 640)], ids=named)
def test_names_of_seats_are_never_cut(meet: Meet, server: Server, size: Size, locale: str) -> None:
    """On low windows the cards read "W... engin...", and "Seco..." beside a clock."""
    page = meet(viewport={"width": size[0], "height": size[1]}, locale=locale)
    for state in ("sanqi-clock", "sparklies", "triplicity", "triplicity-debt"):
        STATES[state](page, server)
        settled(page)
        assert page.evaluate(NAMES_CUT) == [], state
        assert page.evaluate(OUTSIDE) == [], state


def test_a_phone_on_its_side_shows_what_can_be_chosen_and_who_won(meet: Meet, server: Server) -> None:
    """In lessons and puzzles the pieces to choose from were cut by the lower edge of the screen, and in Triplicity the
    questions about the board; "engine, level 1" was cut beside "won"."""
    page = meet(viewport={"width": 844, "height": 390}, has_touch=True)
    for state, least in (("lesson", 3), ("puzzle", 3), ("triplicity", 4)):
        STATES[state](page, server)
        settled(page)
        low = page.locator(".pick.laid").evaluate_all("all => all.map(one => one.getBoundingClientRect().bottom)")
        assert len(low) >= least, state
        assert max(low) <= 390, state
    chips = page.locator(".chip").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
    assert max(chips) < box(page.locator(".actions"))["y"] - 10
    STATES["sanqi-over"](page, server)
    settled(page)
    cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
    assert page.locator(".player .who").evaluate_all(cut) == []
    assert page.locator(".player .verdict").evaluate("one => one.getClientRects().length") == 1


def test_a_small_phone_has_cells_that_fingers_hit(meet: Meet, server: Server) -> None:
    """At 360x640 the tools took a row of their own: the cells of Triplicity were 19.5 pixels wide; beside the tools the
    board was 300 pixels wide."""
    page = meet(viewport={"width": 360, "height": 640}, has_touch=True)
    STATES["triplicity"](page, server)
    settled(page)
    assert box(page.locator(".stage .cell").first)["width"] > 22
    tiles = page.locator(".stage .tile").evaluate_all("all => all.map(one => one.getBoundingClientRect())")
    assert max(one["right"] for one in tiles) - min(one["left"] for one in tiles) > 310
    assert bottom(page.locator(".pick.laid").first) <= 583
