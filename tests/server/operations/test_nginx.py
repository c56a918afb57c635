"""A game through nginx and TLS, configured as docs/operations.md and deploy/nginx.conf say."""

import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.server.conftest import Serve, Serving, Wire, play
from tests.support.services import free_port
from tests.support.waiting import until

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
SETTINGS = """
daemon off; pid {folder}/pid; error_log stderr; worker_processes 1;
events {{ worker_connections 256; }}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
    uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
    include {folder}/tercet.conf;
}}
"""


def told(folder: Path, servers: list[Serving], port: int, plain: int) -> str:
    """The configuration that the documentation tells of, with these processes, and ports that anybody may open."""
    site = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
    pages = (ROOT / "docs" / "operations.md").read_text("utf-8")
    blocks: list[str] = re.findall(r"```nginx\n(.*?)```", pages, re.DOTALL)
    tls, redirect = blocks
    site, replaced = re.subn(r"    listen 80 [^\n]*\n    server_name _;\n", tls, site)
    assert replaced == 1
    site += redirect
    for number, server in enumerate(servers, 1):
        site = site.replace(f"tercet-{number}:8000", f"127.0.0.1:{server.port}")
    site = site.replace("/etc/letsencrypt/live/play.example", str(folder)).replace("play.example", "localhost")
    site = site.replace("/var/log/nginx", str(folder))
    return site.replace("listen 443 ", f"listen 127.0.0.1:{port} ").replace("listen 80;", f"listen 127.0.0.1:{plain};")


@pytest.fixture
def site(serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[str, str, ssl.SSLContext]]:
    """Its address, the one without encryption, and what trusts its certificate."""
    if NGINX is None:
        pytest.skip("nginx is not installed (Debian: nginx)")
    monkeypatch.setenv("TERCET_TRUSTED_PROXIES", "127.0.0.1")
    here = serve()
    there = here.another()
    key = ["-keyout", str(tmp_path / "privkey.pem"), "-out", str(tmp_path / "fullchain.pem")]
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *name, *key]
    subprocess.run(made, check=True, capture_output=True)
    port, plain = free_port(), free_port()
    (tmp_path / "tercet.conf").write_text(told(tmp_path, [here, there], port, plain), "utf-8")
    (tmp_path / "nginx.conf").write_text(SETTINGS.format(folder=tmp_path), "utf-8")
    process = subprocess.Popen([NGINX, "-c", str(tmp_path / "nginx.conf")], stderr=subprocess.PIPE)
    trusting = ssl.create_default_context(cafile=str(tmp_path / "fullchain.pem"))
    address = f"https://localhost:{port}"

    def answers() -> bool:
        assert process.poll() is None, process.stderr and process.stderr.read()
        try:
            return httpx.get(f"{address}/health", verify=trusting).status_code == 200
        except httpx.TransportError:
            return False

    try:
        until(answers, what="nginx does not answer")
        yield address, f"http://localhost:{plain}", trusting
    finally:
        process.terminate()
        process.wait(20)
        there.stop()


def wire(address: str, table: str, who: httpx.Client, trusting: ssl.SSLContext) -> Wire:
    headers = {"cookie": "; ".join(f"{name}={value}" for name, value in who.cookies.items()), "origin": address}
    return Wire(f"ws{address.removeprefix('http')}/api/tables/{table}/live", headers, ssl=trusting)


def test_a_game_through_nginx(site: tuple[str, str, ssl.SSLContext], tmp_path: Path) -> None:
    """Cookies are safe, pages of the site may act and others may not, sockets work, nothing inside is told."""
    address, plain, trusting = site
    own = {"origin": address}
    ann, bob = (httpx.Client(base_url=address, verify=trusting, headers=own, timeout=60) for _ in range(2))
    asked = {"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "me"}, {"kind": "open"}]}
    opened = ann.post("/api/tables", json=asked)
    assert opened.status_code == 201, opened.text
    assert opened.headers["set-cookie"].startswith("__Host-tercet=")
    assert "; Secure" in opened.headers["set-cookie"]
    table = opened.json()["id"]
    assert bob.post(f"/api/tables/{table}/seats/1", json={}).status_code == 201
    wires = [wire(address, table, who, trusting) for who in (ann, bob)]
    assert [one.until("snapshot")["state"]["yourSeats"] for one in wires] == [[0], [1]]
    play(wires, "Rd4 Yd5 Bc4")
    assert [[one.last("event", ply=ply)["kind"] for ply in range(3)] for one in wires] == [["action"] * 3] * 2
    for one in wires:
        one.close()
    assert [ann.get(path).status_code for path in ("/metrics", "/pressure", "/ready")] == [404] * 3
    assert ann.get("/api/lobby").status_code == 200
    foreign = {"origin": "https://elsewhere.example"}
    assert ann.post("/api/tables", json=asked, headers=foreign).json()["error"]["code"] == "foreign-origin"
    moved = httpx.get(f"{plain}/t/{table}", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (301, f"https://localhost/t/{table}")
    leading_here = {"referer": f"{address}/t/{table}?seat=SECRET"}
    for origin in (address, plain):
        httpx.get(f"{origin}/api/tables/{table}?seat=SECRET", headers=leading_here, verify=trusting)
    lines = (tmp_path / "access.log").read_text("utf-8")
    assert f"GET /api/tables/{table} HTTP" in lines
    assert "/live" not in lines
    assert "SECRET" not in lines + (tmp_path / "error.log").read_text("utf-8")
