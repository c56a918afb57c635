"""Tournaments on a real server, played by clients who know nothing but what they are told."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import httpx
import pytest
from pydantic import TypeAdapter

from tercet.server import tournaments as directing
from tercet.server.tournaments import Director
from tercet.server.wire import TournamentResponse
from tests.server.conftest import Serve, Serving, Wire
from tests.server.people.browser import rows
from tests.support.tournament_players import SANQI, SPARKLIES, TRIPLICITY, Player, encounters, finish, gather, started
from tests.support.waiting import until

pytestmark = pytest.mark.online


def announced(players: list[Player], **plan: Any) -> str:
    """A tournament that all of these people have joined, a round robin where nothing else is said."""
    tournament = players[0].announce(**{"form": "round-robin", **SANQI, **plan})
    for player in players:
        player.do(tournament, "join")
    return tournament


def begun(players: list[Player], **plan: Any) -> tuple[str, str]:
    """Such a tournament that has begun, and its first table."""
    tournament, _ = started(players, **{"form": "round-robin", **SANQI, **plan})
    return tournament, str(until(lambda: players[0].told(tournament)["yourTable"]))


def follow(player: Player, path: str) -> Wire:
    """A socket of a player's, its first message heard."""
    cookie = f"tercet={player.http.cookies['tercet']}"
    wire = cast(Serving, player.serving).socket(f"/api/{path}/live", {"cookie": cookie})
    wire.hear()
    return wire


def announce(player: Player, **plan: Any) -> tuple[int, str, str]:
    """Try to announce a tournament: the status, and an error's code and where it is."""
    answer = player.ask("POST", "/api/tournaments", {"name": "Announced", "form": "round-robin", **SANQI, **plan})
    error = answer.json().get("error", {"code": "", "where": ""})
    return answer.status_code, error["code"], error["where"]


def names(pairing: dict[str, Any]) -> list[str]:
    return [person["name"] for person in pairing["people"]]


def line_of(told: dict[str, Any], player: Player) -> Any:
    return next(line for line in told["standings"] if line["name"] == player.name)


def state_of(player: Player, table: str) -> Any:
    return player.ask("GET", f"/api/tables/{table}").json()["state"]


def test_a_round_robin_of_four(serve: Serve) -> None:
    players = gather(serve(), 4)
    tournament = players[0].announce(form="round-robin", **SANQI)
    told = players[0].told(tournament)
    assert (told["state"], told["yours"], told["you"], told["entrants"]) == ("waiting", True, None, 0)
    for player in players:
        assert player.do(tournament, "join")["you"]["active"]
    assert players[1].do(tournament, "begin", 403)["error"]["code"] == "not-allowed"
    told = players[0].do(tournament, "begin")
    assert (told["state"], told["rounds"]) == ("running", 3)
    told = finish(players, tournament)
    assert (len(told["pairings"]), set(encounters(told).values())) == (6, {1})
    assert sum(line["points"] for line in told["standings"]) == 6
    assert [(line["rank"], line["games"]) for line in told["standings"]] == [(rank, 3) for rank in (1, 2, 3, 4)]
    assert all(tiebreak["words"] for tiebreak in told["tiebreaks"])
    for pairing in told["pairings"]:
        table = state_of(players[0], pairing["table"])
        assert (table["over"], table["view"]["outcome"]["scores"]) == (True, pairing["result"]["scores"])
        assert [seat["name"] for seat in table["seats"]] == names(pairing)
    assert set(told) == set(TournamentResponse.__annotations__)
    assert TypeAdapter(TournamentResponse).validate_python(told) == told
    listed = players[2].ask("GET", "/api/tournaments?state=over").json()["tournaments"]
    assert [line["id"] for line in listed] == [tournament]
    assert players[2].do(tournament, "join", 409)["error"]["code"] == "over"


def test_a_swiss_of_five_with_a_bye_and_a_withdrawal(serve: Serve) -> None:
    players = gather(serve(), 5)
    tournament, _ = started(players, form="swiss", rounds=3, **SANQI)
    leaver = players[4]
    threads = [player.begin(tournament) for player in players]
    until(lambda: players[0].told(tournament)["round"] >= 2, 120)
    left_in = leaver.do(tournament, "leave")["round"]
    told = finish(players, tournament, threads=threads)
    assert set(encounters(told).values()) == {1}
    assert [pairing["result"]["scores"] for pairing in told["pairings"] if pairing["bye"]][:2] == [[1.0], [1.0]]
    assert not line_of(told, leaver)["active"]
    assert not [one for one in told["pairings"] if one["round"] > left_in and leaver.name in names(one)]


