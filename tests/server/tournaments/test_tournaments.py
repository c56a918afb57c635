"""Tournaments on a real server, played by clients who know nothing but what they are told."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

import httpx
import pytest
from pydantic import TypeAdapter
from websockets.sync.client import ClientConnection

from tercet.server.tournaments import Director
from tercet.server.wire import TournamentResponse
from tests.server.conftest import Serve, Serving
from tests.server.people.browser import rows
from tests.support.tournament_players import (
    SANQI,
    SPARKLIES,
    TRIPLICITY,
    Data,
    Player,
    encounters,
    finish,
    gather,
    started,
)
from tests.support.waiting import until

pytestmark = pytest.mark.online


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
    assert [line["games"] for line in told["standings"]] == [3] * 4
    assert [line["rank"] for line in told["standings"]] == [1, 2, 3, 4]
    assert [tiebreak["id"] for tiebreak in told["tiebreaks"]] == ["direct", "sonneborn", "wins"]
    assert all(tiebreak["words"] for tiebreak in told["tiebreaks"])
    for pairing in told["pairings"]:
        table = players[0].ask("GET", f"/api/tables/{pairing['table']}").json()["state"]
        assert table["over"]
        assert table["view"]["outcome"]["scores"] == pairing["result"]["scores"]
        assert [seat["name"] for seat in table["seats"]] == [person["name"] for person in pairing["people"]]
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
    leaver.do(tournament, "leave")
    left_in = players[0].told(tournament)["round"]
    told = finish(players, tournament, threads=threads)
    assert set(encounters(told).values()) == {1}
    byes = [pairing for pairing in told["pairings"] if pairing["bye"]]
    assert [pairing["result"]["scores"] for pairing in byes][:2] == [[1.0], [1.0]]
    assert len({pairing["people"][0]["name"] for pairing in byes}) == len(byes)
    line = next(line for line in told["standings"] if line["name"] == leaver.name)
    assert not line["active"]
    later = [pairing for pairing in told["pairings"] if pairing["round"] > left_in]
    assert leaver.name not in {person["name"] for pairing in later for person in pairing["people"]}


def test_an_arena_of_eight_ends_on_time(serve: Serve) -> None:
    players = gather(serve(), 8)
    began = time.time()
    tournament, told = started(players, form="arena", minutes=0.2, **SANQI)
    assert told["ends"] == pytest.approx(1000 * (began + 12), abs=2_000)
    told = finish(players, tournament, 40)
    played = [pairing for pairing in told["pairings"] if pairing["result"] is not None]
    assert len(played) >= 8
    assert sum(line["points"] for line in told["standings"]) == 2 * len(played)
    assert max(line["games"] for line in told["standings"]) >= 2
    # Nobody meets the same opponent twice running while others play.
    assert len(encounters(told)) > 4


def test_a_game_of_an_arena_that_is_too_short_gives_no_points(serve: Serve) -> None:
    players = gather(serve(), 2)
    tournament, table = begun(players, form="arena", minutes=1, **SANQI)
    with players[0].wire(f"/api/tables/{table}/live") as wire:
        assert say(wire, type="resign")["type"] == "ack"
    told = until(lambda: (now := players[0].told(tournament))["pairings"][0]["result"] and now)
    assert told["pairings"][0]["result"]["scores"] == [0, 0]
    assert [line["points"] for line in told["standings"]] == [0, 0]


def test_three_at_a_table(serve: Serve) -> None:
    """Four at Triplicity, all against all: each sits out once, each pair meets twice."""
    players = gather(serve(), 4, patience=9)
    tournament, told = started(players, form="round-robin", **TRIPLICITY)
    assert told["rounds"] == 4
    told = finish(players, tournament)
    games = [pairing for pairing in told["pairings"] if not pairing["bye"]]
    assert len(games) == 4
    assert Counter(
        person["name"] for pairing in told["pairings"] if pairing["bye"] for person in pairing["people"]
    ) == {player.name: 1 for player in players}
    for player in players:
        seats = [
            [person["name"] for person in pairing["people"]].index(player.name)
            for pairing in games
            if player.name in {person["name"] for person in pairing["people"]}
        ]
        assert sorted(seats) == [0, 1, 2]
    assert sum(line["points"] for line in told["standings"]) == 4


def test_an_event_that_is_open_for_days_with_a_prize(serve: Serve) -> None:
    players = gather(serve(), 2)
    window = {**SPARKLIES, "form": "best-margin", "days": 3, "prize": "  A box of\nwooden counters "}
    tournament, _ = started(players, **window)
    until(lambda: players[0].told(tournament)["pairings"], 60)
    told = players[0].told(tournament)
    assert (told["prize"], told["minutes"]) == ("A box of wooden counters", 3 * 1440)
    assert told["ends"] - told["since"] > 2 * 86_400_000
    announced = {"name": "Days", "form": "swiss", "days": 3, **SPARKLIES}
    assert players[0].ask("POST", "/api/tournaments", announced).json()["error"]["where"] == "days"


def test_games_offer_the_forms_that_they_declare(serve: Serve) -> None:
    """The size of a win earns nothing in Triplicity, though its players' men are counted through the game."""
    (player,) = gather(serve(), 1)
    offered = {game["name"]: [form["id"] for form in game["forms"]] for game in player.ask("GET", "/api/games").json()}
    assert offered["sparklies"] == ["round-robin", "swiss", "arena", "best-margin"]
    assert offered["sanqi"] == offered["triplicity"] == ["round-robin", "swiss", "arena"]
    asked = {"name": "Margins", "form": "best-margin", "game": "triplicity", "options": {}}
    assert player.ask("POST", "/api/tournaments", {**SPARKLIES, **asked}).json()["error"]["where"] == "form"


