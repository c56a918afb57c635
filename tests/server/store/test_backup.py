"""What docs/operations.md says of PostgreSQL: its role and database, a backup, and how it is restored."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.conftest import Serving
from tests.support import services

TOLD = (Path(__file__).parents[3] / "docs" / "operations.md").read_text("utf-8")


def commands(first: str) -> list[str]:
    """The lines of the documentation's block of commands that begins with ``first``."""
    block = next(block for block in re.findall(r"```sh\n(.*?)```", TOLD, re.DOTALL) if block.startswith(first))
    return [line for line in block.splitlines() if not line.startswith("#")]


def run(lines: list[str], postgres: services.Postgres, folder: Path) -> None:
    """Do what is said there, on a server of one's own, with backups in ``folder``."""
    programs = str(Path(str(services._binary("initdb"))).parent)
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "PGHOST": "127.0.0.1",
        "PGPORT": str(postgres.port),
        "PGUSER": "postgres",
    }
    for line in lines:
        said = re.sub(r"/backup/tercet-.*?\.dump", str(folder / "tercet.dump"), line)
        said = said.replace("sudo -u postgres ", "").replace("--pwprompt ", "")
        subprocess.run(["/bin/sh", "-ec", said], check=True, env=environment)


@pytest.mark.online
def test_postgresql_as_it_is_told(serve: Callable[..., Serving], postgres: services.Postgres, tmp_path: Path) -> None:
    """A role without privileges owns the database, and a restored backup is what it was."""
    run(commands("sudo -u postgres createuser"), postgres, tmp_path)
    server = serve(database=f"postgresql://tercet@127.0.0.1:{postgres.port}/tercet", postgres=postgres)
    table, wire = server.both()
    assert wire.act(0, "Rd4")["type"] == "ack"
    before = server.http.get(f"/api/tables/{table}/record").text
    run(commands("sudo -u postgres pg_dump")[:1], postgres, tmp_path)
    assert wire.act(1, "Yd5")["type"] == "ack"
    server.stop()
    run(commands("sudo -u postgres pg_dump")[1:], postgres, tmp_path)
    server.start()
    assert server.http.get(f"/api/tables/{table}/record").text == before