def test_an_arena_that_all_join_at_once_ends_on_time(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directing, "MAX_TRIES", 1)  # its changes take turns
    players = gather(serve(), 8)
    tournament, began = players[0].announce(form="arena", minutes=0.2, **SANQI), time.time()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda player: player.do(tournament, "join"), players))
    told = players[0].do(tournament, "begin")
    assert told["ends"] == pytest.approx(1000 * (began + 12), abs=2_000)
    told = finish(players, tournament, 40)
    played = [pairing for pairing in told["pairings"] if pairing["result"] is not None]
    assert len(played) >= 3
    assert sum(line["points"] for line in told["standings"]) == 2 * len(played)


def test_a_game_of_an_arena_that_is_too_short_gives_no_points(serve: Serve) -> None:
    players = gather(serve(), 2)
    tournament, table = begun(players, form="arena", minutes=1)
    follow(players[0], f"tables/{table}").done(type="resign")
    told = until(lambda: (now := players[0].told(tournament))["pairings"][0]["result"] and now)
    assert told["pairings"][0]["result"]["scores"] == [0, 0]
    assert [line["points"] for line in told["standings"]] == [0, 0]


def test_an_event_that_is_open_for_days_with_a_prize(serve: Serve) -> None:
    players = gather(serve(), 2)
    tournament, _ = started(players, **SPARKLIES, form="best-margin", days=3, prize="  A box of\nwooden counters ")
    told = until(lambda: (now := players[0].told(tournament))["pairings"] and now, 60)
    assert (told["prize"], told["minutes"]) == ("A box of wooden counters", 3 * 1440)
    assert told["ends"] - told["since"] > 2 * 86_400_000
    assert announce(players[0], form="swiss", days=3, **SPARKLIES)[2] == "days"


def test_games_offer_the_forms_that_they_declare(serve: Serve) -> None:
    """The size of a win earns nothing in Triplicity, though its players' men are counted through the game."""
    (player,) = gather(serve(), 1)
    offered = {game["name"]: [form["id"] for form in game["forms"]] for game in player.ask("GET", "/api/games").json()}
    assert offered["sparklies"] == ["round-robin", "swiss", "arena", "best-margin"]
    assert offered["sanqi"] == offered["triplicity"] == ["round-robin", "swiss", "arena"]
    assert announce(player, form="best-margin", **TRIPLICITY, options={})[2] == "form"


def test_the_form_by_margins(serve: Serve) -> None:
    players = gather(serve(), 5)
    tournament, _ = started(players, form="best-margin", **SPARKLIES)
    told = finish(players, tournament)
    played = [one for one in told["pairings"] if not one["bye"]]
    first, last = ([one for one in played if one["playOff"] is is_last] for is_last in (False, True))
    assert (len(first), len(last)) == (10, 4)
    margin = [tiebreak["id"] for tiebreak in told["tiebreaks"]].index("margin")
    best = dict.fromkeys((player.name for player in players), 0)
    for pairing in first:
        result = pairing["result"]
        for name, score, by in zip(names(pairing), result["scores"], result["margins"], strict=True):
            best[name] = max(best[name], by if score == 1 else 0)
    assert {line["name"]: line["tiebreaks"][margin] for line in told["standings"]} == best
    assert {name for pairing in last for name in names(pairing)} == {line["name"] for line in told["standings"][:4]}


def test_who_does_not_come_loses_and_is_paired_no_more(serve: Serve) -> None:
    players = gather(serve(), 3)
    tournament, _ = started(players, form="swiss", rounds=2, wait=5, **SANQI)
    sleeper = players[1]  # the upper half meets the lower: he is at the first table or has a bye, then plays
    told = finish([players[0], players[2]], tournament)
    (forfeit,) = (pairing for pairing in told["pairings"] if pairing["result"]["forfeits"])
    seat = forfeit["result"]["forfeits"][0]
    assert (names(forfeit)[seat], forfeit["result"]["scores"][seat]) == (sleeper.name, 0)
    assert (line_of(told, sleeper)["active"], line_of(told, sleeper)["games"]) == (False, 0)
    assert state_of(players[0], forfeit["table"])["over"]


def test_it_begins_by_itself_and_not_with_too_few(serve: Serve) -> None:
    players = gather(serve(), 2)
    soon = round(1000 * (time.time() + 2))
    crowded, empty = announced(players, begins=soon), announced(players[:1], begins=soon)
    told = finish(players, crowded)
    assert len(told["pairings"]) == 1
    told = until(lambda: (now := players[0].told(empty))["state"] == "over" and now)
    assert (told["calledOff"], told["expires"]) == ("too-few", None)