def test_the_form_by_margins(serve: Serve) -> None:
    players = gather(serve(), 5)
    tournament, _ = started(players, form="best-margin", **SPARKLIES)
    told = finish(players, tournament)
    first = [pairing for pairing in told["pairings"] if not pairing["playOff"] and not pairing["bye"]]
    last = [pairing for pairing in told["pairings"] if pairing["playOff"]]
    assert (len(first), len(last)) == (10, 4)
    margin = [tiebreak["id"] for tiebreak in told["tiebreaks"]].index("margin")
    best = {
        player.name: max(
            (
                pairing["result"]["margins"][seat]
                for pairing in first
                for seat, person in enumerate(pairing["people"])
                if person["name"] == player.name and pairing["result"]["scores"][seat] == 1
            ),
            default=0,
        )
        for player in players
    }
    assert {line["name"]: line["tiebreaks"][margin] for line in told["standings"]} == best
    finalists = {person["name"] for pairing in last for person in pairing["people"]}
    assert finalists == {line["name"] for line in told["standings"][:4]}
    assert best[next(name for name in best if name not in finalists)] <= min(best[name] for name in finalists)


def test_a_restart_in_mid_round_loses_nothing(serve: Serve) -> None:
    serving = serve()
    players = gather(serving, 4)
    tournament, _ = started(players, form="round-robin", **SANQI)
    threads = [player.begin(tournament) for player in players]
    until(lambda: any(player.tables for player in players), 120)
    serving.restart()
    until(lambda: any(len(player.tables) > 1 for player in players), 120)
    serving.restart()
    told = finish(players, tournament, threads=threads)
    assert set(encounters(told).values()) == {1}
    assert len({pairing["table"] for pairing in told["pairings"]}) == 6
    assert not any(pairing["result"]["forfeits"] for pairing in told["pairings"])


def test_who_does_not_come_loses_and_is_paired_no_more(serve: Serve) -> None:
    players = gather(serve(), 3)
    tournament, _ = started(players, form="swiss", rounds=2, wait=5, **SANQI)
    sleeper = players[1]  # the upper half meets the lower: he is at the first table or has a bye, then plays
    told = finish([players[0], players[2]], tournament)
    line = next(line for line in told["standings"] if line["name"] == sleeper.name)
    forfeits = [pairing for pairing in told["pairings"] if pairing["result"]["forfeits"]]
    assert len(forfeits) == 1
    seat = forfeits[0]["result"]["forfeits"][0]
    assert (forfeits[0]["people"][seat]["name"], forfeits[0]["result"]["scores"][seat]) == (sleeper.name, 0)
    assert (line["active"], line["games"]) == (False, 0)
    assert players[0].ask("GET", f"/api/tables/{forfeits[0]['table']}").json()["state"]["over"]


def test_it_begins_by_itself_and_not_with_too_few(serve: Serve) -> None:
    players = gather(serve(), 2)
    soon = round(1000 * (time.time() + 2))
    crowded = players[0].announce(form="round-robin", begins=soon, **SANQI)
    empty = players[0].announce(form="round-robin", begins=soon, **SANQI)
    for player in players:
        player.do(crowded, "join")
    players[0].do(empty, "join")
    told = finish(players, crowded)
    assert len(told["pairings"]) == 1
    told = until(lambda: (now := players[0].told(empty))["state"] == "over" and now)
    assert (told["calledOff"], told["expires"]) == ("too-few", None)


