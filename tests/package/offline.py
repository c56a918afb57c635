"""A program that runs in a network of its own, from which nothing but itself can be reached: it plays in the terminal,
and a server's page, with all its files, and a game against an engine are there. Its argument is the folder of the
command `tercet`."""

import fcntl
import json
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import Request, urlopen

SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def main() -> None:
    with socket.socket() as one:
        fcntl.ioctl(one, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))
        try:
            one.connect(("192.0.2.1", 80))
        except OSError:
            pass
        else:
            raise AssertionError("there is a network")
    command = str(Path(sys.argv[1]) / "tercet")
    play = [command, "play", "sanqi", "--side", "4", "--vs", "random", "--seat", "none", "--seed", "1"]
    done = subprocess.run(play, capture_output=True, text=True, check=True)
    assert "random" in done.stdout, done.stdout
    with tempfile.TemporaryDirectory() as folder:
        serve = [command, "serve", "--port", "0", "--no-browser", "--data-dir", folder]
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split(" at ")[1].strip()
            page = urlopen(address).read().decode()
            files = re.findall(r'(?:src|href)="/(assets/[^"]+)"', page)
            assert files, page
            for file in files:
                assert urlopen(address + file).read()
            assert len(json.load(urlopen(f"{address}api/games"))) == 3
            body = {"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "engine", "level": 1}, {"kind": "me"}]}
            asked = Request(f"{address}api/tables", json.dumps(body).encode(), {"content-type": "application/json"})
            table = json.load(urlopen(asked))["id"]
            for _ in range(600):
                if json.load(urlopen(f"{address}api/tables/{table}"))["state"]["ply"] == 1:
                    break
                time.sleep(0.2)
            else:
                raise AssertionError("the engine has not moved")
        finally:
            server.terminate()
            server.wait()


main()
