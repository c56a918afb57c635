"""Commands about engines: their levels, their protocols, and a bot at home on a server."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

import tercet
from tercet.cli.app import app
from tercet.errors import OptionError, TercetError

if TYPE_CHECKING:
    import http.client

    from tercet.engines.client import RemoteEngine


@app.command()
def levels() -> None:
    """List the computer opponents."""
    from rich.console import Console

    from tercet.engines import LEVELS

    console = Console(highlight=False)
    for level in LEVELS:
        console.print(f"[bold]engine:{level.number}[/]  {level.name}: {level.character}")


@app.command()
def ugi() -> None:
    """Speak the engine protocol on stdin and stdout (docs/protocol.md)."""
    from tercet.engines.ugi import main

    main()


@app.command()
def analysis() -> None:
    """Analyse positions from JSON lines on stdin, several at a time, and answer by id on stdout."""
    from tercet.engines.analysis import main

    main()


@app.command()
def bot(
    server: Annotated[str, typer.Option(help="The server, such as https://play.example.")],
    engine: Annotated[str, typer.Option(help="The engine: a program that speaks the engine protocol.")],
    token: Annotated[str, typer.Option(envvar="TERCET_TOKEN", help="The bot's token, from POST /api/tokens.")],
    game: Annotated[
        list[str] | None, typer.Option(help="Accept only challenges to this game; by default to any.")
    ] = None,
    games: Annotated[
        int, typer.Option(min=1, max=64, help="Games at the same time, each with an engine process of its own.")
    ] = 4,
    seconds: Annotated[float, typer.Option(min=0.01, max=3600, help="The most seconds for an action.")] = 2.0,
) -> None:
    """Run a bot on a server: accept challenges and play them with an engine."""
    from tercet.engines.client import RemoteEngine

    line = ApiClient(server, token)
    player = Bot(line, engine, game or [], games, seconds)
    RemoteEngine(tercet.game(player.games[0]), engine).close()  # what does not start is said now, not in the first game
    me = line.ask("GET", "/api/me")["person"]
    if me is None or me["kind"] != "bot":
        why = "This token does not belong to a bot. Make a new account a bot with POST /api/me/bot."
        raise ServerError("not-allowed", why)
    say(f"{me['handle']} plays {', '.join(player.games)} at {server}")
    with contextlib.suppress(KeyboardInterrupt):
        player.run()


SILENCE_SECONDS = 20.0  # without a line, even an empty one, after which the connection counts as broken
MAX_RETRY_SECONDS = 30.0  # between two attempts to reconnect
ATTEMPTS = 3  # for each move, if the engine fails
SPARE_SECONDS = 0.4  # of the clock, reserved for the network


def _connection_errors() -> tuple[type[Exception], ...]:
    """Return the errors after which a bot connects again."""
    import http.client

    return OSError, http.client.HTTPException, ValueError


class ServerError(TercetError):
    """The server refuses: ``code`` says why."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


