"""Conditional moves: lines that the server plays for a player at once, and that leave it in nothing else before."""

import dataclasses
import functools
import itertools
import json
import logging
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import tercet
from tercet.play.session import PlayAction, Seat, Session, SessionError, TableSettings
from tercet.server.store.tables import ConditionalLines
from tercet.server.tables import registry
from tercet.server.tables.conditional import ANY, MAX_ACTIONS, ConditionalMoves, check_lines, left_of
from tercet.server.tables.registry import TableRegistry
from tests.server.conftest import PASSWORD, Hands, Serve, Serving, Wire, code, play, state_of
from tests.server.people.browser import rows
from tests.support.limits import OPEN
from tests.support.refusals import refuses
from tests.support.waiting import until

PEOPLE = (Seat("person"), Seat("person"))


@pytest.fixture
def session() -> Session:
    """A game of two in which the first player has moved: the second is to move."""
    return played(Session.open(TableSettings("sanqi", {"side": 4}, PEOPLE)), "Rd4")


def played(session: Session, *actions: str) -> Session:
    for action in actions:
        session = session.apply(PlayAction(frozenset(range(3)), session.ply, action))[-1].after
    return session


def kept(session: Session, lines: Any, seat: int = 0) -> ConditionalLines:
    return ConditionalLines(seat, session.number, session.ply, check_lines(session, seat, lines))


def left(lines: ConditionalLines, session: Session, *actions: str) -> Any:
    after = played(session, *actions)
    log: list[Any] = [None] * session.number + [SimpleNamespace(kind="action")] * (after.number - session.number)
    return left_of(lines, after, log)


def test_the_game_follows_the_lines_that_fit(session: Session) -> None:
    lines = kept(session, [["Yd5", "Rd6", "Ya4", "Ra5"], ["Yd5", "Rd6", "Ya5", "Ra4"], ["Yc4", "Rc5"]])
    assert left(lines, session) == lines.lines
    assert left(lines, session, "Yd5") == (("Rd6", "Ya4", "Ra5"), ("Rd6", "Ya5", "Ra4"))
    assert left(lines, session, "Yd5", "Rd6", "Ya5") == (("Ra4",),)
    assert left(lines, session, "Yd5", "Rd6", "Ya5", "Ra4") == ()  # to the end
    assert left(lines, session, "Yd5", "Rd7") == left(lines, session, "Ya7") == ()  # something else was played
    # Any move stands for what no line names.
    lines = kept(session, [["Yd5", "Rd6"], [ANY, "Rc5"]])
    assert left(lines, session, "Yd5") == (("Rd6",),)
    assert left(lines, session, "Ya7") == (("Rc5",),)


def test_any_move_stands_for_all_that_two_opponents_play() -> None:
    session = Session.open(TableSettings("triplicity", {}, (*PEOPLE, Seat("person"))))
    session = played(session, str(session.position.legal_actions[0]))
    lines = ConditionalLines(0, session.number, session.ply, ((ANY, "a", "b", ANY, "c"),))
    others: list[str] = []
    while (after := played(session, *others)).mover != 0:
        assert left(lines, session, *others) in (lines.lines, (("a", "b", ANY, "c"),))
        others.append(str(after.position.legal_actions[0]))
    assert left(lines, session, *others) == (("a", "b", ANY, "c"),)


REFUSED = (
    *(([lines], "branches.0", "Line 1 must end with a move of yours.") for lines in ("Yd5", ANY, "")),
    *(([lines], "branches.0.1", "Line 1, *: Only what an") for lines in (f"{ANY} {ANY} Rd6", f"Yd5 {ANY} Rd6")),
    *(([f"{one} Rd6", f"{one} Rd7"], "branches.1.1", "Line 2, Rd7: Another line has") for one in ("Yd5", ANY)),
    (["Yd5 Rd6", "Yd4 Rd6"], "branches.1.0", "Line 2, Yd4: "),
    (["Yd5 Rd5"], "branches.0.1", "Line 1, Rd5: "),
    (["nonsense Rd5"], "branches.0.0", "Line 1, nonsense: "),
    (["Yd5 Rd6"] * 151, "branches", "Conditional moves must have at most 300 actions."),
)


