"""The page in the language of the browser, or in the one that was chosen."""

import pytest

from .online import Guest
from .screen import named, settled, sized, visit
from .seats import ME, OPEN, SMALL, Meet
from .states import STATES
from .table import Server, at_ply, at_table, play, resign
from .test_fit import faults_of

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.thorough]


# A browser's translator: what it says begins with "~". It replaces text nodes, or ``wraps`` them; one that is ``blunt``
# does not heed translate="no".
TRANSLATOR = """(wraps, blunt) => {
    const kept = "font, script, style" + (blunt ? "" : ", [translate=no]");
    const translate = (text) => {
        if (!text.data.trim() || !text.parentElement || text.parentElement.closest(kept)) return;
        const [outer, inner] = [document.createElement("font"), document.createElement("font")];
        outer.append(inner);
        const said = "~" + text.data;
        if (wraps) text.before(outer);
        else text.replaceWith(outer);
        inner.append(wraps ? text : said);
        if (wraps) text.data = said;
    };
    const read = (node) => {
        if (node.nodeType === Node.TEXT_NODE) return translate(node);
        const [all, texts] = [document.createTreeWalker(node, NodeFilter.SHOW_TEXT), []];
        while (all.nextNode()) texts.push(all.currentNode);
        texts.forEach(translate);
    };
    new MutationObserver((changes) => {
        for (const { target, type, addedNodes } of changes)
            type === "characterData" ? translate(target) : addedNodes.forEach(read);
    }).observe(document, { subtree: true, childList: true, characterData: true });
}"""
# without what was read aloud to the one who plays, and how many games one has
SAID = """() => [...document.querySelectorAll("#app > :not([aria-live], header)")].map(
    (part) => part.textContent.replaceAll("~", "").replace(/\\s+/g, " ")).join("|")"""
LOOSE = """names => {
    const texts = document.createTreeWalker(document.getElementById("app"), NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
        const { data, parentElement } = texts.currentNode;
        if (names.includes(data.trim()) && !parentElement.closest("[translate=no], option"))
            found.push(`${data.trim()} in ${parentElement.outerHTML.slice(0, 120)}`);
    }
    return found;
}"""
CLOCK = {"kind": "fischer", "minutes": 5, "increment": 0}
MOVES = ("Rd4", "Bd5", "Yc3", "Re4")


def test_a_browser_gets_its_language_and_the_choice_stays(meet: Meet, server: Server) -> None:
    page = meet(locale="de-AT")
    fetched: list[str] = []
    page.on("response", lambda answer: fetched.append(answer.url.rpartition("/")[2].partition("-")[0]))
    page.goto(server.base)
    page.get_by_role("link", name="Aufgaben", exact=True).wait_for()
    assert page.locator("html").get_attribute("lang") == "de"
    page.get_by_text("Beide Spieler teilen sich drei Arten").wait_for()  # what a game says of itself
    assert {"de", "en", "zh"} & set(fetched) == {"de"}
    page.goto(f"{server.base}/learn/sanqi/placing")
    page.locator("#main").get_by_text("Es gibt drei Arten von Steinen").wait_for()
    page.get_by_role("button", name="Einstellungen").click()
    with page.expect_navigation():
        page.get_by_label("Sprache").select_option("zh")
    page.get_by_role("link", name="谜题", exact=True).wait_for()
    visit(page, f"{server.base}/account", 'role=heading[name="登录，或以访客身份下棋"]')
    assert page.locator("html").get_attribute("lang") == "zh-Hans"


def test_languages_that_there_are_not_get_english_and_refusals_the_language(meet: Meet, server: Server) -> None:
    page = meet(locale="fr-FR")
    page.goto(server.base)
    page.get_by_role("link", name="Puzzles", exact=True).wait_for()
    assert page.locator("html").get_attribute("lang") == "en"
    page = meet(locale="de-DE")
    STATES["sanqi-refused"](page, server)
    page.locator(".prompt.why", has_text="Nachbarn von").wait_for()  # the reason comes a moment after the refusal