@pytest.mark.parametrize("ahead", [-86_400, 2 * 366 * 86_400, 9_000_000_000_000])
def test_a_tournament_begins_within_a_year(server: Any, ahead: int) -> None:
    guest = server.visitor()
    wish = {"name": "Far", "form": "round-robin", "begins": round(1000 * (time.time() + ahead)), **SANQI}
    answer = guest.http.post("/api/tournaments", json=wish)
    assert answer.status_code == 400
    assert answer.json()["error"]["where"] in ("begins", "body.begins")


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
    other = players[0].announce(form="round-robin", **SANQI)
    for player in players:
        player.do(other, "join")
    players[0].do(other, "begin")
    assert finish(players, other)["state"] == "over"
    assert other in loaded
    assert later not in loaded


def test_the_socket_tells_what_changes(serve: Serve) -> None:
    players = gather(serve(), 2)
    tournament = players[0].announce(form="round-robin", **SANQI)
    path = f"/api/tournaments/{tournament}/live"
    with players[1].wire(path) as wire:
        first = json.loads(wire.recv(timeout=20))
        assert (first["type"], first["state"], first["entrants"]) == ("tournament", "waiting", 0)
        players[0].do(tournament, "join")
        assert json.loads(wire.recv(timeout=20))["entrants"] == 1
        told = players[1].do(tournament, "join")
        assert told["you"] == {"handle": None, "name": players[1].name, "kind": "guest", "active": True}
        players[0].do(tournament, "begin")
        while True:
            heard = json.loads(wire.recv(timeout=20))
            if heard["yourTable"] is not None:
                break
        assert heard["yourTable"] == heard["pairings"][0]["table"]
        assert heard == {"type": "tournament", **players[1].told(tournament)}
        for line in heard["standings"]:
            assert line["playing"] == heard["yourTable"]
    nobody = httpx.get(f"http://127.0.0.1:{players[0].serving.port}/api/tournaments/{tournament}").json()
    assert (nobody["you"], nobody["yours"], nobody["yourTable"]) == (None, False, None)
    with players[0].wire(path.replace(tournament, "0" * 16)) as wire:
        assert json.loads(wire.recv(timeout=20))["code"] == "not-found"


def say(wire: ClientConnection, **message: Any) -> Data:
    """Say something; its ack or error."""
    wire.send(json.dumps({"id": "say", **message}))
    while True:
        heard: Data = json.loads(wire.recv(timeout=60))
        if heard["type"] in ("ack", "error") and heard.get("id") == "say":
            return heard


def begun(players: list[Player], **plan: Any) -> tuple[str, str]:
    """A tournament of these people that has begun, a round robin where nothing else is said, and its first table."""
    tournament, _ = started(players, **{"form": "round-robin", **plan})
    return tournament, str(until(lambda: players[0].told(tournament)["yourTable"]))


def test_who_aborts_has_lost(serve: Serve) -> None:
    players = gather(serve(), 2)
    tournament, table = begun(players, **SANQI)
    state = players[0].ask("GET", f"/api/tables/{table}").json()["state"]
    assert (state["tournament"], state["public"], state["takebacks"]) == (tournament, True, False)
    with players[1].wire(f"/api/tables/{table}/live") as wire:
        assert say(wire, type="abort")["type"] == "ack"
    told = finish(players, tournament)
    seat = [person["name"] for person in told["pairings"][0]["people"]].index(players[1].name)
    assert told["pairings"][0]["result"]["forfeits"] == [seat]
    assert [(line["name"], line["points"], line["games"]) for line in told["standings"]] == [
        (players[0].name, 1, 0),
        (players[1].name, 0, 0),
    ]


def test_there_are_no_breaks(serve: Serve) -> None:
    players = gather(serve(), 2)
    tournament, table = begun(players, **SANQI)
    with players[0].wire(f"/api/tables/{table}/live") as one, players[1].wire(f"/api/tables/{table}/live") as other:
        assert say(one, type="adjourn")["type"] == "ack"
        assert say(other, type="adjourn")["type"] == "ack"
        kinds = []
        while "continue" not in kinds:
            heard = json.loads(one.recv(timeout=60))
            kinds.append(heard.get("kind"))
        assert kinds.index("adjourn") < kinds.index("continue")
        assert not heard["state"]["adjourned"]
    assert not players[0].told(tournament)["pairings"][0]["result"]