def test_lines_are_kept_in_canonical_notation_and_what_cannot_be_played_so_is_refused(session: Session) -> None:
    for lines, where, why in REFUSED:
        refused = refuses(SessionError, None, check_lines, session, 0, [line.split() for line in lines])
        assert (refused.where, refused.why[: len(why)]) == (where, why)
    assert check_lines(session, 0, [[" Yd5", "Rd6 "]]) == (("Yd5", "Rd6"),)
    refuses(SessionError, "while an opponent is to move", check_lines, session, 1, [["Yd5"]])


def address_of(table: dict[str, Any], seat: int = 0) -> str:
    return f"/api/tables/{table['id']}/seats/{seat}/conditional?seat={table['tokens'][seat]}"


def plan(server: Serving, table: dict[str, Any], ply: int, *lines: str, seat: int = 0) -> Any:
    """Set the conditional moves of a seat: lines of actions with spaces between."""
    return server.http.put(address_of(table, seat), json={"ply": ply, "branches": [line.split() for line in lines]})


def begun(server: Serving, *lines: str, **wish: Any) -> tuple[dict[str, Any], list[Wire]]:
    """A game of two in which the first player has moved and set these lines, and the players' sockets."""
    table, wires = server.friends(**wish)
    play(wires[:1], "Rd4")
    assert not lines or plan(server, table, 1, *lines).status_code == 200
    return table, wires


def planned(server: Serving, table: dict[str, Any]) -> Any:
    return server.http.get(address_of(table)).json()["branches"]


def of_table(server: Serving, table: dict[str, Any]) -> list[Any]:
    return rows(server, "SELECT lines FROM conditional_moves WHERE table_id = :id", id=table["id"])


def actions(wire: Wire, many: int) -> list[str]:
    """The first actions that a player hears of."""
    while True:
        heard = [one["action"] for one in wire.heard if one["type"] == "event" and one["kind"] == "action"]
        if len(heard) >= many:
            return heard
        wire.hear()


def test_answers_are_played_at_once_line_by_line(server: Any) -> None:
    table, (mine, theirs) = begun(server)
    lines = ("Yd5 Rd6 Ya4 Ra5", "Yd5 Rd6 Ya5 Ra4", "Yc4 Rc5")
    assert plan(server, table, 1, *lines).json() == {"ply": 1, "branches": [line.split() for line in lines]}
    play([theirs], "Yd5", 1)
    assert actions(theirs, 3) == ["Rd4", "Yd5", "Rd6"]
    assert planned(server, table) == [["Ya4", "Ra5"], ["Ya5", "Ra4"]]
    assert code(plan(server, table, 3, "Ya5", seat=1)) == "not-possible"
    play([theirs], "Ya5", 3)
    assert actions(mine, 5) == ["Rd4", "Yd5", "Rd6", "Ya5", "Ra4"]
    assert planned(server, table) == []
    until(lambda: not of_table(server, table))