class ApiClient:
    """A client of a server's API. Every request has its own connection, so threads need not wait for each other."""

    def __init__(self, server: str, token: str) -> None:
        from urllib.parse import urlsplit

        parts = urlsplit(server if "://" in server else f"http://{server}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OptionError("server", "--server must be an address like https://play.example.")
        if not token.isascii() or not token.isprintable() or not token:
            raise OptionError("token", "--token must be a token from POST /api/tokens.")
        self._parts = parts
        self._headers = {"Authorization": f"Bearer {token}", "User-Agent": f"tercet-bot/{tercet.__version__}"}

    def _send(self, method: str, path: str, body: Any, patience: float) -> tuple[Any, http.client.HTTPResponse]:
        import http.client

        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=patience)
        headers, text = dict(self._headers), None
        if body is not None:
            headers["Content-Type"] = "application/json"
            text = json.dumps(body)
        try:
            connection.request(method, self._parts.path.rstrip("/") + path, text, headers)
            answer = connection.getresponse()
            if answer.status >= 400:
                raise _error(answer)
        except BaseException:
            connection.close()
            raise
        return connection, answer

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the server's answer; ServerError where it refuses, OSError where it cannot be reached."""
        connection, answer = self._send(method, path, body, 30.0)
        with contextlib.closing(connection):
            return json.loads(answer.read())

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the lines of an answer that does not end."""
        connection, answer = self._send("GET", path, None, SILENCE_SECONDS)
        with contextlib.closing(connection):
            while text := answer.readline():
                if text.strip():
                    yield json.loads(text)


def _error(answer: http.client.HTTPResponse) -> ServerError:
    try:
        error = json.loads(answer.read())["error"]
        return ServerError(error["code"], error["why"])
    except (ValueError, KeyError, TypeError):
        return ServerError("unavailable", f"The server answers with status {answer.status}.")


def budget(state: dict[str, Any], control: dict[str, Any] | None, seat: int, most: float) -> float:
    """Return how many seconds to think about one action: a part of what is left on the clock, at most ``most``."""
    clock = state["clock"]
    if clock is None or control is None or control["kind"] == "correspondence":
        return most
    left: float = clock["left"][seat] / 1000 - SPARE_SECONDS
    share = left / 30 + 0.5 * float(control.get("increment", 0))
    if control["kind"] in ("move", "turn", "byoyomi"):  # the next turn renews all of it, or its last part
        share = max(share, min(left, float(control.get("seconds", left))) / 6)
    return max(0.01, min(most, share, 0.5 * left))


class Bot:
    """Plays at a server with the engine that ``command`` starts, one process for each game. ``games`` are those whose
    challenges are taken, ``most`` how many at once, ``seconds`` the longest that it thinks about an action."""

    def __init__(
        self, line: ApiClient, command: str, games: Sequence[str], most: int = 4, seconds: float = 2.0
    ) -> None:
        for name in games:
            if name not in tercet.games():
                raise OptionError("game", f"--game must be one of {', '.join(tercet.games())}.")
        self.line = line
        self.command = command
        self.games = tuple(games) or tuple(tercet.games())
        self.most = most
        self.seconds = seconds
        self._playing: dict[str, threading.Thread] = {}
        self._accepted: set[str] = set()
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Stop accepting challenges, and finish."""
        self._stopped.set()

    def run(self) -> None:
        """Accept challenges and play until stopped. Raise ServerError if the server does not know the bot."""
        wait = 1.0
        while not self._stopped.is_set():
            try:
                for event in self.line.lines("/api/bot/stream"):
                    wait = 1.0
                    self._take(event)
                    if self._stopped.is_set():
                        return
                say("The server closed the connection; reconnecting.")
            except ServerError as error:
                if error.code not in ("unavailable", "too-many"):
                    raise
                say(f"The server refused: {error}")
            except _connection_errors() as error:
                say(f"The connection was lost; reconnecting: {error}")
            self._stopped.wait(wait)
            wait = min(MAX_RETRY_SECONDS, 2 * wait)

    def _take(self, event: dict[str, Any]) -> None:
        table = event["table"]
        self._playing = {known: thread for known, thread in self._playing.items() if thread.is_alive()}
        if event["type"] == "challenge":
            busy = self._playing.keys() | self._accepted
            takes = event["game"] in self.games and len(busy) < self.most
            say(f"{table}: {event['game']}, {'accepted' if takes else 'declined'}")
            with contextlib.suppress(ServerError):
                self.line.ask("POST", f"/api/bot/challenges/{table}/{'accept' if takes else 'decline'}")
                if takes:
                    self._accepted.add(table)
        elif event["type"] in ("challengeCanceled", "gameFinish"):
            self._accepted.discard(table)
        elif event["type"] == "gameStart" and table not in self._playing:
            self._accepted.discard(table)
            thread = threading.Thread(target=self._play, args=(table,), daemon=True)
            self._playing[table] = thread
            thread.start()

    def _play(self, table: str) -> None:
        """Play one game, reconnecting whenever the connection is lost."""
        playing = _BotGame(self, table)
        wait = 1.0
        try:
            while not self._stopped.is_set():
                try:
                    if playing.follow():
                        return
                except ServerError as error:
                    say(f"{table}: {error}")
                    if error.code != "unavailable":
                        return
                except _connection_errors() as error:
                    say(f"{table}: The connection was lost; reconnecting: {error}")
                self._stopped.wait(wait)
                wait = min(MAX_RETRY_SECONDS, 2 * wait)
        finally:
            playing.close()


