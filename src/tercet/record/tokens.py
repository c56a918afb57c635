"""Tokens of a record: what happens at a table and is no action of the game. ``resign``, ``draw?`` (a draw is offered)
and ``draw`` (it is agreed) are the mover's, ``retract`` is that of the player who moved last; a name says that it is
another player's, as in ``resign=Red``. And signs of judgement behind actions, as in PGN: ``$1`` and ``!`` are the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from tercet.core.game import Position
from tercet.errors import IllegalAction

_TOKEN = re.compile(r"(resign|draw\?|draw|retract)(?:=(\w{1,40}))?")
_SIGNS = ("!", "?", "!!", "??", "!?", "?!")  # $1 to $6; the others have only numbers
_SIGN = re.compile(r"[!?]{2}|[!?]|\$(?:1?[0-9]{1,2}|2[0-4][0-9]|25[0-5])(?![0-9])")
_SIGNED = re.compile(rf"(.*?)((?:{_SIGN.pattern})+)", re.S)


def parted(word: str) -> tuple[str, tuple[int, ...]]:
    """Return a word of a record without the signs at its end, and their numbers."""
    match = _SIGNED.fullmatch(word)
    return (match[1], read_signs(match[2])) if match else (word, ())


def read_signs(text: str) -> tuple[int, ...]:
    """Return the numbers of the signs in ``text``, each once."""
    signs = dict.fromkeys(_SIGN.findall(text))
    return tuple(dict.fromkeys(_SIGNS.index(sign) + 1 if sign in _SIGNS else int(sign[1:]) for sign in signs))


def signs_text(nags: tuple[int, ...]) -> str:
    """Return signs for a person: ``! $10``."""
    return " ".join(_SIGNS[number - 1] if 0 < number <= len(_SIGNS) else f"${number}" for number in nags)


class Place(Protocol):
    """A node of a record, with the attributes that tokens need. (:class:`tercet.record.Node` has them.)"""

    @property
    def action_text(self) -> str | None:
        """Return the action or token that led here; None at the root."""

    @property
    def position(self) -> Position:
        """Return the position there."""

    @property
    def parent(self) -> Place | None:
        """Return the place before."""

    @property
    def is_turn_end(self) -> bool:
        """Return whether the next action begins another turn."""


def is_token(text: str | None) -> bool:
    """Return whether ``text`` is a token rather than an action."""
    return text is not None and _TOKEN.fullmatch(text) is not None


def play_token(place: Place, text: str) -> tuple[Position, str]:
    """Return the position after token ``text`` is played at ``place``, and how the token is written; IllegalAction says
    why it cannot be played."""
    match = _TOKEN.fullmatch(text)
    assert match is not None
    word, name = match.groups()
    position = place.position
    players = position.game.players
    if name is not None and name not in players:
        raise IllegalAction(text, f"The player must be one of {', '.join(players)}.")
    player = None if name is None else players.index(name)
    if word == "retract":
        return _retract(place, text, player)
    if position.is_over:
        raise IllegalAction(text, "The game is over.")
    if word == "resign":
        return _resign(position, text, player)
    if position.game.definition.agreement is None:
        raise IllegalAction(text, "This game has no draw by agreement. Write the result instead.")
    if word == "draw":
        if player is not None:
            raise IllegalAction(text, "All players who are left agree. Write draw.")
        return position.agree_draw(), "draw"
    offering = position.mover if player is None else player
    _must_play(position, text, offering)
    return position, _written(word, offering, position.mover, players)


def _written(word: str, player: int | None, usual: int | None, players: tuple[str, ...]) -> str:
    return word if player == usual or player is None else f"{word}={players[player]}"


def _must_play(position: Position, text: str, player: int | None) -> None:
    """IllegalAction where ``player`` is no longer in the game."""
    if player is None or not position.may_resign(player):
        raise IllegalAction(
            text, f"A player who is out of the game cannot {'resign' if 'resign' in text else 'offer a draw'}"
        )


def _resign(position: Position, text: str, player: int | None) -> tuple[Position, str]:
    game, mover = position.game, position.mover
    if game.definition.resignation is None:
        raise IllegalAction(text, "This would end the game. Write the result instead.")
    player = mover if player is None else player
    _must_play(position, text, player)
    assert player is not None
    return position.resign(player), _written("resign", player, mover, game.players)


def _path(place: Place) -> list[Place]:
    """Return the nodes from the root to ``place``, both among them."""
    found: list[Place] = []
    here: Place | None = place
    while here is not None:
        found.append(here)
        here = here.parent
    return found[::-1]


def _walk(place: Place) -> tuple[list[Place], list[int]]:
    """Return the root and the actions and resignations that stand at ``place``, and who has retracted on the way."""
    root, *path = _path(place)
    stands, retracted = [root], []
    for here in path:
        text = here.action_text or ""
        match = _TOKEN.fullmatch(text)
        if match is None or match[1] in ("resign", "draw"):
            stands.append(here)
        elif match[1] == "retract":
            begun, player = _last_turn(stands, text, _named(here, match[2]))
            retracted.append(player)
            stands = stands[:begun]
    return stands, retracted


def standing(place: Place) -> list[Place]:
    """Return the root and the actions, resignations and agreed draws that lead from it to ``place``, without turns
    taken back."""
    return _walk(place)[0]


def _named(place: Place, name: str | None) -> int | None:
    return None if name is None else place.position.game.players.index(name)


def _seat(place: Place) -> int | None:
    """Return the player of the action that led to ``place``."""
    return None if place.parent is None else place.parent.position.mover


def _last_turn(stands: Sequence[Place], text: str, player: int | None) -> tuple[int, int]:
    """Return where in ``stands`` the last turn of ``player`` (None: of the last to move) begins, and whose it is."""
    at = len(stands) - 1
    while at > 0:
        here = stands[at]
        if is_token(here.action_text):
            raise IllegalAction(text, "Resignations and agreed draws cannot be taken back.")
        seat = _seat(here)
        if player is None or seat == player:
            assert seat is not None
            while at > 1 and not stands[at - 1].is_turn_end and _seat(stands[at - 1]) == seat:
                at -= 1
            return at, seat
        at -= 1
    raise IllegalAction(text, "There is no turn to take back.")


def _retract(place: Place, text: str, player: int | None) -> tuple[Position, str]:
    stands, retracted = _walk(place)
    last = _last_turn(stands, text, None)[1]
    begun, seat = _last_turn(stands, text, player)
    game = place.position.game
    players, most = game.players, game.definition.retractions
    if retracted.count(seat) >= most:
        raise IllegalAction(text, f"{players[seat]} has already taken back {most} times.")
    return stands[begun - 1].position, _written("retract", seat, last, players)


def effective_line(place: Place) -> tuple[Position, list[str]]:
    """Return a position and the actions that lead from it to ``place``. Turns taken back are left out; it begins after
    the last resignation, since a resignation is no action."""
    stands = standing(place)
    first = max((at for at, here in enumerate(stands) if is_token(here.action_text)), default=0)
    return stands[first].position, [here.action_text or "" for here in stands[first + 1 :]]
