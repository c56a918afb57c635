"""Web Push: notices that a browser shows while the page is closed (RFC 8030, 8188, 8291, 8292).

pywebpush encrypts and signs. The transport is our own, since clients name the endpoint: the server connects to the very
address that its host resolves to, if it is public, follows no redirect and reads no more than the head of the answer.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import importlib.util
import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from tercet.errors import TercetError, optional
from tercet.server.store.database import Database
from tercet.server.store.schema import KEY_VALUES

PORT = 443
MAX_ENDPOINT_CHARACTERS = 1000
SECRET_BYTES = 16  # of a device's secret
RESOLVE_SECONDS = 5.0  # for the address of a host
POST_SECONDS = 10.0  # from the connection to the head of the answer
MAX_HEAD_BYTES = 8192  # of the answer
THREADS = 4  # that encrypt and send
TOKEN_SECONDS = 12 * 3600  # that a signature is good for; the standard allows a day
DAY_SECONDS = 86_400  # that a push service keeps a notice for a device that is off
UNICAST = ipaddress.ip_network("2000::/3")  # what is given out of IPv6; mapped and translated addresses lie elsewhere
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})\b")


class EndpointError(TercetError):
    """The server does not write to this endpoint or host, or not with these keys."""


@dataclass(frozen=True)
class PushDevice:
    """A browser that shows notices: its address at a push service, and the keys for which they are encrypted."""

    endpoint: str
    p256dh: str
    auth: str


def parts_of(endpoint: str) -> SplitResult:
    """Return the parts of an endpoint's address. Raise EndpointError unless it is https on the usual port."""
    with contextlib.suppress(ValueError):
        parts = urlsplit(endpoint)
        plain = endpoint.isascii() and endpoint.isprintable() and " " not in endpoint and "@" not in parts.netloc
        if plain and parts.scheme == "https" and parts.hostname and parts.port in (None, PORT):
            return parts
    raise EndpointError(endpoint)


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the internet, and stands for no other one."""
    known = ipaddress.ip_address(address)
    if isinstance(known, ipaddress.IPv6Address) and (known not in UNICAST or known.sixtofour is not None):
        return False
    return known.is_global and not (known.is_multicast or known.is_reserved)


def resolve(host: str) -> list[str]:
    """Return the IP addresses of a host; none if it has none, or its name server does not answer in
    :data:`RESOLVE_SECONDS`."""
    addresses: dict[str, None] = {}

    def ask() -> None:
        with contextlib.suppress(OSError, UnicodeError):
            infos = socket.getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
            addresses.update(dict.fromkeys(str(one[4][0]) for one in infos))

    asking = threading.Thread(target=ask, daemon=True)  # nothing can stop it, and a server that ends does not wait
    asking.start()
    asking.join(RESOLVE_SECONDS)
    return list(addresses)


def public_addresses(host: str) -> list[str]:
    """Return the IP addresses of a host. Raise EndpointError if one of them is not :func:`is_public`."""
    addresses = resolve(host)
    if not all(map(is_public, addresses)):
        raise EndpointError(host)
    return addresses


def encoded(data: bytes) -> str:
    """Return ``data`` as base64 for addresses, without the padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def check(device: PushDevice) -> None:
    """Raise EndpointError if no notices can be sent to this device. This may take seconds."""
    host = str(parts_of(device.endpoint).hostname)
    try:
        keys = [base64.b64decode(f"{key}{'=' * (-len(key) % 4)}", b"-_", True) for key in (device.p256dh, device.auth)]
        optional("pywebpush", "Web Push").Vapid.from_raw_public(encoded(keys[0]).encode())
    except ValueError:
        raise EndpointError(host) from None
    if len(keys[1]) != SECRET_BYTES or not public_addresses(host):
        raise EndpointError(host)


