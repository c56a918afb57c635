"""Games and positions in frames of other sites, without a script, a cookie or anything private; and oEmbed."""

import re
from typing import Any
from urllib.parse import quote

from tercet.server.web.middleware import EMBED_POLICY, POLICY
from tests.server.conftest import Serving, play
from tests.support.present import lacking

POSITION = "sanqi/4 4/5/6/3R3/6/5/4 S d4"
GERMAN = {"accept-language": "de"}


def played(server: Serving, **wish: Any) -> str:
    """A table at which three actions were made."""
    table, wire = server.both(**wish)
    play([wire], "Rd4 Bc4 Ye4")
    return table


def test_a_game_is_framed_and_stepped_through_and_a_position_is_framed(server: Serving) -> None:
    table = played(server)
    answer = server.http.get(f"/embed/t/{table}")
    assert answer.headers["content-security-policy"] == EMBED_POLICY
    assert ("frame-ancestors *" in EMBED_POLICY, "script" in EMBED_POLICY) == (True, False)
    assert not {"x-frame-options", "set-cookie"} & set(answer.headers)
    assert "<script" not in answer.text
    assert answer.text.count("<svg") == 2  # by day and by night
    links = ('href="?" aria-label="Look again"', f'href="/t/{table}" target="_blank" rel="noopener"')
    assert lacking(answer.text, "3/3 · Ye4: Yellow on e4.", *links) == []
    assert re.findall(r'href="\?ply=(\d+)"', answer.text) == ["0", "2"]
    before = server.http.get(f"/embed/t/{table}?ply=1", headers=GERMAN).text
    assert lacking(before, "1/3 · Rd4: Rot auf d4.", 'aria-label="Züge"', "Look again") == ["Look again"]
    assert re.findall(r'href="\?ply=(\d+)"', before) == ["0", "0", "2", "3"]
    assert "3/3" in server.http.get(f"/embed/t/{table}?ply=99").text
    position = server.http.get(f"/embed/position?position={quote(POSITION)}", headers=GERMAN)
    assert (position.status_code, "<nav" in position.text) == (200, False)
    assert lacking(position.text, "Zweiter: Setze einen Stein", 'href="/analysis?position=') == []


def test_what_is_private_or_wrong_is_not_framed(server: Serving) -> None:
    table = played(server, watch="private")
    for path in (f"/embed/t/{table}", "/embed/t/nothing", "/embed/t/a%20b"):
        answer = server.http.get(path)
        assert (answer.status_code, "Game not found." in answer.text) == (404, True), path
        assert "<svg" not in answer.text
    wrong = server.http.get("/embed/position?position=sanqi/4%20<b>", headers=GERMAN)
    assert (wrong.status_code, "<b>" in wrong.text) == (404, False)
    assert "frame-ancestors 'none'" in POLICY
    paths = ["/", "/api/me", f"/t/{table}", "/embed/", "/editor", "/api/oembed", f"/api/tables/{table}"]
    for path in (*paths, "/embed/nothing"):
        headers = server.http.get(path).headers
        assert (headers["content-security-policy"], headers["x-frame-options"]) == (POLICY, "DENY"), path


def test_oembed_describes_what_can_be_framed(server: Serving) -> None:
    """The page of a game and of a position names where; addresses of others, and of other pages, are refused."""
    table, site = played(server), str(server.http.base_url).rstrip("/")
    for path, frame in (
        (f"/t/{table}", f"{site}/embed/t/{table}"),
        (f"/analysis?position={quote(POSITION)}", f"{site}/embed/position?position="),
    ):
        page = server.http.get(path).text
        link = f"/api/oembed?url={quote(site + path, safe='')}"
        if "application/json+oembed" in page:  # where the page is built
            (link,) = re.findall(r'application/json\+oembed" href="([^"]+)"', page)
        told = server.http.get(link.replace("&amp;", "&")).json()
        assert (told["version"], told["type"], told["provider_name"]) == ("1.0", "rich", "Tercet")
        assert f'src="{frame}' in told["html"]
        assert server.http.get(told["thumbnail_url"]).headers["content-type"] == "image/png"
    asked: dict[str, str | int] = {"url": f"{site}/t/{table}", "maxwidth": 300, "maxheight": 200}
    small = server.http.get("/api/oembed", params=asked).json()
    assert (small["width"], small["height"]) == (300, 200)
    secret = played(server, watch="private")
    for url in (f"{site}/", f"{site}/t/{secret}", f"{site}/account", f"https://example.com/t/{table}", "nonsense"):
        refused = server.http.get("/api/oembed", params={"url": url})
        assert (refused.status_code, refused.json()["error"]["where"]) == (404, "url"), url
    xml = server.http.get("/api/oembed", params={"url": f"{site}/t/{table}", "format": "xml"})
    assert xml.status_code == 501
