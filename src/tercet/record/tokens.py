"""What happens at a table and is no action of the game, as tokens of a record: ``resign``, ``draw?`` (offered),
``draw`` (agreed) and ``retract``, each of the player whom it concerns first or of the one named, as in ``resign=Red``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tercet.errors import IllegalAction
from tercet.game import Position

if TYPE_CHECKING:
    from tercet.record.tree import Node

__all__ = ["is_token", "play_token", "standing"]

_TOKEN = re.compile(r"(resign|draw\?|draw|retract)(?:=(\w{1,40}))?")


def is_token(text: str | None) -> bool:
    """Whether ``text`` is a token rather than an action."""
    return text is not None and _TOKEN.fullmatch(text) is not None


def play_token(node: Node, text: str) -> tuple[Position, str]:
    """The position after token ``text`` behind ``node``, and how it is written; IllegalAction says why it cannot be."""
    match = _TOKEN.fullmatch(text)
    assert match is not None
    word, name = match.groups()
    position = node.position
    players = position.game.players
    if name is not None and name not in players:
        raise IllegalAction(text, f"the players are {', '.join(players)}")
    player = None if name is None else players.index(name)
    if word == "retract":
        return _retract(node, text, player)
    if position.is_over:
        raise IllegalAction(text, "the game is over")
    if word == "resign":
        return _resign(position, text, player)
    if position.game.definition.agreement is None:
        raise IllegalAction(text, "a draw by agreement is no part of this game: write the result")
    if word == "draw":
        if player is not None:
            raise IllegalAction(text, "all who are left agree: draw")
        return position.agree_draw(), "draw"
    asked = position.mover if player is None else player
    _must_play(position, text, asked)
    return position, _written(word, asked, position.mover, players)


def _written(word: str, player: int | None, usual: int | None, players: tuple[str, ...]) -> str:
    return word if player == usual or player is None else f"{word}={players[player]}"


def _must_play(position: Position, text: str, player: int | None) -> None:
    """Whether ``player`` is still in the game."""
    if player is None or not position.may_resign(player):
        raise IllegalAction(
            text, f"whoever is out of the game cannot {'resign' if 'resign' in text else 'offer a draw'}"
        )


def _resign(position: Position, text: str, player: int | None) -> tuple[Position, str]:
    game, mover = position.game, position.mover
    if game.definition.resignation is None:
        raise IllegalAction(text, "ends the game here: write the result")
    player = mover if player is None else player
    _must_play(position, text, player)
    assert player is not None
    return position.resign(player), _written("resign", player, mover, game.players)


def _path(node: Node) -> list[Node]:
    """The nodes from the root to ``node``, both among them."""
    found: list[Node] = []
    here: Node | None = node
    while here is not None:
        found.append(here)
        here = here.parent
    return found[::-1]


def _walk(node: Node) -> tuple[list[Node], list[int]]:
    """The root and the actions and resignations that stand at ``node``, and who has retracted on the way."""
    root, *path = _path(node)
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


def _named(node: Node, name: str | None) -> int | None:
    return None if name is None else node.position.game.players.index(name)


def _seat(node: Node) -> int | None:
    """Who played the action that led to ``node``."""
    return None if node.parent is None else node.parent.position.mover


def _last_turn(stands: list[Node], text: str, player: int | None) -> tuple[int, int]:
    """Where in ``stands`` the last turn of ``player`` (None: of whoever moved last) begins, and whose it is."""
    at = len(stands) - 1
    while at > 0:
        here = stands[at]
        if is_token(here.action_text):
            raise IllegalAction(text, "neither a resignation nor an agreement is taken back")
        seat = _seat(here)
        if player is None or seat == player:
            assert seat is not None
            while at > 1 and not stands[at - 1].is_turn_end and _seat(stands[at - 1]) == seat:
                at -= 1
            return at, seat
        at -= 1
    raise IllegalAction(text, "there is no turn to take back")


def _retract(node: Node, text: str, player: int | None) -> tuple[Position, str]:
    stands, retracted = _walk(node)
    last = _last_turn(stands, text, None)[1]
    begun, seat = _last_turn(stands, text, player)
    game = node.position.game
    players, most = game.players, game.definition.retractions
    if retracted.count(seat) >= most:
        raise IllegalAction(text, f"{players[seat]} has taken back {most} times")
    return stands[begun - 1].position, _written("retract", seat, last, players)


def standing(node: Node) -> tuple[Position, list[str]]:
    """What stands at ``node``: a position and the actions from there. Turns retracted are left out; it begins after the
    last resignation, as no list of actions tells of one."""
    stands, _ = _walk(node)
    first = max((at for at, here in enumerate(stands) if is_token(here.action_text)), default=0)
    return stands[first].position, [here.action_text or "" for here in stands[first + 1 :]]