def test_triplicity_goes_on_without_who_does_not_come(serve: Serve) -> None:
    players = gather(serve(), 3, 8)
    tournament, _ = started(players, form="swiss", rounds=1, wait=5, **TRIPLICITY)
    told = finish(players[:2], tournament)
    line = next(line for line in told["standings"] if line["name"] == players[2].name)
    assert (line["active"], line["points"]) == (False, 0)
    assert not told["pairings"][0]["result"]["forfeits"], "it was a game, which he lost"
    assert sum(told["pairings"][0]["result"]["scores"]) == pytest.approx(1)
    state = players[0].ask("GET", f"/api/tables/{told['pairings'][0]['table']}").json()["state"]
    assert state["view"]["outcome"]["winners"] != [
        state["seats"].index(next(seat for seat in state["seats"] if seat["name"] == players[2].name))
    ]


def test_a_round_of_three_does_not_wait_for_who_does_not_come(serve: Serve) -> None:
    """Nor where the game needs all its players: he has lost, and the two others share the point."""
    players = gather(serve(), 3, 8)
    of_three = {**SPARKLIES, "options": {"board": "hex3", "players": 3}}
    tournament, _ = started(players, form="swiss", rounds=1, wait=5, **of_three)
    told = finish(players[:2], tournament)
    (pairing,) = told["pairings"]
    missing = [person["name"] for person in pairing["people"]].index(players[2].name)
    assert (sorted(pairing["result"]["scores"]), pairing["result"]["scores"][missing]) == ([0, 0.5, 0.5], 0)
    line = next(line for line in told["standings"] if line["name"] == players[2].name)
    assert (line["active"], line["points"]) == (False, 0)


def test_a_rated_tournament_is_for_accounts(serve: Serve) -> None:
    players = gather(serve(), 3)
    for number, player in enumerate(players[:2]):
        account = {"handle": f"entrant-{number}", "password": "a long enough secret"}
        assert player.ask("POST", "/api/accounts", account).status_code == 201
    tournament = players[0].announce(form="round-robin", rated=True, **SANQI)
    assert players[2].do(tournament, "join", 401)["error"]["code"] == "not-signed-in"
    for player in players[:2]:
        player.do(tournament, "join")
    players[0].do(tournament, "begin")
    told = finish(players[:2], tournament)
    assert [line["handle"] for line in told["standings"]] in (["entrant-0", "entrant-1"], ["entrant-1", "entrant-0"])
    state = players[0].ask("GET", f"/api/tables/{told['pairings'][0]['table']}").json()["state"]
    assert (state["rated"], state["speed"]) == (True, "rapid")
    # The next one begins with who has won this one, whoever comes first.
    winner, loser = (line["handle"] for line in told["standings"])
    until(lambda: players[0].ask("GET", f"/api/people/{loser}").json()["ratings"])
    again = players[0].announce(form="round-robin", rated=True, **SANQI)
    for player in sorted(players[:2], key=lambda player: player.told(again)["yours"] == (winner == "entrant-0")):
        player.do(again, "join")
    assert [line["handle"] for line in players[0].told(again)["standings"]] == [loser, winner]
    players[0].do(again, "begin")
    assert [line["handle"] for line in players[0].told(again)["standings"]] == [winner, loser]


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"form": "arena", **SANQI}, "minutes"),
        ({"form": "swiss", **SANQI, "minutes": 5}, "minutes"),
        ({"form": "round-robin", **SANQI, "rounds": 2}, "rounds"),
        ({"form": "swiss", **SANQI, "cycles": 2}, "cycles"),
        ({"form": "knockout", **SANQI}, "body.form"),
        ({"form": "swiss", **SPARKLIES, "options": {"players": 1, "ruleset": "speed"}}, "game"),
        ({"form": "swiss", **SANQI, "options": {"side": 999}}, "side"),
        ({"form": "swiss", **SANQI, "clock": {"kind": "sand"}}, "clock.kind"),
        ({"form": "arena", "minutes": 5, **SANQI, "clock": {"kind": "correspondence", "days": 3}}, "clock"),
        ({"form": "swiss", **SANQI, "name": "  "}, "name"),
    ],
)
def test_what_makes_no_sense(server: Any, wrong: Data, where: str) -> None:
    answer = server.http.post("/api/tournaments", json={"name": "No", **wrong})
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["where"] == where


