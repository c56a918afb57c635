"""What previews of links show: tags in the page of each address, and the pictures that they name."""

import io
import re
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest
from PIL import Image

import tercet
from tercet.answers.puzzles import all_puzzles
from tercet.learning.lessons import lessons_of
from tests.server.conftest import Serving

WIN = {"position": "sanqi/4 4/5/2RR2/2R1R2/2R3/5/4 F -"}


def tags(server: Serving, path: str, **headers: str) -> dict[str, str]:
    """The tags in the page at an address, and its title."""
    page = server.http.get(path, headers=headers).text
    found = re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)"', page)
    assert len(re.findall("<title>", page)) == 1
    return {**{name: unescape(text) for name, text in found}, "title": re.findall("<title>(.*)</title>", page)[0]}


def picture(server: Serving, path: str, **query: Any) -> Image.Image:
    """A picture."""
    answer = server.http.get(path, params=query or None)
    assert answer.status_code == 200, answer.text
    return Image.open(io.BytesIO(answer.content))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server whose page is built."""
    page = tmp_path_factory.mktemp("page")
    (page / "index.html").write_text(
        '<html><head><meta\nname="description"\ncontent="of all"\n/><title>Tercet</title></head><body></body></html>'
    )
    server = Serving(tmp_path_factory.mktemp("data"), page=page)
    yield server
    server.stop()


def test_each_kind_of_page_has_a_title_a_description_and_a_picture(site: Serving) -> None:
    table = site.visitor("ann").open("me", "open")["id"]
    puzzle = next(iter(all_puzzles().values()))
    lesson = lessons_of("triplicity")[0]
    cup = {"name": "Cup", "form": "swiss", "game": "sanqi", "clock": {"kind": "fischer", "minutes": 5, "increment": 3}}
    tournament = site.visitor().http.post("/api/tournaments", json=cup).json()["id"]
    position = str(tercet.game("sparklies").start(1))
    titles = set()
    for path, title, text in (
        (f"/t/{table}", "SanQi: ann-", "Play this game: a seat is free."),
        (f"/puzzles/{puzzle['game']}/{puzzle['id']}", "SanQi: Puzzle", puzzle["task"]),
        (f"/learn/triplicity/{lesson.id}", f"Triplicity: {lesson.title}", lesson.about),
        (f"/analysis?position={quote(position)}", "Sparklies: Analysis", "Look at this position and its moves."),
        ("/rules/sparklies", "Sparklies: Rules", ""),
        (f"/tournaments/{tournament}", "SanQi: Cup", "A fixed number of rounds,"),
    ):
        found = tags(site, path)
        assert found["og:title"].startswith(title)
        assert found["og:description"].startswith(text)
        assert found["og:description"] == found["description"]
        assert found["og:url"] == f"{site.http.base_url}{path}".replace(":0/", "/")
        assert found["twitter:card"] == "summary_large_image"
        site_of, _, address = found["og:image"].partition("/api/")
        assert str(site.http.base_url).startswith(site_of)
        drawn = picture(site, f"/api/{address}")
        assert (drawn.format, drawn.size) == ("PNG", (1200, 630))
        assert len(drawn.convert("RGB").getcolors(1 << 20) or ()) > 3, "a board"
        titles.add(found["title"])
    assert len(titles) == 6


def test_addresses_without_anything_of_their_own_have_the_usual_page(site: Serving) -> None:
    private = site.open("me", "here", watch="private")["id"]
    for path in (
        "/",
        f"/t/{private}",
        "/t/none",
        "/puzzles/sanqi/none",
        "/learn/sanqi/none",
        "/analysis?position=x",
        "/tournaments/none",
    ):
        assert tags(site, path) == {"title": "Tercet"}, path


def test_previews_are_in_the_language_that_is_asked_for(site: Serving) -> None:
    table = site.open("me", "engine")["id"]
    found = tags(site, f"/t/{table}", **{"accept-language": "de-AT,de;q=0.9"})
    assert (found["og:description"], found["og:locale"]) == ("Sieh diese Partie live.", "de_DE")
    assert found["og:title"].endswith("Engine, Stufe 1")


def test_names_are_no_markup(site: Serving) -> None:
    seats = [{"kind": "me", "name": '"><script>x</script>'}, {"kind": "here"}]
    table = site.visitor().open(*seats)["id"]
    page = site.http.get(f"/t/{table}", headers={"host": 'x"><script>'}).text
    assert "<script>" not in page


def test_a_finished_game_has_an_animated_picture(site: Serving) -> None:
    table = site.open("me", "here", **WIN)
    wire = site.wire(table["id"], *table["tokens"])
    action = wire.hear()["state"]["view"]["paths"][0][0]
    path = f"/api/pictures/table/{table['id']}.gif"
    refused = site.http.get(path).json()["error"]
    assert refused["why"] == "Only a finished game has an animated picture."
    assert wire.act(0, action)["type"] == "ack"
    assert wire.ask(type="resign", seat=1)["type"] == "ack"
    moving = picture(site, path)
    assert (moving.format, getattr(moving, "n_frames", 0)) == ("GIF", 2)
    drawn = site.http.get(f"/api/pictures/table/{table['id']}.svg", params={"dark": True})
    assert (drawn.headers["content-type"], drawn.text[:4]) == ("image/svg+xml", "<svg")


def test_pictures_of_a_private_game_are_for_those_who_may_see_it(site: Serving) -> None:
    table = site.open("me", "here", watch="private")
    path = f"/api/pictures/table/{table['id']}.png"
    assert site.visitor().http.get(path).status_code == 404
    seen = site.visitor().http.get(path, params={"seat": table["tokens"][0]})
    assert seen.status_code == 200
    assert seen.headers["cache-control"] == "private, no-store"
