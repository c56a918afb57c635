"""Records of games: one that was sent, for the page; a tree of moves as a record; and the record of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired

from tercet.answers.addresses import address
from tercet.answers.errors import AnswerError
from tercet.answers.fields import Action, GameField, Limit, Options, PositionText, RecordText, Seed
from tercet.answers.starts import bad_record, is_long, moves_data, start_of
from tercet.answers.tables import Occupant
from tercet.answers.wire import TypedDict, game_data
from tercet.core.presentation import table_view
from tercet.errors import OptionError, ParseError, TercetError
from tercet.play.session import LogEvent, Seat, Session, TableSettings
from tercet.record import MAX_NESTING, Node, Record, date_text, in_form, read, result_token
from tercet.record.tokens import read_signs, signs_text

Comment = Annotated[str, Limit(4000)]
HeaderName = Annotated[str, Limit(pattern="^[A-Za-z][A-Za-z0-9_]{0,63}$")]
Headers = Annotated[Mapping[HeaderName, Annotated[str, Limit(2000)]], Limit(40)]


@address("POST /api/record", game_data.RecordData, apart=is_long)
def record_read(text: RecordText) -> dict[str, Any]:
    """Return the first game of a record, as far as it can be read; ``error`` says what could not."""
    try:
        records = read(text, lenient=True)
    except (ParseError, OptionError) as error:
        raise bad_record(error) from None
    if not records:
        none = AnswerError("bad-record", "record", "The record has no game.")
        raise bad_record(records.problems[0]) if records.problems else none
    record = records[0]
    seats = (Seat("person"),) * len(record.game.players)
    settings = TableSettings(record.game.name, record.game.options, seats, position=str(record.start), opening=())
    session = Session.open(settings)
    problem = next(iter([*record.problems, *records.problems]), None)
    return {
        "headers": record.headers,
        "table": table_view(record.game),
        "start": str(record.start),
        "comment": " ".join(filter(None, [record.root.comment, signs_text(record.root.nags)])),
        "moves": [move for move, _ in moves_data(session, record.main())],
        "tree": _tree(record.root),
        "games": len(records),
        "error": bad_record(problem).data if problem else None,
    }


def _tree(root: Node) -> list[dict[str, Any]]:
    """Return the main line below ``root``, each move with its comment, signs of judgement and variations."""
    top: list[dict[str, Any]] = []
    todo = [(root, top)]
    while todo:
        node, line = todo.pop()
        while node.variations:
            first, *others = node.variations
            entry = _entry(first)
            for other in others:
                branch = [_entry(other)]
                entry["variations"].append(branch)
                todo.append((other, branch))
            line.append(entry)
            node = first
    return top


def _entry(node: Node) -> dict[str, Any]:
    return {"text": node.action_text, "comment": node.comment, "signs": signs_text(node.nags), "variations": []}


class TreeMove(TypedDict):
    """A move of a tree: the number (from 0) of the move ``after`` which it stands, -1 for a first move; its notation;
    a comment; signs of judgement such as ``! $10``. Of several after the same one, the first is the main line."""

    after: Annotated[int, Limit(least=-1)]
    text: Action
    comment: NotRequired[Comment]
    signs: NotRequired[Annotated[str, Limit(400, pattern=r"^[!?$0-9 ]*$")]]


@address("POST /api/record/write", game_data.WrittenRecord, apart=is_long)
def record_written(
    game: GameField | None = None,
    options: Options | None = None,
    seed: Seed | None = None,
    position: PositionText | None = None,
    record: RecordText | None = None,
    moves: Annotated[Sequence[TreeMove], Limit(20_000)] = (),
    comment: Comment = "",
    headers: Headers | None = None,
) -> dict[str, Any]:
    """Return a tree of ``moves`` from some start as a record with ``headers``; ``comment`` stands before them."""
    begun = start_of(game, options, seed, position, record)
    own_headers = {"Seed": str(begun.seed)} if begun.seed else {}
    start = begun.first()
    tree = Record(begun.game, start, {**(headers or {}), **own_headers}, Node(None, start, comment))
    nodes, depths = [tree.root], [0]
    for number, move in enumerate(moves):
        after = move["after"]
        if after >= number:
            why = "The field after must be the number of an earlier move, or -1."
            raise AnswerError("bad-message", f"moves.{number}.after", why)
        before = nodes[after + 1]
        branches = bool(before.variations)
        node = before.play(move["text"])
        node.comment, node.nags = move.get("comment", ""), read_signs(move.get("signs", ""))
        depths.append(depths[after + 1] + branches)
        if depths[-1] > MAX_NESTING:
            raise AnswerError("too-large", f"moves.{number}", f"Variations must be nested at most {MAX_NESTING} deep.")
        nodes.append(node)
    return {"record": tree.write()}


def record_of(
    session: Session, opened: float, log: Sequence[LogEvent], occupants: Mapping[int, Occupant], retracted: bool = True
) -> Record:
    """Return the record of the game so far. ``opened`` is when the table was opened (seconds), ``occupants`` are the
    people known to sit there; ``retracted``: with the turns that were taken back by the rules."""
    headers = {"Date": date_text(opened)}
    for seat, player in enumerate(session.game.players):
        headers[player] = _player_name(session, seat, log, occupants)
    if session.settings.seed:
        headers["Seed"] = str(session.settings.seed)
    if session.clock is not None:
        headers["TimeControl"] = str(session.clock.control)
    result = session.result
    if session.aborted:
        headers["Termination"] = "aborted"
    elif result is not None:
        headers["Result"] = result_token(result.outcome.scores)
        if not session.position.is_over:
            headers["Termination"] = result.outcome.reason
    record = Record(session.game, session.start, headers, Node(None, session.start))
    turn_ends = _write_log(record, session, log, retracted)
    seconds = _turn_seconds(log, turn_ends)
    if seconds:
        record.headers["Seconds"] = " ".join(f"{spent:.1f}" for spent in seconds)
    return record


def record_text(
    session: Session,
    opened: float,
    log: Sequence[LogEvent],
    occupants: Mapping[int, Occupant],
    *,
    notes: bool = False,
    form: str | None = None,
    retracted: bool = True,
) -> str:
    """Return the record as text; with ``notes`` on what is beside the board. With ``form`` in another form that the
    game knows (``table.forms``). Raise AnswerError where there is none, or the game cannot be written so."""
    record = record_of(session, opened, log, occupants, retracted)
    if form is None:
        return record.write(notes)
    try:
        return in_form(record, form) + "\n"
    except OptionError as error:
        raise AnswerError("bad-option", "form", error.why) from None
    except TercetError as error:
        raise AnswerError("not-possible", "form", str(error)) from None


def _turn_seconds(log: Sequence[LogEvent], turn_ends: frozenset[int]) -> list[float]:
    """How long each turn took, in the order in which they were played, those that were taken back too; the first,
    before which no clock ran, and turns that a break or a resignation fell into are left out. Empty at a table without
    a clock. ``turn_ends`` are the numbers of the events that ended a turn."""
    spent: list[float] = []
    begun: int | None = None
    for event in log:
        at = event.data.get("at")
        if at is None:
            continue
        if event.number in turn_ends:
            if begun is not None:
                spent.append(max(0, at - begun) / 1000)
            begun = at
        elif event.kind in ("adjourn", "resign", "flag", "claim"):
            begun = None
        elif event.kind in ("continue", "takeback"):
            begun = at
        elif event.kind == "resumed" and begun is not None:
            begun += event.data.get("lost", 0)
    return spent


def _player_name(session: Session, seat: int, log: Sequence[LogEvent], occupants: Mapping[int, Occupant]) -> str:
    """Who played in ``seat``, one after another."""
    sits = session.seats[seat]
    engine = f"engine, level {sits.level}"
    if sits.kind == "engine" and seat not in session.taken_over:
        return sits.name or engine
    said: dict[int, str] = {}
    for event in log:
        if event.kind == "sit":
            said[event.data["seat"]] = event.data.get("name", "")
        elif event.kind == "lots":
            said = {event.data["seats"][at]: name for at, name in said.items()}
    occupant = occupants.get(seat)
    name = said.get(seat, session.settings.seats[seat].name) or ("?" if occupant is None else occupant.name)
    return f"{name}, then {engine}" if seat in session.taken_over else name


def _write_log(record: Record, session: Session, log: Sequence[LogEvent], retracted: bool) -> frozenset[int]:
    """Add the table's events to the record. Retractions appear if the table's rules have them and ``retracted`` says
    so; turns taken back by consent, or within a turn, do not. Breaks, seats given to engines and absent players
    appear in comments. Return the numbers of the events that ended a turn."""
    game = session.game
    plays_on, agrees = game.definition.resignation is not None, game.definition.agreement is not None
    reached = [record.root]  # the node at which so many actions stand
    for text in session.settings.opening:
        reached.append(reached[-1].play(text))
    turn_ends = set()
    for event in log:
        player = "" if event.data.get("seat") is None else game.players[event.data["seat"]]
        if event.kind == "action":
            reached.append(reached[-1].play(event.data["action"]))
            if reached[-1].is_turn_end:
                turn_ends.add(event.number)
        elif event.kind == "takeback":
            here = reached[-1]
            del reached[event.data["ply"] + 1 :]
            if retracted and event.data.get("own"):
                reached[-1] = here.play(f"retract={player}")
            else:
                reached[-1].variations.clear()
        elif event.kind == "claim" and event.data["what"] == "engine":
            _remark(reached[-1], f"{player} has left: engine, level {event.data['level']}, plays on")
        elif event.kind in ("resign", "flag", "claim") and plays_on:
            reached[-1] = reached[-1].play(f"resign={player}")
            if event.kind != "resign":
                _remark(reached[-1], "out of time" if event.kind == "flag" else "absent")
        elif event.kind in ("adjourn", "continue"):
            _remark(reached[-1], "adjourned" if event.kind == "adjourn" else "continued")
        elif event.kind == "offer" and event.data["what"] == "draw" and agrees:
            reached[-1] = reached[-1].play(f"draw?={player}")
        elif event.kind == "over" and agrees:
            reached[-1].play("draw")
    return frozenset(turn_ends)


def _remark(node: Node, words: str) -> None:
    node.comment = f"{node.comment}; {words}" if node.comment else words