def test_a_rated_tournament_has_the_options_of_rated_games(server: Any) -> None:
    wish = {"name": "Small", "form": "swiss", **SPARKLIES, "options": {"board": "2x2"}, "rated": True}
    error = server.http.post("/api/tournaments", json=wish).json()["error"]
    assert (error["code"], error["where"]) == ("bad-option", "rated")
    assert error["why"].startswith("In a rated game of Sparklies, Board must be one of these: 5x5, ")
    assert server.http.post("/api/tournaments", json={**wish, "rated": False}).status_code == 201


def test_a_tournament_without_options_begins_balanced(server: Any) -> None:
    wish = {"name": "Fair", "form": "swiss", "game": "sanqi", "clock": SPARKLIES["clock"]}

    def options(**more: Any) -> Any:
        return server.http.post("/api/tournaments", json={**wish, **more}).json()["options"]

    assert {"side": 8, "opening": "book"}.items() <= options().items()
    assert options(options={"side": 6})["opening"] == "free"


def test_what_is_refused(serve: Serve) -> None:
    players = gather(serve(), 2)
    for what in ("join", "leave", "begin", "call-off", "take-over"):
        assert players[0].do("0" * 16, what, 404)["error"]["code"] == "not-found"
    rated = players[0].ask("POST", "/api/tournaments", {"name": "Rated", "form": "swiss", **SANQI, "rated": True})
    assert (rated.status_code, rated.json()["error"]["code"]) == (401, "not-signed-in")
    tournament = players[0].announce(form="round-robin", **SANQI)
    assert players[0].do(tournament, "begin", 409)["error"]["code"] == "not-possible"
    assert players[1].do(tournament, "leave", 404)["error"]["code"] == "not-found"
    players[1].do(tournament, "join")
    assert players[1].do(tournament, "join", 409)["error"]["code"] == "not-possible"
    players[1].do(tournament, "leave")
    assert players[1].told(tournament)["you"] is None
    for _ in range(4):
        players[0].announce(form="round-robin", **SANQI)
    full = players[0].ask("POST", "/api/tournaments", {"name": "Sixth", "form": "swiss", **SANQI})
    assert (full.status_code, full.json()["error"]["code"]) == (429, "too-many")
    assert players[0].ask("GET", "/api/tournaments?state=lost").status_code == 400


# Called off, taken over, left -----------------------------------------------------------------------------------------


def listed(player: Player) -> list[str]:
    return [line["id"] for line in player.ask("GET", "/api/tournaments").json()["tournaments"]]


def sign_up(player: Player, handle: str) -> None:
    account = {"handle": handle, "password": "a long enough secret"}
    assert player.ask("POST", "/api/accounts", account).status_code == 201


def test_an_organiser_calls_off_what_has_not_begun(serve: Serve) -> None:
    players = gather(serve(), 2)
    made = [players[0].announce(form="round-robin", **SANQI) for _ in range(5)]
    wish = {"name": "Sixth", "form": "swiss", **SANQI}
    assert players[0].ask("POST", "/api/tournaments", wish).status_code == 429
    players[1].do(made[0], "join")
    assert (players[0].told(made[0])["may"], players[1].told(made[0])["may"]) == (["begin", "call-off"], [])
    assert players[1].do(made[0], "call-off", 403)["error"]["code"] == "not-allowed"
    with players[1].wire(f"/api/tournaments/{made[0]}/live") as wire:
        assert json.loads(wire.recv(timeout=20))["state"] == "waiting"
        told = players[0].do(made[0], "call-off")
        heard = json.loads(wire.recv(timeout=20))
    assert (told["state"], told["calledOff"], told["may"]) == ("over", "organiser", [])
    assert (heard["state"], heard["calledOff"]) == ("over", "organiser")
    assert players[0].do(made[0], "call-off") == told, "sent again"
    assert players[1].do(made[0], "join", 409)["error"]["code"] == "over"
    assert players[0].do(made[0], "begin", 409)["error"]["code"] == "not-possible"
    assert sorted(listed(players[1])) == sorted(made[1:])
    assert players[0].ask("POST", "/api/tournaments", wish).status_code == 201, "the limit of five is free again"