def test_what_begins_later_is_not_loaded(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tournaments that begin by themselves cost nothing before."""
    players = gather(serve(), 2)
    later = players[0].announce(form="round-robin", begins=round(1000 * (time.time() + 86_400)), **SANQI)
    loaded: list[str] = []
    load = Director.load

    async def noted(director: Director, tournament_id: str) -> Any:
        loaded.append(tournament_id)
        return await load(director, tournament_id)

    monkeypatch.setattr(Director, "load", noted)
    finish(players, other := begun(players)[0])
    assert (other in loaded, later in loaded) == (True, False)


def test_the_socket_tells_what_changes(serve: Serve) -> None:
    players = gather(serve(), 2)
    tournament = players[0].announce(form="round-robin", **SANQI)
    wire = follow(players[1], f"tournaments/{tournament}")
    first = wire.heard[0]
    assert (first["type"], first["state"], first["entrants"]) == ("tournament", "waiting", 0)
    players[0].do(tournament, "join")
    assert wire.hear()["entrants"] == 1
    you = players[1].do(tournament, "join")["you"]
    assert you == {"handle": None, "name": players[1].name, "kind": "guest", "active": True}
    players[0].do(tournament, "begin")
    while (heard := wire.hear())["yourTable"] is None:
        pass
    assert heard == {"type": "tournament", **players[1].told(tournament)}
    playing = [heard["pairings"][0]["table"], *(line["playing"] for line in heard["standings"])]
    assert playing == [heard["yourTable"]] * 3
    nobody = httpx.get(f"http://127.0.0.1:{players[0].serving.port}/api/tournaments/{tournament}").json()
    assert (nobody["you"], nobody["yours"], nobody["yourTable"]) == (None, False, None)
    assert follow(players[0], f"tournaments/{'0' * 16}").heard[0]["code"] == "not-found"


def test_there_are_no_breaks_and_who_aborts_has_lost(serve: Serve) -> None:
    players = gather(serve(), 2)
    tournament, table = begun(players)
    wires = [follow(player, f"tables/{table}") for player in players]
    state = wires[0].state
    assert (state["tournament"], state["public"], state["takebacks"]) == (tournament, True, False)
    for wire in wires:
        wire.done(type="adjourn")
    wires[0].last("event", kind="adjourn")
    wires[0].until("event", kind="continue")
    wires[1].done(type="abort")
    told = finish(players, tournament)
    assert told["pairings"][0]["result"]["forfeits"] == [names(told["pairings"][0]).index(players[1].name)]
    lines = [(line["name"], line["points"], line["games"]) for line in told["standings"]]
    assert lines == [(players[0].name, 1, 0), (players[1].name, 0, 0)]


@pytest.mark.parametrize("plan", [TRIPLICITY, {**SPARKLIES, "options": {"board": "hex3", "players": 3}}])
def test_a_round_of_three_does_not_wait_for_who_does_not_come(serve: Serve, plan: dict[str, Any]) -> None:
    """Triplicity goes on without them. Where the game needs all its players, the two others share the point."""
    players = gather(serve(), 3, 8)
    tournament, _ = started(players, form="swiss", rounds=1, wait=5, **plan)
    told = finish(players[:2], tournament)
    (pairing,) = told["pairings"]
    line, scores, seat = line_of(told, players[2]), pairing["result"]["scores"], names(pairing).index(players[2].name)
    assert (line["active"], line["points"], scores[seat], sum(scores)) == (False, 0, 0, pytest.approx(1))
    if plan is TRIPLICITY:
        assert not pairing["result"]["forfeits"], "it was a game, which they lost"
        assert state_of(players[0], pairing["table"])["view"]["outcome"]["winners"] != [seat]
    else:
        assert sorted(scores) == [0, 0.5, 0.5]


def test_a_rated_tournament_is_for_accounts(serve: Serve) -> None:
    players = gather(serve(), 3)
    for number, player in enumerate(players[:2]):
        sign_up(player, f"entrant-{number}")
    tournament = announced(players[:2], rated=True)
    assert players[2].do(tournament, "join", 401)["error"]["code"] == "not-signed-in"
    players[0].do(tournament, "begin")
    told = finish(players[:2], tournament)
    winner, loser = (line["handle"] for line in told["standings"])
    assert {winner, loser} == {"entrant-0", "entrant-1"}
    state = state_of(players[0], told["pairings"][0]["table"])
    assert (state["rated"], state["speed"]) == (True, "rapid")
    # The next one begins with who has won this one, whoever comes first.
    until(lambda: players[0].ask("GET", f"/api/people/{loser}").json()["ratings"])
    again = players[0].announce(form="round-robin", rated=True, **SANQI)
    for player in sorted(players[:2], key=lambda player: player.told(again)["yours"] == (winner == "entrant-0")):
        player.do(again, "join")
    assert [line["handle"] for line in players[0].told(again)["standings"]] == [loser, winner]
    players[0].do(again, "begin")
    assert [line["handle"] for line in players[0].told(again)["standings"]] == [winner, loser]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"form": "arena"}, "minutes"),
    ({"form": "knockout"}, "body.form"),
    ({**SPARKLIES, "options": {"players": 1, "ruleset": "speed"}}, "game"),
    ({"options": {"side": 999}}, "side"),
    ({"clock": {"kind": "sand"}}, "clock.kind"),
    ({"form": "arena", "minutes": 5, "clock": {"kind": "correspondence", "days": 3}}, "clock"),
    ({"name": "  "}, "name"),
]


def test_what_makes_no_sense(server: Any) -> None:
    far = [round(1000 * (time.time() + ahead)) for ahead in (-86_400, 2 * 366 * 86_400, 9_000_000_000_000)]
    for wrong, expected in (*WRONG, *(({"begins": when}, "begins") for when in far)):
        status, _, where = announce(Player(server, "No"), **wrong)
        assert (status, where) == (400, expected)


def test_a_rated_tournament_has_the_options_of_rated_games(server: Any) -> None:
    """Without options it begins balanced."""
    wish = {"name": "Small", "form": "swiss", **SPARKLIES, "options": {"board": "2x2"}, "rated": True}

    def answer(**more: Any) -> Any:
        return server.http.post("/api/tournaments", json={**wish, **more})

    error = answer().json()["error"]
    assert (error["code"], error["where"]) == ("bad-option", "rated")
    assert error["why"].startswith("In a rated game of Sparklies, Board must be one of these: 5x5, ")
    assert answer(rated=False).status_code == 201
    balanced = answer(rated=False, game="sanqi", options={}).json()["options"]
    assert {"side": 8, "opening": "book"}.items() <= balanced.items()
    assert answer(rated=False, game="sanqi", options={"side": 6}).json()["options"]["opening"] == "free"


def test_what_is_refused(serve: Serve) -> None:
    players = gather(serve(), 2)
    for what in ("join", "leave", "begin", "call-off", "take-over"):
        assert players[0].do("0" * 16, what, 404)["error"]["code"] == "not-found"
    assert announce(players[0], rated=True)[:2] == (401, "not-signed-in")
    tournament = players[0].announce(form="round-robin", **SANQI)
    assert players[0].do(tournament, "begin", 409)["error"]["code"] == "not-possible"
    assert players[1].do(tournament, "leave", 404)["error"]["code"] == "not-found"
    players[1].do(tournament, "join")
    assert players[1].do(tournament, "join", 409)["error"]["code"] == "not-possible"
    players[1].do(tournament, "leave")
    assert players[1].told(tournament)["you"] is None
    assert players[0].ask("GET", "/api/tournaments?state=lost").status_code == 400


def listed(player: Player) -> list[str]:
    return [line["id"] for line in player.ask("GET", "/api/tournaments").json()["tournaments"]]


def sign_up(player: Player, handle: str) -> None:
    account = {"handle": handle, "password": "a long enough secret"}
    assert player.ask("POST", "/api/accounts", account).status_code == 201


def test_an_organiser_calls_off_what_has_not_begun(serve: Serve) -> None:
    players = gather(serve(), 2)
    made = [players[0].announce(form="round-robin", **SANQI) for _ in range(5)]
    assert announce(players[0])[:2] == (429, "too-many")
    players[1].do(made[0], "join")
    assert (players[0].told(made[0])["may"], players[1].told(made[0])["may"]) == (["begin", "call-off"], [])
    assert players[1].do(made[0], "call-off", 403)["error"]["code"] == "not-allowed"
    wire = follow(players[1], f"tournaments/{made[0]}")
    assert wire.heard[0]["state"] == "waiting"
    for told in (players[0].do(made[0], "call-off"), wire.hear()):
        assert (told["state"], told["calledOff"], told["may"]) == ("over", "organiser", [])
    assert players[0].do(made[0], "call-off")["calledOff"] == "organiser", "sent again"
    assert players[1].do(made[0], "join", 409)["error"]["code"] == "over"
    assert players[0].do(made[0], "begin", 409)["error"]["code"] == "not-possible"
    assert sorted(listed(players[1])) == sorted(made[1:])
    assert announce(players[0])[0] == 201, "the limit of five is free again"


def test_games_of_a_tournament_that_is_called_off_are_played_on(serve: Serve) -> None:
    serving = serve()
    players = gather(serving, 3)
    tournament, _ = begun(players, form="swiss", rounds=2)
    told = until(lambda: (now := players[0].told(tournament))["pairings"] and now)
    (pairing,) = (one for one in told["pairings"] if not one["bye"])
    here = [player for player in players if player.name in names(pairing)]
    before = players[0].do(tournament, "call-off")["standings"]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(Player.play, here, [pairing["table"]] * 2))
    serving.restart()  # what was called off stays so
    assert state_of(players[0], pairing["table"])["over"]
    told = players[0].told(tournament)
    assert (told["state"], told["round"], told["standings"]) == ("over", 1, before)
    assert tournament in listed(players[0])


def test_what_nobody_lets_begin_expires(serve: Serve) -> None:
    serving = serve()
    players = gather(serving, 2)
    old, later = (players[0].announce(form="round-robin", **SANQI) for _ in range(2))
    set_for = players[0].announce(form="round-robin", begins=round(1000 * (time.time() + 86_400)), **SANQI)
    for player in players:
        player.do(old, "join")
    told = players[0].told(old)
    assert told["expires"] == told["created"] + 14 * 86_400_000
    for one in (old, set_for):
        rows(serving, "UPDATE tournaments SET created = created - 1209601 WHERE id = :id", id=one)
    told = until(lambda: (now := players[0].told(old))["state"] == "over" and now)
    assert told["calledOff"] == "expired"
    assert {players[0].told(one)["state"] for one in (later, set_for)} == {"waiting"}
    assert sorted(listed(players[0])) == sorted([later, set_for])


def leave(player: Player, how: str) -> None:
    if how == "closed":
        rows(cast(Serving, player.serving), "UPDATE people SET deleted = 1 WHERE name = :name", name=player.name)
    else:
        player.ask("DELETE", "/api/me" if how == "deleted" else "/api/session")


GONE = pytest.mark.parametrize("how", ["deleted", "signed out", "closed"])


@GONE
def test_somebody_takes_over_when_the_organiser_is_gone(serve: Serve, how: str) -> None:
    organiser, entrant, other, moderator = players = gather(serve(), 4)
    sign_up(moderator, "arbiter")
    rows(cast(Serving, organiser.serving), "UPDATE people SET kind = 'staff' WHERE handle = 'arbiter'")
    tournament, second = announced(players[:3]), organiser.announce(form="round-robin", **SANQI)
    assert entrant.do(tournament, "take-over", 403)["error"]["code"] == "not-allowed"
    assert moderator.told(tournament)["may"] == ["call-off"]
    leave(organiser, how)
    assert entrant.told(tournament)["may"] == ["take-over"]
    assert moderator.told(tournament)["may"] == ["call-off", "take-over"]
    assert entrant.told(second)["may"] == [], "who does not take part"
    told = entrant.do(tournament, "take-over")
    assert (told["yours"], told["may"], told["creator"]) == (True, ["begin", "call-off"], entrant.name)
    assert entrant.do(tournament, "take-over") == told, "sent again"
    assert other.do(tournament, "take-over", 403)["error"]["code"] == "not-allowed", "another entrant was faster"
    assert entrant.do(tournament, "begin")["entrants"] == 2, "the organiser has left"
    assert moderator.do(second, "take-over")["yours"]
    assert moderator.do(tournament, "call-off")["calledOff"] == "moderator"


@GONE
def test_who_is_gone_has_left_the_tournament(serve: Serve, how: str) -> None:
    """They were paired, waited out the clock, and won by it."""
    players = gather(serve(), 7)
    tournament = announced(players, form="swiss", rounds=2, wait=3600)
    leave(players[6], how)
    told = players[0].told(tournament)
    assert (told["entrants"], len(told["standings"])) == (6, 6)
    assert players[0].ask("GET", "/api/tournaments").json()["tournaments"][0]["entrants"] == 6
    players[0].do(tournament, "begin")
    told = until(lambda: (now := players[0].told(tournament))["pairings"] and now)
    both, other = (names(pairing) for pairing in told["pairings"] if players[0].name not in names(pairing))
    leavers = [player for player in players if player.name in (*both, other[0])]
    for player in leavers:
        leave(player, how)
    finish([player for player in players[:6] if player not in leavers], tournament)
    told = players[0].told(tournament)
    points = [line["points"] for line in told["standings"] if not line["active"]]
    assert points == [0, 0, 0], "not even against another who is gone"
    second = [name for pairing in told["pairings"] if pairing["round"] == 2 for name in names(pairing)]
    assert sorted(second) == sorted(line["name"] for line in told["standings"] if line["active"])