@pytest.mark.page
@pytest.mark.parametrize(
    ("size", "locale"),
    [
        ((390, 844), "de-DE"),
        ((1280, 800), "zh-CN"),
        pytest.param((390, 844), "zh-CN", marks=pytest.mark.long),
        pytest.param((1280, 800), "de-DE", marks=pytest.mark.long),
    ],
    ids=lambda one: one if isinstance(one, str) else named(one),
)
def test_nothing_is_cut_off(meet: Meet, server: Server, size: tuple[int, int], locale: str) -> None:
    page = sized(meet, size, locale=locale)
    faults = []
    for name in ("home", "sanqi", "sparklies-chain", "triplicity", "account"):
        STATES[name](page, server)
        faults += [f"{name}: {fault}" for fault in faults_of(page)]
    assert faults == []


@pytest.mark.parametrize(
    ("wraps", "blunt"), [pytest.param(False, False, marks=pytest.mark.long), (False, True), (True, False)]
)
def test_live_text_survives_a_translator(meet: Meet, server: Server, wraps: bool, blunt: bool) -> None:
    plain, page = meet(), meet()
    page.add_init_script(f"({TRANSLATOR})({str(wraps).lower()}, {str(blunt).lower()})")

    def alike() -> None:
        for _ in range(20):
            settled(page)
            pair = plain.evaluate(SAID), page.evaluate(SAID)
            if pair[0] == pair[1]:
                break
        assert pair[0] == pair[1]

    def follow(path: str) -> None:
        for each in (plain, page):
            each.evaluate("p => { history.pushState(null, '', p); dispatchEvent(new PopStateEvent('popstate')) }", path)
            each.locator("#main h1").first.wait_for()
            each.wait_for_load_state("networkidle")
        alike()

    address = server.table(**SMALL)
    for each in (plain, page):
        at_table(each, address)
    alike()
    for ply, move in enumerate(MOVES, start=1):
        play(page, move)
        at_ply(plain, ply)
        alike()
    assert page.locator(".prompt").inner_text() == "~First: place a piece, or replace one."
    resign(page)
    for each in (plain, page):
        each.locator(".result").wait_for()
    alike()
    for path in ("/learn/sanqi/placing", "/rules/sparklies", "/learn", "/about", "/learn"):
        follow(path)

    at_table(page, server.table(clock=CLOCK, **SMALL))
    play(page, *MOVES)
    page.wait_for_function("() => document.querySelector('.clock.running').textContent.replace('~', '') !== '5:00'")
    assert page.locator(".clock").first.inner_text().startswith("~" if blunt else "4:")


def test_names_notation_and_clocks_are_not_translated(meet: Meet, server: Server) -> None:
    page = meet()
    names = ["Rose", "Basil", "SanQi", "Sparklies", "Triplicity", "a", "d"]
    rose, basil = Guest(server, "rose"), Guest(server, "basil")
    table = rose.post("/api/tables", {"clock": CLOCK, "seats": [ME, OPEN], **SMALL})["id"]
    page.goto(server.base)
    page.locator(".list", has_text="Rose").wait_for()
    assert page.evaluate(LOOSE, names) == []
    basil.post(f"/api/tables/{table}/seats/1", {})
    visited = "/ /@rose /players /learn/sanqi /play/sanqi /analysis /editor /games"
    for path in (f"/t/{table}", *visited.split()):
        page.goto(server.base + path)
        page.wait_for_load_state("networkidle")
        settled(page)
        assert page.evaluate(LOOSE, names) == [], path
    at_table(page, server.table(clock=CLOCK, **SMALL))
    play(page, "Rd4")
    for what in (".clock", ".moves .move", ".player .name", ".labels text", "kbd"):
        assert page.locator(f"{what}:not([translate=no] *):not([translate=no])").count() == 0, what
        assert page.locator(what).count(), what
