"""Signs of judgement behind actions, as PGN has them: ``$1`` and ``!`` are the same, a good action."""

from __future__ import annotations

import re

__all__ = ["parted", "read_signs", "signs_text"]

SIGNS = ("!", "?", "!!", "??", "!?", "?!")  # $1 to $6; the others have only numbers
_SIGN = re.compile(r"[!?]{2}|[!?]|\$(?:1?[0-9]{1,2}|2[0-4][0-9]|25[0-5])(?![0-9])")
_SIGNED = re.compile(rf"(.*?)((?:{_SIGN.pattern})+)", re.S)


def read_signs(text: str) -> tuple[int, ...]:
    """Return the numbers of the signs in ``text``, each once."""
    return tuple(
        dict.fromkeys(SIGNS.index(sign) + 1 if sign in SIGNS else int(sign[1:]) for sign in _SIGN.findall(text))
    )


def parted(word: str) -> tuple[str, tuple[int, ...]]:
    """Return a word of a record without the signs at its end, and their numbers."""
    match = _SIGNED.fullmatch(word)
    return (match[1], read_signs(match[2])) if match else (word, ())


def signs_text(nags: tuple[int, ...]) -> str:
    """Return signs for a person: ``! $10``."""
    return " ".join(SIGNS[number - 1] if 0 < number <= len(SIGNS) else f"${number}" for number in nags)