class _BotGame:
    """One game and the engine that plays it."""

    def __init__(self, bot: Bot, table: str) -> None:
        self.bot = bot
        self.line = bot.line
        self.path = f"/api/bot/games/{table}"
        self.table = table
        self._engine: RemoteEngine | None = None
        self._thinking: threading.Thread | None = None
        self._about = -1  # the number of the event after which it thinks
        self._stop = threading.Event()

    def close(self) -> None:
        """Close the engine."""
        self._halt()
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _halt(self) -> None:
        self._stop.set()
        if self._thinking is not None:
            self._thinking.join()
        self._thinking = None
        self._about = -1

    def follow(self) -> bool:
        """Play while the line holds; whether the game is over."""
        control: dict[str, Any] | None = None
        seats: set[int] = set()
        for line in self.line.lines(f"{self.path}/stream"):
            state = line
            if line["type"] == "gameFull":
                control, seats, state = line["control"], set(line["yourSeats"]), line["state"]
            if state["type"] != "gameState" or (state["number"] == self._about and not state["over"]):
                continue  # a line of chat; or the position it thinks about, sent again on a new line
            self._halt()
            if state["over"]:
                say(f"{self.table}: {state['result'] or 'aborted'}")
                return True
            for what in {offer["what"] for offer in state["offers"] if seats & set(offer["awaited"])}:
                self._tell("answer", {"what": what, "yes": False})
            if state["yourTurn"]:
                self._about, self._stop = state["number"], threading.Event()
                seconds = budget(state, control, state["mover"], self.bot.seconds)
                work = threading.Thread(target=self._think, args=(state, seconds, self._stop), daemon=True)
                self._thinking = work
                work.start()
        return False

    def _think(self, state: dict[str, Any], seconds: float, stop: threading.Event) -> None:
        from tercet.engines import EngineError, Limits
        from tercet.engines.client import RemoteEngine

        position = tercet.parse(state["position"])
        for _ in range(ATTEMPTS):
            try:
                if self._engine is None:
                    self._engine = RemoteEngine(position.game, self.bot.command)
                thought = self._engine.think(position, Limits(movetime=seconds), stop=stop)
            except EngineError as error:
                say(f"{self.table}: {error}")
                if self._engine is not None:
                    self._engine.close()
                self._engine = None
                continue
            if not stop.is_set():
                body = {"ply": state["ply"], "action": str(thought.action), "id": f"n{state['number']}"}
                self._tell("act", body)
            return
        say(f"{self.table}: The engine failed repeatedly, so the bot resigns.")
        self._tell("resign", {"seat": state["mover"]})

    def _tell(self, what: str, body: dict[str, Any]) -> None:
        """Send a request, and repeat it until the server has answered."""
        for wait in (0.2, 1.0, 3.0, 10.0):
            try:
                self.line.ask("POST", f"{self.path}/{what}", body)
                return
            except ServerError as error:
                if error.code != "unavailable":
                    return  # the game has gone on, and the stream says how
            except _connection_errors():
                pass
            time.sleep(wait)


def say(text: str) -> None:
    """Print one line for the bot's operator."""
    print(text, file=sys.stderr, flush=True)
