"""A push service of one's own, and browsers that receive from it, which decrypt as the standard says."""

from __future__ import annotations

import base64
import datetime
import importlib
import ipaddress
import json
import os
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID

from tercet.server.people import push

# Without types.
http_ece: Any = importlib.import_module("http_ece")
py_vapid: Any = importlib.import_module("py_vapid")

HOST = "push.example.org"


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Receiver:
    """A browser's push subscription: an address at a service, and keys."""

    def __init__(self, name: str, host: str = HOST) -> None:
        self.endpoint = f"https://{host}/{name}"
        self.name = name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = os.urandom(16)

    @property
    def data(self) -> dict[str, str]:
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.endpoint, "p256dh": _text(point), "auth": _text(self._auth)}

    def read(self, body: bytes) -> Any:
        return json.loads(http_ece.decrypt(body, private_key=self._key, auth_secret=self._auth, version="aes128gcm"))


class _Taking(BaseHTTPRequestHandler):
    server: PushService

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        status = self.server.answers.pop(0) if self.server.answers else 201
        self.send_response(status)
        if status in (301, 302, 307, 308):
            self.send_header("location", f"https://{HOST}/elsewhere")
        self.send_header("content-length", "0")
        self.end_headers()
        self.server.take(self.path, dict(self.headers), body)

    def log_message(self, *_: Any) -> None: ...


class PushService(ThreadingHTTPServer):
    """Takes notices, with the ``answers`` that a test sets, else 201."""

    daemon_threads = True

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.answers: list[int] = []
        self.taken: list[tuple[str, dict[str, str], bytes]] = []
        self._came = threading.Condition()
        certificate = _certificate(folder)
        secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        secure.load_cert_chain(certificate)
        self.socket = secure.wrap_socket(self.socket, server_side=True)
        addresses = push.public_addresses
        monkeypatch.setattr(push, "PORT", self.server_address[1])
        monkeypatch.setattr(push, "tls", lambda: ssl.create_default_context(cafile=str(certificate)))
        monkeypatch.setattr(push, "public_addresses", lambda host: ["127.0.0.1"] if host == HOST else addresses(host))
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def take(self, path: str, headers: dict[str, str], body: bytes) -> None:
        """Keep a notice, whose signature is checked."""
        assert py_vapid.Vapid02.verify(headers["Authorization"])
        with self._came:
            self.taken.append((path, headers, body))
            self._came.notify_all()

    def notice(self, number: int, receiver: Receiver, timeout: float = 20) -> Any:
        """The notice of that number, from 0, once it has come, as its receiver reads it."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.taken) > number, timeout), "no notice has come"
            path, headers, body = self.taken[number]
        assert path == f"/{receiver.name}"
        assert headers["Content-Encoding"] == "aes128gcm"
        return receiver.read(body)

    def close(self) -> None:
        self.shutdown()
        self.server_close()


def _certificate(folder: Path) -> Path:
    """A certificate for :data:`HOST` that vouches for itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName(HOST), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "push.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(secret + made.public_bytes(Encoding.PEM))
    return path
