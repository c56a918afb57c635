"""nginx with TLS before a server, configured by ``deploy/nginx.conf``, for :mod:`benchmarks.abuse`.

The clients of the benchmark say in ``X-Forwarded-For`` which address they have. nginx believes that here, where all of
them run on this machine, and passes it on as it does the address of any client.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["address", "behind_nginx", "trust"]

VARIABLE = "TERCET_BEHIND_NGINX"  # set where the port is nginx's, for the processes of the attackers too
SETTINGS = """
{user}daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1; worker_rlimit_nofile 20000;
events {{ worker_connections 8000; }}
http {{
    access_log off; real_ip_header X-Forwarded-For; set_real_ip_from 127.0.0.0/8;
    client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
    uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
    include {folder}/tercet.conf;
}}
"""


def trust() -> ssl.SSLContext | None:
    """Return what takes nginx's certificate; None where there is no nginx."""
    if VARIABLE not in os.environ:
        return None
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def address(scheme: str, port: int) -> str:
    """Return the beginning of an ``http`` or ``ws`` address at that port."""
    return f"{scheme}{'s' if VARIABLE in os.environ else ''}://127.0.0.1:{port}"


@contextlib.contextmanager
def behind_nginx(server_port: int, folder: Path) -> Iterator[int]:
    """Start nginx before the server; yield its port for TLS."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise SystemExit("nginx is not installed (Debian: nginx)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    site = (Path(__file__).parents[1] / "deploy" / "nginx.conf").read_text("utf-8")
    certificate = f"ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;"
    site = site.replace("listen 80 ", f"{certificate} listen 127.0.0.1:{port} ssl http2 ")
    site = re.sub(r"( *server tercet-\d:8000[^\n]*\n)+", f"    server 127.0.0.1:{server_port};\n", site)
    user = "user root; " if os.geteuid() == 0 else ""  # its workers write into the folder
    (folder / "tercet.conf").write_text(site, "utf-8")
    (folder / "nginx.conf").write_text(SETTINGS.format(folder=folder, user=user), "utf-8")
    key = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"), "-subj", "/CN=localhost"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *key]
    subprocess.run(made, check=True, capture_output=True)
    process = subprocess.Popen([program, "-c", str(folder / "nginx.conf")])
    os.environ[VARIABLE] = "1"
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield port
    finally:
        del os.environ[VARIABLE]
        process.terminate()
        process.wait(20)