@pytest.mark.parametrize(("game", "options", "seats"), [("triplicity", {}, 3), ("sparklies", {"board": "5x5"}, 2)])
def test_the_others_replies_and_a_whole_turn_after_them(server: Any, game: str, options: Any, seats: int) -> None:
    table, wires = server.friends(*("me", "friend", "friend")[:seats], game=game, options=options)
    position = tercet.game(game, **options).start()
    line: list[tuple[int, str]] = []
    while len([mover for mover, _ in itertools.groupby(line, lambda one: one[0])]) < 2 * seats:
        line.append((position.mover or 0, str(position.legal_actions[len(position.legal_actions) // 2])))
        position = position.play(line[-1][1])
    turns = [[action for _, action in turn] for _, turn in itertools.groupby(line, lambda one: one[0])]
    first, ahead = turns[0], list(itertools.chain(*turns[1 : seats + 1]))
    play(wires[:1], " ".join(first))
    assert plan(server, table, len(first), " ".join(ahead)).status_code == 200
    for ply, (mover, action) in enumerate(line[: len(first) + len(ahead)]):
        if ply >= len(first) and mover != 0:
            actions(wires[mover], ply)
            play([wires[mover]], action, ply)
    assert actions(wires[1], len(first) + len(ahead)) == [*first, *ahead]


def test_a_premove_is_played_after_any_move_and_void_where_it_is_illegal(server: Any) -> None:
    for reply, follows in (("Yd5", True), ("Yc4", False)):
        table, (mine, theirs) = begun(server, "* Rc4")
        assert theirs.act(1, reply)["type"] == "ack"
        until(functools.partial(lambda table: not of_table(server, table), table))
        assert state_of(server, table["id"])["ply"] == 2 + follows
        if not follows:
            assert mine.act(2, "Rd5")["type"] == "ack"


@pytest.mark.parametrize(("how", "ply"), [("takeback", 4), ("answer taken back", 2), ("resign", 1), ("other", 2)])
def test_they_are_void_when_the_game_goes_otherwise(server: Any, how: str, ply: int) -> None:
    table, (mine, theirs) = begun(server, "Yd5 Rd6 Yd7 Ra4", takebacks="consent")
    if how in ("takeback", "answer taken back"):
        play([theirs], "Yd5", 1)
        actions(theirs, 3)
        asks, accepts, to = (mine, theirs, 2) if how == "takeback" else (theirs, mine, 1)
        asks.done(type="takeback", ply=to)
        accepts.done(type="answer", what="takeback", yes=True)
        until(lambda: not of_table(server, table))
        play([mine, theirs], "Rd6 Yd7", 2) if how == "takeback" else play([theirs], "Yd5", 1)  # nothing follows
    elif how == "resign":
        theirs.done(type="resign", seat=1)
    else:
        play([theirs], "Ya4", 1)
    until(lambda: not of_table(server, table))
    assert (planned(server, table), state_of(server, table["id"])["ply"]) == ([], ply)


def test_only_the_player_of_a_seat_sets_and_sees_them(server: Any) -> None:
    table, (mine, theirs) = begun(server, "Yd5 Rd6")
    where = f"/api/tables/{table['id']}/seats/0/conditional"
    for tokens in ("", f"?seat={table['tokens'][1]}"):
        other = server.visitor().http
        assert code(other.get(where + tokens)) == "not-your-seat"
        assert code(other.put(where + tokens, json={"ply": 1, "branches": []})) == "not-your-seat"
    assert code(plan(server, table, 0, "Yd5 Rd6")) == "stale-ply"
    assert code(plan(server, table, 1, "Yd4 Rd6")) == "illegal-action"
    assert planned(server, table) == [["Yd5", "Rd6"]]
    assert plan(server, table, 0).json() == {"ply": 1, "branches": []}
    assert (planned(server, table), of_table(server, table)) == ([], [])
    play([mine, theirs], "Yd5 Rd7", 1)


def test_the_clock_of_an_answer_is_hardly_used(serve: Serve) -> None:
    server = serve(clock=(hands := Hands()))
    table, (_, theirs) = begun(server, "Yd5 Rd6", clock={"kind": "fischer", "minutes": 1, "increment": 5})
    hands.now += 30_000
    theirs.act(1, "Yd5")
    actions(theirs, 3)
    clock = theirs.state["clock"]
    assert (clock["left"], clock["running"]) == ([70_000, 35_000], 1)
    assert plan(server, table, 3, "Yd7 Ra4").status_code == 200
    hands.now += 36_000
    assert theirs.act(3, "Yd7")["code"] == "over"  # a flag falls, and ends them
    until(lambda: not of_table(server, table))


def test_the_widest_and_the_deepest_trees_are_kept_and_one_more_is_refused(server: Any) -> None:
    table, (_, theirs) = begun(server)
    position = tercet.game("sanqi", side=4).start().play("Rd4")
    replies = itertools.islice(itertools.cycle(position.legal_actions), MAX_ACTIONS // 2)
    wide = [f"{reply} {position.play(reply).legal_actions[0]}" for reply in replies]
    deep = " ".join(["* Ra4"] * (MAX_ACTIONS // 2))
    for lines, more in ((wide, [*wide, wide[0]]), ([deep], [f"{deep} * Ra4"]), ([deep], [deep, "* Ra4"])):
        assert plan(server, table, 1, *lines).status_code == 200
        assert planned(server, table) == [line.split() for line in lines]
        assert code(plan(server, table, 1, *more)) == "bad-message"
        assert planned(server, table) == [line.split() for line in lines]
    nested = "[" * 60_000 + "]" * 60_000
    asked = {"content": f'{{"ply": 1, "branches": {nested}}}', "headers": {"content-type": "application/json"}}
    assert code(server.http.put(address_of(table), **asked)) == "bad-message"
    play([theirs], "Yd5", 1)
    assert actions(theirs, 3)[-1] == "Ra4"


def test_trees_that_are_set_and_withdrawn_without_end_are_charged_and_refused(serve: Serve) -> None:
    """Those who play meanwhile go on, and so does the game that they are set in."""
    server = serve(limits=dataclasses.replace(OPEN, rows_per_minute=20))  # and five minutes' worth at once
    table, (host, guest) = server.meeting("planner", "rival", takebacks="consent")
    mine, theirs = host.wire(table), guest.wire(table)
    play([mine], "Rd4")
    trees = itertools.cycle([[["Yd5", "Rd6"]], []])
    own = f"/api/tables/{table}/seats/0/conditional"
    answers = [host.http.put(own, json={"ply": 1, "branches": next(trees)}) for _ in range(120)]
    assert {one.status_code for one in answers[:90]} == {200}
    refused = [one for one in answers if one.status_code != 200]  # rows may have been given back before the last one
    assert {code(one) for one in refused} == {"too-many"}
    assert all("retry-after" in one.headers for one in refused)
    play([theirs], "Ya7", 1)
    begun(server)


@pytest.mark.online
@pytest.mark.parametrize("clock", [None, {"kind": "fischer", "minutes": 5, "increment": 0}])
def test_the_next_process_answers_for_one_that_died(serve: Serve, monkeypatch: pytest.MonkeyPatch, clock: Any) -> None:
    """Though no one looks at the table; and no later process does it again."""
    server = serve()
    table, (_, theirs) = begun(server, "Yd5 Rd6", clock=clock)
    monkeypatch.setattr(ConditionalMoves, "wake", lambda _: None)  # from now on the process plays none
    play([theirs], "Yd5", 1)
    server.stop()
    monkeypatch.undo()
    server.start()
    until(lambda: not of_table(server, table))
    for _ in range(2):
        record = tercet.read(server.http.get(f"/api/tables/{table['id']}/record").text)[0]
        assert list(map(str, record.moves())) == ["Rd4", "Yd5", "Rd6"]
        server.restart()


@pytest.mark.online
@pytest.mark.parametrize("hears", [True, False], ids=["told", "not told"])
def test_another_process_than_the_owner_sets_them(serve: Serve, monkeypatch: pytest.MonkeyPatch, hears: bool) -> None:
    """The owner looks now and then where no message comes."""
    monkeypatch.setattr(registry, "PATROL_SECONDS", 100.0 if hears else 0.2)
    here = serve()
    there = here.another()
    table, (_, theirs) = begun(here)
    owner: TableRegistry = here.app.state.services.registry
    until(lambda: owner.known(table["id"]).owned)  # type: ignore[union-attr]
    assert plan(there, table, 1, "Yd5 Rd6").status_code == 200
    if hears:
        hear = owner.known(table["id"])._hear  # type: ignore[union-attr]
        owner._endless[0].get_loop().call_soon_threadsafe(hear, {"run": -1, "conditional": True})
    until(lambda: owner.known(table["id"]).conditional.kept)  # type: ignore[union-attr]
    play([theirs], "Yd5", 1)
    assert actions(theirs, 3)[-1] == "Rd6"


@pytest.mark.online
def test_lines_that_were_replaced_elsewhere_are_not_played(serve: Serve) -> None:
    """Though the owner has not heard of it yet."""
    here = serve()
    there = here.another()
    table, (mine, theirs) = begun(here, "Yd5 Rd6")
    for lines in (["Yd5 Rd7"], []):
        assert plan(there, table, 1, *lines).json()["branches"] == [line.split() for line in lines]
    play([mine, theirs], "Yd5 Ra4", 1)
    assert actions(theirs, 3) == ["Rd4", "Yd5", "Ra4"]


TABLE = ("", "/record", "/record?format=json", "/positions/0", "/positions/1", "/ratings")
OTHER = ("/api/me", "/api/me/games", "/api/me/export", "/api/tables", "/api/lobby", "/ready", "/metrics", "/")


def leaves(server: Serving, lines: list[list[str]]) -> Iterator[tuple[str, str]]:
    """All that others than the player who plans these ``lines`` get, before and after a move: what it is, its text."""
    host, guest, moderator = (server.visitor(name) for name in ("planner", "rival", "other"))
    table = host.open("me", "open", takebacks="consent", watch="public")["id"]
    mine, watcher = host.wire(table), server.wire(table)
    mine.hear(), watcher.hear()
    assert guest.sit(table, 1).status_code == 201
    theirs = guest.wire(table)
    theirs.hear()
    play([mine], "Rd4")
    own = f"/api/tables/{table}/seats/0/conditional"
    assert host.http.put(own, json={"ply": 1, "branches": lines}).status_code == 200
    rows(server, "UPDATE people SET kind = 'staff' WHERE handle = :handle", handle=moderator.handle)
    paths = [f"/api/tables/{table}{path}" for path in TABLE] + [own, own.replace("seats/0", "seats/1"), *OTHER]
    paths += [f"/t/{table}", f"/api/pictures/table/{table}.png", f"/api/people/{host.handle}"]
    readers = {"opponent": guest, "moderator": moderator, "anyone": server.visitor()}
    for moment in ("before", "after"):
        for name, reader in readers.items():
            for path in paths:
                what = f"{moment}, {name}: {path.replace(table, 'T').replace(host.handle, 'H')}"
                yield what, reader.http.get(path).text
        if moment == "before":
            play([theirs], "Ya7", 1)
            actions(watcher, 2)
    for name, wire in (("opponent", theirs), ("watcher", watcher)):
        again = [guest.wire(table, since=1), guest.wire(table)] if name == "opponent" else [server.wire(table)]
        for one in again:
            one.hear()
        for message in (message for one in (wire, *again) for message in one.heard if message["type"] != "here"):
            yield f"{name}: {message['type']} {message.get('number', '')}", json.dumps(message)


def bare(text: str) -> str:
    """A text without names, times, counts, and who is here: all that may differ between two tables."""
    return re.sub(r"\"away\": ?\[[^]]*\]|\b[\w-]{12,}\b|(planner|rival|other)-\d+|\d{6,}(\.\d+)?(e\+\d+)?", "", text)


@pytest.mark.online
def test_nothing_that_leaves_the_server_tells_of_them(
    serve: Serve, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others get what they get where nothing is planned; no line is in it, in the logs, or between processes."""
    for name in ("tercet", "uvicorn", "sqlalchemy"):
        caplog.set_level(logging.INFO if name == "sqlalchemy" else logging.DEBUG, logger=name)
    server, said = serve(clock=Hands()), []
    pubsub = server.app.state.services.registry.pubsub

    async def publish(_channel: str, data: Any) -> None:
        said.append(json.dumps(data))

    monkeypatch.setattr(pubsub, "publish", publish)
    monkeypatch.setattr(type(pubsub), "reaches_others", True)
    planned_texts = list(leaves(server, [["Ya4", "Rb5", "Ya5", "Rb6"], ["*", "Ya7x"]]))
    logs = caplog.text + "".join(capfd.readouterr())
    assert '"conditional": true' in "".join(said)
    assert len(planned_texts) > 100
    for what, text in [*planned_texts, *(("between processes", one) for one in said), ("logs", logs)]:
        for secret in ("Ya7x", '"Ya4", "Rb5"', '"Ya4","Rb5"', "Ya4 Rb5"):
            assert secret not in text, what
    for (what, text), (_, other) in zip(planned_texts, leaves(server, []), strict=True):
        assert bare(text) == bare(other) or what.endswith(("/metrics", "/api/lobby", "/api/tables")), what


def test_one_s_own_are_in_one_s_own_export(server: Any) -> None:
    host = server.visitor("exporter")
    table = host.open("me", "friend")
    play([host.wire(table["id"])], "Rd4")
    assert plan(server, table, 1, "Yd5 Rd6").status_code == 200
    assert [game["conditional"] for game in host.http.get("/api/me/export").json()["games"]] == [[["Yd5", "Rd6"]]]
    other, _ = begun(server, "Yd5 Rd6")
    assert host.http.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    assert not of_table(server, table)
    assert of_table(server, other)