async def _post(addresses: Sequence[str], target: SplitResult, headers: dict[str, str], body: bytes) -> int:
    """Return the status with which the first of the IP ``addresses`` that can be reached answers."""
    host = str(target.hostname)
    path = f"{target.path or '/'}{'?' * bool(target.query)}{target.query}"
    head = [f"POST {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(body)}", "Connection: close"]
    head += [f"{name}: {value}" for name, value in headers.items()]
    secure, request = tls(), "\r\n".join([*head, "", ""]).encode("ascii") + body
    async with asyncio.timeout(POST_SECONDS):
        for address in addresses:
            with contextlib.suppress(OSError):  # the next one may be reached
                reader, writer = await asyncio.open_connection(
                    address, PORT, ssl=secure, server_hostname=host, limit=MAX_HEAD_BYTES
                )
                try:
                    writer.write(request)
                    await writer.drain()
                    status = STATUS.match(await reader.readline())
                    return int(status[1]) if status else 0
                finally:
                    writer.transport.abort()
    return 0


def tls() -> ssl.SSLContext:
    """Return how connections to push services are encrypted."""
    return ssl.create_default_context()


class WebPush:
    """Sends notices to devices. ``key`` is the public key of this server, which browsers subscribe with; ``contact``
    tells push services whom to write to if something goes wrong."""

    def __init__(self, secret: str, key: str, contact: str) -> None:
        self.key = key
        self._secret = secret
        self._contact = contact
        self._threads = ThreadPoolExecutor(THREADS, "tercet-push")

    @classmethod
    async def open(cls, database: Database, contact: str) -> WebPush | None:
        """Return the sender with the keys that the database keeps and all its processes share; they are made at the
        first start. None where the library is missing."""
        if importlib.util.find_spec("pywebpush") is None:
            return None
        query = sa.select(KEY_VALUES.c.value).where(KEY_VALUES.c.name == "push")
        kept = await database.scalar(query)
        if kept is None:
            with contextlib.suppress(IntegrityError):  # another process was faster
                await database.change(KEY_VALUES.insert().values(name="push", value=_new_keys()))
            kept = await database.scalar(query)
        secret, key = str(kept).split()
        return cls(secret, key, contact)

    async def check(self, device: PushDevice) -> None:
        """Raise EndpointError if no notices can be sent to this device."""
        await asyncio.get_running_loop().run_in_executor(self._threads, check, device)

    async def send(self, device: PushDevice, text: str, topic: str) -> int:
        """Return the status with which the push service takes ``text``; 0 if it does not answer. A later notice of the
        same ``topic`` takes the place of one that the service still keeps. Raise EndpointError if its address is no
        public one."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._send, device, text, topic)

    def _send(self, device: PushDevice, text: str, topic: str) -> int:
        pywebpush = optional("pywebpush", "Web Push")
        target = parts_of(device.endpoint)
        addresses = public_addresses(str(target.hostname))
        keys = {"p256dh": device.p256dh, "auth": device.auth}
        body = bytes(pywebpush.WebPusher({"endpoint": device.endpoint, "keys": keys}).encode(text.encode())["body"])
        signer = pywebpush.Vapid.from_raw(self._secret.encode())
        signer.conf = {"no-strict": True}
        claims = {"aud": f"https://{target.hostname}", "exp": int(time.time()) + TOKEN_SECONDS, "sub": self._contact}
        headers = {
            **signer.sign(claims),
            "Content-Type": "application/octet-stream",
            "Content-Encoding": "aes128gcm",
            "TTL": str(DAY_SECONDS),
            "Topic": encoded(hashlib.sha256(topic.encode()).digest())[:32],
        }
        try:
            return asyncio.run(_post(addresses, target, headers, body))
        except (OSError, ValueError):  # no answer in time, or no HTTP
            return 0

    def close(self) -> None:
        """Accept no more notices."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _new_keys() -> str:
    """Return a new secret key and its public one, as base64 for addresses."""
    made = optional("pywebpush", "Web Push").Vapid()
    made.generate_keys()
    secret, point = made.private_key.private_numbers().private_value, made.public_key.public_numbers()
    whole = bytes([4]) + point.x.to_bytes(32) + point.y.to_bytes(32)
    return f"{encoded(secret.to_bytes(32))} {encoded(whole)}"
