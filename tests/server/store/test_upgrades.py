"""A database of each earlier revision, with games going on in it, is brought up, and the games go on."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

import tercet
from tercet.server import store
from tercet.server.store import Database, Store, TableSummary, address, hash_token, migrate
from tercet.server.store.chain import first_link, link
from tercet.session import PlayAction, Session
from tests.server.conftest import Serving


def configured() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(store.__file__).parent.with_name("migrations")))
    return config


REVISIONS = sorted(script.revision for script in ScriptDirectory.from_config(configured()).walk_revisions())


def written_at(revision: str, where: str) -> None:
    """A database as a program of that ``revision`` left it: a game of each kind in which one action has been played,
    with a clock that has run since yesterday, and the tokens ``secret-0`` and so on for its seats."""
    url = address(where)
    engine = sa.create_engine(url.set(drivername="sqlite") if url.drivername.startswith("sqlite") else url)
    with engine.connect() as connection:
        config = configured()
        config.attributes["connection"] = connection
        with connection.begin():
            command.upgrade(config, revision)
    there = sa.MetaData()
    there.reflect(engine)
    yesterday = time.time() - 86_400

    def put(connection: sa.Connection, name: str, **values: Any) -> None:
        table = there.tables[name]
        connection.execute(table.insert().values({key: value for key, value in values.items() if key in table.c}))

    with engine.begin() as connection:
        if "runs" in there.tables:
            put(connection, "runs", id=1, began=yesterday - 60, seen=yesterday, process="gone")
        for game in tercet.games():
            start = tercet.game(game).start()
            seats = [{"kind": "person", "name": "", "level": 0} for _ in start.game.players]
            clock = {"kind": "turn", "seconds": 60}
            rules = {"game": game, "options": {}, "seed": 0, "position": None, "opening": [], "takebacks": True}
            setup = {**rules, "seats": seats, "clock": clock}
            action = {"ply": 0, "seat": 0, "action": str(start.legal_actions[0]), "at": round(1000 * yesterday) - 5000}
            as_kept: dict[str, Any] = {"setup": setup, "data": action}
            if connection.dialect.name == "sqlite" and not isinstance(there.tables["tables"].c.setup.type, sa.JSON):
                as_kept = {name: json.dumps(value) for name, value in as_kept.items()}
            digest = link(first_link(game, setup), 1, "action", action, "0:first", yesterday)
            head = {"number": 1, "digest": digest}
            put(connection, "tables", id=game, setup=as_kept["setup"], opened=yesterday, game=game, owner=1, **head)
            for seat in range(len(seats)):
                put(connection, "seats", table_id=game, seat=seat, token_hash=hash_token(f"secret-{seat}"))
            row = {"table_id": game, "number": 1, "kind": "action", "client_id": "0:first", "at": yesterday}
            put(connection, "events", **row, data=as_kept["data"], digest=digest)
    engine.dispose()


def goes_on(where: str) -> None:
    """The games there are as they were, and an action is played in each."""
    migrate(address(where))

    async def work() -> None:
        kept = Store(Database(address(where)))
        for game in tercet.games():
            found = await kept.load(game)
            assert found is not None
            assert found.acks == {"0:first": 1}
            assert found.tokens[0] == hash_token("secret-0")
            session = Session.replay(found.info.settings, found.log)
            assert session.mover is not None
            text = str(session.position.legal_actions[0])
            steps = session.apply(PlayAction(frozenset({session.mover}), session.ply, text), session.clock.at)  # type: ignore[union-attr]
            await kept.append(game, [step.event for step in steps], "1:next", TableSummary())
            again = await kept.load(game)
            assert again is not None
            assert Session.replay(again.info.settings, again.log).ply == 2
        await kept.database.close()

    asyncio.run(work())


@pytest.mark.parametrize("revision", REVISIONS[1:])
def test_a_game_of_each_earlier_revision_goes_on(revision: str, tmp_path: Path) -> None:
    written_at(revision, str(tmp_path / "tercet.sqlite"))
    goes_on(str(tmp_path / "tercet.sqlite"))


def test_a_game_of_the_first_revision_goes_on(database: str) -> None:
    """Through all migrations, on both databases."""
    written_at(REVISIONS[0], database)
    goes_on(database)


def test_a_server_goes_on_with_games_of_the_first_revision(tmp_path: Path) -> None:
    """The time since then was nobody's, and no flag falls."""
    written_at(REVISIONS[0], str(tmp_path / "tercet.sqlite"))
    server = Serving(tmp_path)
    try:
        for game in tercet.games():
            wire = server.wire(game, *(f"secret-{seat}" for seat in range(len(tercet.game(game).players))))
            state = wire.until("snapshot")["state"]
            assert (state["ply"], state["over"], state["flagged"]) == (1, False, [])
            action = state["view"]["paths"][0][0]
            assert wire.act(1, action)["type"] == "ack"
            assert wire.act(0, "whatever", id="first")["number"] == 1  # as it was acknowledged then
    finally:
        server.stop()
