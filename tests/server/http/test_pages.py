"""The page: files served from memory, addresses, previews of links, files for engines on devices, the laboratory."""

import asyncio
import csv
import io
import json
import re
import threading
import zipfile
from html import unescape
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock
from urllib.parse import quote

import pytest
from PIL import Image

import tercet
from tercet.answers.addresses import Address
from tercet.answers.puzzles import all_puzzles
from tercet.answers.translation import Translator
from tercet.browser.site import PYODIDE_FILES, DeviceFiles, DeviceFilesError, digest_of, sources
from tercet.laboratory.study import published_studies
from tercet.learning.lessons import lessons_of
from tercet.server.api import routes
from tercet.server.limits.budgets import BURST_MINUTES, NETWORK_FACTOR, ServerLimits
from tercet.server.limits.share import FairShare
from tercet.server.limits.spenders import Spender
from tercet.server.schema import served
from tercet.server.services import PageFile
from tercet.server.web.middleware import SecurityMiddleware
from tercet.server.web.pages import PAGES, PageFiles
from tests.server.conftest import Serve, Serving, play, scope_of
from tests.support.present import present

HEAD = '<html><head><meta\nname="description"\ncontent="of all"\n/><title>Tercet</title></head><body></body></html>'


def built(folder: Path, *assets: str, index: str = HEAD) -> Path:
    """A page that was built; its assets hold their names, again and again."""
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(index)
    for name in assets:
        (folder / "assets" / name).write_text(f"{name}\n" * 1000)
    return folder


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return built(tmp_path / "page", "index-D4f.js", "tone.ogg", index="<p>Tercet</p>" * 100)


