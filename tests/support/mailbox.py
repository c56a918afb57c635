"""A mail server of one's own: it takes every letter and keeps it."""

import email
import email.policy
import socketserver
import threading
from email.message import EmailMessage


class _Talk(socketserver.StreamRequestHandler):
    """As much of SMTP as a client needs to hand in a letter."""

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline():
            word = line[:4].upper().strip()
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = []
                while (said := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(said)
                self.server.take(b"".join(lines))  # type: ignore[attr-defined]
            self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else b"250 well\r\n")
            if word == b"QUIT":
                return


class Mailbox(socketserver.ThreadingTCPServer):
    """Listens on a port of this machine until it is closed."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.letters: list[EmailMessage] = []
        self._came = threading.Condition()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"

    def take(self, text: bytes) -> None:
        with self._came:
            self.letters.append(email.message_from_bytes(text, EmailMessage, policy=email.policy.default))
            self._came.notify_all()

    def letter(self, number: int, timeout: float = 20) -> EmailMessage:
        """The letter of that number, from 0, once it has come."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.letters) > number, timeout), "no letter has come"
            return self.letters[number]

    def close(self) -> None:
        self.shutdown()
        self.server_close()