def test_games_of_a_tournament_that_is_called_off_are_played_on(serve: Serve) -> None:
    serving = serve()
    players = gather(serving, 3)
    tournament, _ = begun(players, form="swiss", rounds=2, **SANQI)
    told = until(lambda: (now := players[0].told(tournament))["pairings"] and now)
    (pairing,) = (one for one in told["pairings"] if not one["bye"])
    here = [player for player in players if player.name in {person["name"] for person in pairing["people"]}]
    told = players[0].do(tournament, "call-off")
    assert (told["state"], told["calledOff"]) == ("over", "organiser")
    before = told["standings"]
    thread = threading.Thread(target=here[1].play, args=(pairing["table"],), daemon=True)
    thread.start()
    here[0].play(pairing["table"])
    thread.join(60)
    serving.restart()  # what was called off stays so
    state = players[0].ask("GET", f"/api/tables/{pairing['table']}").json()["state"]
    assert state["view"]["outcome"]["scores"] in ([1, 0], [0, 1], [0.5, 0.5])
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


GONE = {
    "deleted": lambda player: player.ask("DELETE", "/api/me"),
    "signed out": lambda player: player.ask("DELETE", "/api/session"),
    "closed": lambda player: rows(
        cast(Serving, player.serving), "UPDATE people SET deleted = 1 WHERE name = :name", name=player.name
    ),
}


@pytest.mark.parametrize("leave", GONE.values(), ids=GONE)
def test_somebody_takes_over_when_the_organiser_is_gone(serve: Serve, leave: Callable[..., Any]) -> None:
    organiser, entrant, other, moderator = players = gather(serve(), 4)
    sign_up(moderator, "arbiter")
    rows(cast(Serving, organiser.serving), "UPDATE people SET kind = 'staff' WHERE handle = 'arbiter'")
    tournament, second = (organiser.announce(form="round-robin", **SANQI) for _ in range(2))
    for player in players[:3]:
        player.do(tournament, "join")
    assert entrant.do(tournament, "take-over", 403)["error"]["code"] == "not-allowed"
    assert moderator.told(tournament)["may"] == ["call-off"]
    leave(organiser)
    assert [player.told(tournament)["may"] for player in (entrant, moderator)] == [
        ["take-over"],
        ["call-off", "take-over"],
    ]
    assert entrant.told(second)["may"] == [], "who does not take part"
    told = entrant.do(tournament, "take-over")
    assert (told["yours"], told["may"], told["creator"]) == (True, ["begin", "call-off"], entrant.name)
    assert entrant.do(tournament, "take-over") == told, "sent again"
    assert other.do(tournament, "take-over", 403)["error"]["code"] == "not-allowed", "another entrant was faster"
    assert entrant.do(tournament, "begin")["entrants"] == 2, "the organiser has left"
    assert moderator.do(second, "take-over")["yours"]
    assert moderator.do(tournament, "call-off")["calledOff"] == "moderator"


@pytest.mark.parametrize("leave", GONE.values(), ids=GONE)
def test_who_is_gone_has_left_the_tournament(serve: Serve, leave: Callable[..., Any]) -> None:
    """They were paired, waited out the clock, and won by it."""
    players = gather(serve(), 7)
    tournament = players[0].announce(form="swiss", rounds=2, wait=3600, **SANQI)
    for player in players:
        player.do(tournament, "join")
    leave(players[6])
    told = players[0].told(tournament)
    assert (told["entrants"], len(told["standings"])) == (6, 6)
    assert players[0].ask("GET", "/api/tournaments").json()["tournaments"][0]["entrants"] == 6
    players[0].do(tournament, "begin")
    told = until(lambda: (now := players[0].told(tournament))["pairings"] and now)
    first = [[person["name"] for person in one["people"]] for one in told["pairings"]]
    known = {player.name: player for player in players}
    both = next(pair for pair in first if players[0].name not in pair)
    one = next(pair for pair in first if pair != both and players[0].name not in pair)[0]
    for name in (*both, one):
        leave(known[name])
    finish([player for player in players[:6] if player.name not in (*both, one)], tournament)
    told = players[0].told(tournament)
    lines = {line["name"]: line for line in told["standings"]}
    gone = [line for line in told["standings"] if not line["active"]]
    assert len(gone) == 3
    assert all(line["points"] == 0 for line in gone), "not even against another who is gone"
    second = [person["name"] for pairing in told["pairings"] if pairing["round"] == 2 for person in pairing["people"]]
    assert sorted(second) == sorted(name for name, line in lines.items() if line["active"])