async def test_files_are_read_once_and_compressed_once(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were read and compressed for everybody who asked."""
    monkeypatch.setattr(PageFile, "of", made := Mock(side_effect=PageFile.of))
    files = PageFiles(page)
    for _ in range(50):
        found = await asyncio.gather(*(files.get(name) for name in ("index.html", "assets/index-D4f.js", "nothing")))
        assert [one is None for one in found] == [False, False, True]
    monkeypatch.setattr("tercet.server.web.pages.LOOK_AGAIN_SECONDS", -1)
    assert (await files.get("index.html")) is found[0]
    assert made.call_count == 3
    # A page that is built again is noticed.
    (page / "index.html").write_text("new")
    (page / "assets" / "index-D4f.js").unlink()
    assert present(await files.get("index.html")).body == b"new"
    assert await files.get("assets/index-D4f.js") is None


def test_how_files_are_sent(page: Path, serve: Serve) -> None:
    get = (server := serve(page=page)).http.get
    index = get("/")
    assert (index.status_code, index.headers["cache-control"]) == (200, "no-cache")
    assert (index.headers["content-encoding"], index.text) == ("gzip", "<p>Tercet</p>" * 100)
    assert get("/", headers={"if-none-match": index.headers["etag"]}).status_code == 304
    script = get("/assets/index-D4f.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in script.headers
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in script.headers["cache-control"]
    assert server.http.head("/assets/index-D4f.js").status_code == 200
    assert get("/assets/tone.ogg").headers["cache-control"] == "max-age=3600"
    assert get("/assets/tone.ogg?name=index.html&cache=no").text == "tone.ogg\n" * 1000
    assert get("/assets/nothing.js").json()["error"]["code"] == "not-found"
    assert [get(path).status_code for path in ("/no/such/page", "/manifest.webmanifest")] == [404, 404]


PATHS = ["", "health", "ready", "metrics", "pressure", "rules/sanqi", "no/such", "api/games", "assets/index-D4f.js"]


async def nothing() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


async def answer(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x" * 100})


@pytest.mark.parametrize("path", PATHS)
async def test_one_request_of_a_network_is_begun_in_a_turn_whatever_its_address(path: str) -> None:
    """Thirty connections that asked for what is none of the API's kept everybody else waiting for 0.14 to 0.45 s."""
    middleware = SecurityMiddleware(app := AsyncMock(side_effect=answer), ServerLimits())
    middleware.fair_share.budgets._now = lambda: 0.0  # so that none of what was used is forgotten meanwhile
    scopes = [scope_of(f"/{path}", "203.0.113.5") for _ in range(30)]
    asked = [asyncio.ensure_future(middleware(scope, nothing, AsyncMock())) for scope in scopes]
    while (before := app.call_count) < 30:
        await asyncio.sleep(0)
        assert app.call_count - before <= 1
    await asyncio.gather(*asked)
    used = middleware.fair_share.budgets._of("network 203.0.113.0/24").amounts[2]
    assert used == 3000


@pytest.mark.parametrize("path", PATHS)
async def test_everything_that_is_asked_for_has_a_rate_and_a_budget(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.web.middleware.REFUSAL_SECONDS", 0)

    async def status(middleware: SecurityMiddleware) -> Any:
        await middleware(scope_of(f"/{path}", "203.0.113.5"), nothing, send := AsyncMock())
        return send.call_args_list[0].args[0]["status"]

    middleware = SecurityMiddleware(answer, ServerLimits(files_per_minute=3, requests_per_minute=3))
    assert [await status(middleware) for _ in range(4)] == [200, 200, 200, 429]
    limits = ServerLimits(bytes_per_minute=100)
    generous = SecurityMiddleware(answer, limits, fair_share=FairShare(limits))
    generous.fair_share.budgets.spend(Spender("203.0.113.0/24"), size=100 * BURST_MINUTES * NETWORK_FACTOR + 50)
    assert await status(generous) == 429


def test_every_page_is_answered_and_what_is_none_is_not_found(server: Serving) -> None:
    http = server.http
    named = {"game": "sparklies", "id": "0123456789abcdef", "skin": "kingdom", "handle": "ada"}
    for address in PAGES:
        answer = http.get(address.format(**named))
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8"), address
    whole = http.get("/").text
    assert ("tercet-build" in whole, http.get("/device/build-1.json").status_code) == (False, 404)  # there are none
    missing = ["nowhere", "t", "moments", "account/x", "rules/nosuch", "rules/nosuch/kingdom", "lab/nosuch"]
    missing += ["learn/nosuch", "learn/nosuch/first", "puzzles/nosuch", "players/nosuch"]
    for address in missing:
        answer = http.get(f"/{address}")
        assert (answer.status_code, answer.text == whole) == (404, True), address
    for answer in map(http.get, ("/api/nowhere", "/assets/nowhere.js")):
        is_page = answer.headers["content-type"].startswith("text/html")
        assert (answer.status_code, is_page) == (404, False), "what is no page is told as data"


def test_the_source_of_what_runs_is_given_out(server: Serving) -> None:
    http = server.http
    answer = http.get("/api/source")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        name = f"tercet-{tercet.__version__}/src/tercet/__init__.py"
        assert archive.read(name).decode() == Path(tercet.__file__).read_text("utf-8")
        assert all(entry.endswith((".py", "LICENSE")) for entry in archive.namelist())
    assert http.get("/health").json()["version"] == tercet.__version__
    links = {game["name"]: [link["address"] for link in game["links"]] for game in http.get("/api/games").json()}
    assert all(links[name] for name in ("sanqi", "triplicity", "sparklies"))
    assert all(address.startswith("https://") for addresses in links.values() for address in addresses)


def write(folder: Path, digest: str) -> Path:
    """Write a folder as ``tercet site`` does, with nothing in its files."""
    (folder / "pyodide-1").mkdir(parents=True)
    games = {"sanqi": {"module": "sanqi-1.wasm", "table": "sanqi-1.json"}}
    build = {"sources": digest, "pyodide": "pyodide-1", "package": "tercet-1.pack", "games": games}
    (folder / "build-1.json").write_text(json.dumps(build))
    for name in ("sanqi-1.wasm", "sanqi-1.json", "tercet-1.pack", *(f"pyodide-1/{name}" for name in PYODIDE_FILES)):
        (folder / name).write_text("{}")
    (folder / "index.html").write_text("a page of the site")
    return folder


def test_a_server_names_and_serves_the_files_of_the_device_and_no_others(tmp_path: Path) -> None:
    page = built(tmp_path / "page", "deviceWorker-1.js", "index-1.js")
    device = write(tmp_path / "site", digest_of(sources()))
    with Serving(tmp_path / "games", page=page, device=device) as server:
        get = server.http.get
        assert '<meta name="tercet-build" content="device/build-1.json" />' in get("/analysis").text
        module = get("/device/sanqi-1.wasm")
        assert module.headers["content-type"] == "application/wasm"
        assert "immutable" in module.headers["cache-control"]
        assert get("/device/pyodide-1/pyodide.mjs").headers["content-type"] == "text/javascript; charset=utf-8"
        assert [get(f"/device/{name}").status_code for name in ("index.html", "../build-1.json")] == [404, 404]
        for script, compiles in (("deviceWorker-1.js", True), ("index-1.js", False)):
            policy = get(f"/assets/{script}").headers["content-security-policy"]
            assert ("'wasm-unsafe-eval'" in policy, "script-src 'self'" in policy) == (compiles, True)


def test_the_page_names_the_scripts_of_its_language_and_its_part(tmp_path: Path) -> None:
    """They are loaded with the first ones, and not after them. Of `home` there is none of its own."""
    others = (f"{name}-a1b2c3d4.{kind}" for name, kind in (("Table", "js"), ("Table", "css"), ("deviceLink", "js")))
    page = built(tmp_path / "page", "en-a1b2c3d4.js", "de-a-b2c_d4.js", *others)

    def named(address: str, language: str) -> list[str]:
        answer = server.http.get(address, headers={"accept-language": language})
        assert answer.headers["vary"] == "Accept-Encoding, Accept-Language"
        return re.findall('<link rel="modulepreload" crossorigin href="(.*?)">', answer.text)

    with Serving(tmp_path / "games", page=page) as server:
        assert named("/", "de-AT, en;q=0.5") == ["/assets/de-a-b2c_d4.js"]
        assert named("/t/abc123", "fr") == ["/assets/en-a1b2c3d4.js", "/assets/Table-a1b2c3d4.js"]
        assert named("/learn", "zh") == []


def test_a_folder_of_another_version_or_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "site", "0")
    build = folder / "build-1.json"
    for change, why in (
        (lambda: None, r"another version of Tercet\. Run `tercet site --out"),
        ((folder / "sanqi-1.wasm").unlink, r"lacks the file sanqi-1\.wasm"),
        (lambda: build.write_text("{}"), "does not hold Tercet for browsers"),
        (build.unlink, "does not hold Tercet for browsers"),
    ):
        change()
        with pytest.raises(DeviceFilesError, match=why):
            DeviceFiles.read(folder)


RANDOM = {"GET /api/puzzles/run"}  # other puzzles each time


def fixed_paths() -> dict[str, str]:
    """An address of each kind whose answer does not change, by what it is declared as."""
    study = published_studies()[0].name.split("/")
    values = {"game": study[0], "study": study[1], "lesson": lessons_of(study[0])[0].id, "step": 0}
    return {asked: one.path.format(**values) for asked, one in served().items() if one.fixed}


def test_answers_that_need_no_request_are_declared_as_fixed() -> None:
    """Each cost the event loop or a thread anew: the description of all addresses 19 to 25 ms."""
    alike = {asked for asked, one in served().items() if one.method == "GET" and one.is_shared}
    assert alike - RANDOM <= set(fixed_paths())
    assert {f"GET /api/{name}" for name in ("openapi.json", "source", "lab", "games", "lessons")} <= set(fixed_paths())


@pytest.mark.online
def test_an_answer_that_does_not_change_is_made_once_in_each_language_and_not_by_the_loop(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, str, str]] = []
    finished = routes._finished

    def noting(declared: Address, translator: Translator | None, fields: dict[str, Any]) -> PageFile:
        language = "en" if translator is None else translator.language
        made.append((declared.asked, language, threading.current_thread().name))
        return finished(declared, translator, fields)

    monkeypatch.setattr(routes, "_finished", noting)
    server = serve()
    for asked, path in fixed_paths().items():
        bodies = set()
        for language in ("en", "de", "zh"):
            accepting = {"accept-language": language}
            first = server.http.get(path, headers=accepting)
            assert first.status_code == 200, (path, first.text)
            assert server.http.get(path, headers=accepting).content == first.content
            again = server.http.get(path, headers={**accepting, "if-none-match": first.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            bodies.add(first.content)
            translated = first.headers["content-type"] == "application/json"
            assert first.headers.get("content-language", "en") == (language if translated else "en")
            assert ("Accept-Language" in first.headers["vary"]) == translated
        if path in ("/api/games", "/api/lessons", "/api/lab"):
            assert len(bodies) == 3
        assert [language for one, language, _ in made if one == asked] == ["en", "de", "zh"]
    assert {thread.rpartition("_")[0] for _, _, thread in made} == {"tercet-reading"}


def test_the_studies_of_each_game_are_listed_and_their_figures_are_tables(server: Serving) -> None:
    found = server.http.get("/api/lab").json()
    assert [one["game"] for one in found] == list(tercet.games())
    listed = [(f"{one['game']}/{study['id']}", study["title"]) for one in found for study in one["studies"]]
    assert listed == [(study.name, study.question) for study in published_studies()]
    assert all(study["result"] and study["note"] and study["games"] for one in found for study in one["studies"])
    study = published_studies()[0]
    answer = server.http.get(f"/api/lab/{study.name}/figures")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.content == study.figures.read_bytes()
    lines = (line for line in answer.text.splitlines() if not line.startswith("#"))
    assert {line["arm"] for line in csv.DictReader(lines)} >= {arm for arm, _ in study.found}
    why = "This study does not exist. GET /api/lab lists the studies."
    for name in ("sanqi/nothing/report", "halma/first-share/figures"):
        answer = server.http.get(f"/api/lab/{name}")
        assert (answer.status_code, answer.json()["error"]["why"]) == (404, why)


def test_a_report_is_a_page_of_its_own_without_rights(server: Serving) -> None:
    study = published_studies()[0]
    for coding in ("gzip", "identity"):
        answer = server.http.get(f"/api/lab/{study.name}/report", headers={"accept-encoding": coding})
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert (answer.headers.get("content-encoding", "identity"), answer.content) == (coding, study.html())
        (policy,) = answer.headers.get_list("content-security-policy")
        assert ("sandbox allow-scripts" in policy, "allow-same-origin" in policy) == (True, False)


def tags(server: Serving, path: str, **headers: str) -> dict[str, str]:
    """The tags in the page at an address, and its title."""
    page = server.http.get(path, headers=headers).text
    found = re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)"', page)
    (title,) = re.findall("<title>(.*?)</title>", page)
    return {**{name: unescape(text) for name, text in found}, "title": title}


def picture(server: Serving, path: str) -> Image.Image:
    return Image.open(io.BytesIO(server.http.get(path).content))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Serving(tmp_path_factory.mktemp("data"), page=built(tmp_path_factory.mktemp("page") / "built")) as server:
        yield server


def test_each_kind_of_page_has_a_title_a_description_and_a_picture_and_others_the_usual_ones(site: Serving) -> None:
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
    private = site.open("me", "here", watch="private")["id"]
    paths = ["", f"t/{private}", "t/none", "puzzles/sanqi/none", "learn/sanqi/none", "analysis?position=x"]
    for path in (*paths, "tournaments/none"):
        assert tags(site, f"/{path}") == {"title": "Tercet"}, path


def test_previews_are_in_the_language_that_is_asked_for_and_names_are_no_markup(site: Serving) -> None:
    table = site.open("me", "engine")["id"]
    found = tags(site, f"/t/{table}", **{"accept-language": "de-AT,de;q=0.9"})
    assert (found["og:description"], found["og:locale"]) == ("Sieh diese Partie live.", "de_DE")
    assert found["og:title"].endswith("Engine, Stufe 1")
    seats = [{"kind": "me", "name": '"><script>x</script>'}, {"kind": "here"}]
    table = site.visitor().open(*seats)["id"]
    assert "<script>" not in site.http.get(f"/t/{table}", headers={"host": 'x"><script>'}).text


def test_a_game_has_an_animated_picture_for_those_who_may_see_it(site: Serving) -> None:
    finished, wire = site.both(position="sanqi/4 4/5/2RR2/2R1R2/2R3/5/4 F -")
    path = f"/api/pictures/table/{finished}.gif"
    assert site.http.get(path).json()["error"]["why"] == "Only a finished game has an animated picture."
    play([wire], wire.state["view"]["paths"][0][0])
    wire.done(type="resign", seat=1)
    moving: Any = picture(site, path)
    assert (moving.format, moving.n_frames) == ("GIF", 2)
    drawn = site.http.get(f"/api/pictures/table/{finished}.svg", params={"dark": True})
    assert (drawn.headers["content-type"], drawn.text[:4]) == ("image/svg+xml", "<svg")
    table = site.open("me", "here", watch="private")
    path = f"/api/pictures/table/{table['id']}.png"
    assert site.visitor().http.get(path).status_code == 404
    seen = site.visitor().http.get(path, params={"seat": table["tokens"][0]})
    assert (seen.status_code, seen.headers["cache-control"]) == (200, "private, no-store")
