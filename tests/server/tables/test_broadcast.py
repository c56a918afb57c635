"""Nothing is rendered that nobody is sent, and nothing is compiled on the event loop."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.core.presentation import position_view
from tercet.core.view import fields_of
from tercet.play.session import PlayAction, Seat, Session, Step, TableSettings
from tercet.server.tables import clients
from tercet.server.tables.clients import Client, Readers, readers, render

ALL = frozenset({0, 1})


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each view that was rendered had paths."""
    found: list[bool] = []
    view_of: Callable[..., Any] = clients.view_of

    def noted(session: Session, paths: bool) -> Any:
        found.append(paths)
        return view_of(session, paths)

    monkeypatch.setattr(clients, "view_of", noted)
    return found


def steps() -> list[Step]:
    session = Session.open(TableSettings("sanqi", {"side": 4}, (Seat("person"), Seat("person"))))
    return session.apply(PlayAction(ALL, 0, str(session.position.legal_actions[0])))


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        (None, []),  # nobody reads
        (frozenset(), [False]),  # somebody watches
        (frozenset({0}), [False]),  # only who has just moved is there
        (frozenset({1}), [True]),
        (ALL, [True]),
    ],
)
def test_only_what_somebody_reads_is_rendered(who: Readers, expected: list[bool], rendered: list[bool]) -> None:
    made = steps()
    assert made[-1].after.mover == 1
    assert [one.session for one in render(made, 50, who)] == [made[-1].after]
    assert rendered == expected


def test_who_only_wants_to_know_that_there_is_news_reads_nothing() -> None:
    class Quiet(Client):
        reads = False

    assert readers([]) is None
    assert readers([Quiet(ALL)]) is None
    assert readers([Client(frozenset())]) == frozenset()
    assert readers([Client(frozenset({0})), Quiet(frozenset({1}))]) == frozenset({0})


@pytest.mark.parametrize("game", tercet.games())
def test_a_view_is_written_as_it_is_told(game: str) -> None:
    """Parts of the scene stand in it as dataclasses."""
    position = tercet.game(game).start()
    for action in list(position.legal_actions)[:1]:
        position = position.play(action)
    written = clients.encode(position_view(position, as_data=fields_of))
    assert json.loads(written) == json.loads(json.dumps(position_view(position)))


def test_half_of_a_surrogate_pair_is_written_too() -> None:
    assert json.loads(clients.encode({"why": "no \ud800 here", "上": 1})) == {"why": "no \ud800 here", "上": 1}
    with pytest.raises(TypeError, match="object"):
        clients.encode({"what": object()})


SERVED = """
import asyncio, sys
from tercet import kernel
on_loop = []
def heard(name):
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    on_loop.append(name)
kernel.on_compile(heard)
import tercet
from pathlib import Path
from tests.server.conftest import Serving
server = Serving(Path(sys.argv[1]))
game = sys.argv[2]
seats = ["me"] + ["here"] * (len(tercet.game(game).players) - 1)
for ends in ("resign", "draw"):
    table = server.open(*seats, game=game)
    wire = server.wire(table["id"], *table["tokens"])
    position = tercet.parse(wire.hear()["start"])
    for ply in range(10):
        if position.is_over:
            break
        action = position.legal_actions[len(position.legal_actions) // 2]
        assert wire.act(ply, str(action))["type"] == "ack"
        position = position.play(action)
    assert wire.act(ply + 1, "nonsense")["type"] == "error"
    wire.ask(type="takeback")
    wire.ask(type=ends)
    server.http.get(f"/api/tables/{table['id']}/at/3")
    server.http.get(f"/api/me/tables?table={table['id']}")
server.stop()
print("compiled on the loop:", on_loop)
sys.exit(bool(on_loop))
"""


@pytest.mark.long
@pytest.mark.parametrize("game", tercet.games())
def test_nothing_is_compiled_on_the_event_loop(game: str, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    root = Path(__file__).parents[3]
    path = os.pathsep.join([str(root / "src"), str(root)])
    environment = {**os.environ, "TERCET_CACHE": str(tmp_path / "cache"), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", SERVED, str(tmp_path / "data"), game],
        env=environment,
        capture_output=True,
        text=True,
        timeout=540,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
