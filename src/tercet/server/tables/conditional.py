"""Conditional moves: what a player answers to moves that have not been played yet. The process that owns the table
plays them at once when they are due. Nothing says what they are before: no message, no record, no log of the program.

They are lines of actions from one ply on. Each action of an opponent may differ from line to line; to the same actions
a player has one answer. :data:`ANY` stands for all that the opponents play until it is the player's turn; after it the
position is not known, and all actions are the player's own.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Sequence

from tercet.errors import IllegalAction, ParseError
from tercet.play.session import LogEvent, PlayAction, Session, SessionError, Step
from tercet.server.errors import Unreachable
from tercet.server.store.tables import ConditionalLines, Lines, Outdated
from tercet.server.tables.state import Change, FollowedTable

LOG = logging.getLogger("tercet.server")
ANY = "*"  # in the place of opponents' actions
MAX_ACTIONS = 300  # in all lines of a seat
UNFORESEEN = frozenset({"takeback", "resign", "flag", "claim"})  # events after which no lines hold any more
RETRY_SECONDS = 0.2


def check_lines(session: Session, seat: int, lines: Sequence[Sequence[str]]) -> Lines:
    """Return the ``lines`` of ``seat`` from here on, in canonical notation. Raise SessionError, which names the line,
    the action and the reason, if one cannot be played so."""
    if session.mover in (None, seat) or not session.in_game(seat):
        raise SessionError("not-possible", "ply", "You can plan conditional moves while an opponent is to move.")
    if sum(map(len, lines)) > MAX_ACTIONS:
        raise SessionError("bad-message", "branches", f"Conditional moves must have at most {MAX_ACTIONS} actions.")
    answers: dict[tuple[str, ...], str] = {}
    return tuple(_checked(session, seat, line, number, answers) for number, line in enumerate(lines))


def _checked(
    session: Session, seat: int, line: Sequence[str], number: int, answers: dict[tuple[str, ...], str]
) -> tuple[str, ...]:
    position, action, played = session.position, None, tuple[str, ...]()
    is_known, is_own = True, False
    for text in line:
        position, action = position if action is None else position.play(action), None
        is_own = position.mover == seat if is_known else text != ANY
        try:
            if text != ANY:
                if is_known:
                    action = position.action(text)  # played if another one follows
                    text = str(action)
            elif is_own or played[-1:] == (ANY,):
                raise IllegalAction(text, "Only what an opponent plays may be any move.")
            if (is_own or not is_known) and answers.setdefault(played, text) != text:
                raise IllegalAction(text, f"Another line has the answer {answers[played]} here.")
        except (IllegalAction, ParseError) as error:
            why = f"Line {number + 1}, {text[:80]}: {error.why}"
            raise SessionError("illegal-action", f"branches.{number}.{len(played)}", why) from None
        is_known, played = is_known and text != ANY, (*played, text)
    if not is_own:
        raise SessionError("illegal-action", f"branches.{number}", f"Line {number + 1} must end with a move of yours.")
    return played


def left_of(kept: ConditionalLines, session: Session, log: Sequence[LogEvent]) -> Lines:
    """Return what is left of the lines that a seat has ``kept`` after the events of the ``log``; none if the game has
    left them, or if it has changed otherwise than by an action."""
    seat, left = kept.seat, kept.lines
    playing = not session.is_over and session.in_game(seat) and session.seats[seat].kind == "person"
    if not playing or any(event.kind in UNFORESEEN for event in itertools.islice(log, kept.number, None)):
        return ()
    is_known, is_answered = True, True
    for one in itertools.islice(session.played, kept.ply, None):
        if one.seat != seat and not (is_known or is_answered):
            continue  # it is one of those that ANY stands for
        text = one.text
        if one.seat != seat and not (is_known and any(line[0] == text for line in left)):
            text, is_known = ANY, False
        is_answered = one.seat == seat
        left = tuple(line[1:] for line in left if line[0] == text and len(line) > 1)
    return left


class ConditionalMoves:
    """The conditional moves of one table. They are played by ``submit``, one action after another."""

    def __init__(self, table: FollowedTable, submit: Callable[[Change], Awaitable[int]]) -> None:
        self._table = table
        self._submit = submit
        self.kept: dict[int, ConditionalLines] | None = None  # by seat; None: it has to be read again
        self._playing: asyncio.Task[None] | None = None

    @property
    def is_playing(self) -> bool:
        """Return whether something is being read or played."""
        return self._playing is not None and not self._playing.done()

    def renew(self, later: bool = False) -> None:
        """Read them again, since they have changed; ``later``: only when the game goes on, since none is due before."""
        self.kept = None
        if not later:
            self.wake()

    def know(self, kept: dict[int, ConditionalLines]) -> None:
        """Take what the database has, as it was just read for many tables."""
        self.kept = kept

    def note(self, kept: dict[int, ConditionalLines]) -> None:
        """Note what the database has: the message about it may be lost."""
        if self.kept is not None and kept != self.kept:
            self.renew()

    def wake(self) -> None:
        """Play what is due, if this process owns the table."""
        if not self._table.owned or self._table.damage is not None:
            self.kept = None  # until it does, others may change them
        elif not self.is_playing and (self.kept is None or self._next() is not None):
            self._playing = self._table.host.spawn(self._run())

    def _next(self) -> tuple[ConditionalLines, str | None] | None:
        """Return lines whose answer is due, and the answer, or lines that have come to their end, and None."""
        session, log = self._table.session, self._table.log
        for kept in (self.kept or {}).values():
            left = left_of(kept, session, log)
            if not left or (session.mover == kept.seat and left[0][0] != ANY):
                return kept, left[0][0] if left else None
        return None

    async def _run(self) -> None:
        table = self._table
        while table.owned and table.damage is None and not table.host.draining:
            try:
                if self.kept is None:
                    self.kept = reading = dict[int, ConditionalLines]()
                    found = await table.host.store.conditional([table.id])
                    if self.kept is reading:  # they have not changed meanwhile
                        self.kept = found.get(table.id, {})
                    continue
                due = self._next()
                if due is None:
                    return
                await self._play(*due)
            except Unreachable:
                self.kept = None
                await asyncio.sleep(RETRY_SECONDS)
            except Exception:
                LOG.exception("could not play conditional moves at table %s", table.id)
                return

    async def _play(self, kept: ConditionalLines, action: str | None) -> None:
        """Play ``action``, once. Without one, or if it is not legal, ``kept`` has come to its end."""
        table, session = self._table, self._table.session
        if action is not None:
            command = PlayAction(frozenset({kept.seat}), session.ply, action)

            def decide(now: Session, came: int) -> list[Step]:
                is_due = now.position is session.position and now.mover == kept.seat
                return now.apply(command, came) if is_due else []

            try:
                still = table.host.store.still_kept(table.id, kept)
                await self._submit(Change(decide, also=still, short=True, as_owner=True))
                return
            except Outdated:
                self.kept = None
                return
            except SessionError as refused:
                if refused.code == "unavailable":
                    await asyncio.sleep(RETRY_SECONDS)
                    return
        await table.host.store.keep_conditional(table.id, kept.seat, None, instead_of=kept)
        self.kept = None
