"""Tokens of a record: what happens at a table and is no action of the game. ``resign``, ``draw?`` (a draw is offered)
and ``draw`` (it is agreed) are the mover's, ``retract`` is that of the player who moved last; a name says that it is
another player's, as in ``resign=Red``. And signs of judgement behind actions, as in PGN: ``$1`` and ``!`` are the same.
"""

from __future__ import annotations

import re

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


def is_token(text: str | None) -> bool:
    """Return whether ``text`` is a token rather than an action."""
    return token_parts(text) is not None


def token_parts(text: str | None) -> tuple[str, str | None] | None:
    """Return the word of a token and the player that it names; None where ``text`` is no token."""
    match = None if text is None else _TOKEN.fullmatch(text)
    return None if match is None else (match[1], match[2])
