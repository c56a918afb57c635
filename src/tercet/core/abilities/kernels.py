"""Kernels that a game may have beyond those of every game. They are usually in the same module; type checkers compare
it with what is asked of it here."""

from __future__ import annotations

from typing import Any, Protocol


class Resignation(Protocol):
    """Kernels of a game that goes on without a player who resigns, or in which a player can be out."""

    def resign(self, rules: Any, row: Any, player: Any, events: Any, /) -> Any:
        """Play on without ``player``, in place; return the number of events written (0: nothing changed)."""

    def may_resign(self, rules: Any, row: Any, player: Any, /) -> Any:
        """Return whether ``player`` is still in the game. One who is out can neither resign nor agree to a draw."""


class Agreement(Protocol):
    """The kernel of a game whose rules know a draw by agreement."""

    def draw_agreed(self, rules: Any, row: Any, events: Any, /) -> Any:
        """End the game as a draw, in place; return the number of events written."""


class History(Protocol):
    """The kernel of a game whose row holds a history that its position string leaves out."""

    def forget(self, rules: Any, row: Any, /) -> Any:
        """Clear that history, in place."""


class BitKernels(Protocol):
    """Kernels of a game all of whose planes hold zeros and ones: a batch is described faster with bits.

    Bits are packed 32 to an entry, lowest first. In ``planes`` each plane begins with a new entry, and bits after its
    last cell mean nothing. Both arrays are uint32.
    """

    def observe_words(self, rules: Any, row: Any, player: Any, planes: Any, /) -> Any:
        """Write what ``observe`` writes."""

    def legal_words(self, rules: Any, row: Any, planes: Any, legal: Any, /) -> Any:
        """Write the legal actions; return how many they are. ``planes`` is what :meth:`observe_words` has written of
        this position from the mover's side."""

    def change_words(self, rules: Any, row: Any, action: Any, planes: Any, legal: Any, /) -> Any:
        """Do both for the mover of ``row``, where ``action`` was just played and the game goes on; return how many
        actions are legal. Both arrays hold what was written of the position before, which may save most of the work.
        """


class LegalBits(Protocol):
    """The kernel of a game that finds the legal actions faster as bits than as a list, with ``choose_bits``: batches
    use it where the processor chooses 64 bits at once. It is built over the game's kernels."""

    def legal_bits(self, rules: Any, row: Any, out: Any, words: Any, /) -> Any:
        """Write what ``legal`` lists as bits, 32 to an entry of ``words`` (uint32), lowest first; return how many
        actions are legal. ``out`` has room for a list."""


class ScaledPlanes(Protocol):
    """The kernel of a game with planes in scales (``Rules.plane_scales``): batches write whole numbers faster."""

    def observe_scaled(self, rules: Any, row: Any, player: Any, out: Any, /) -> Any:
        """Write what ``observe`` writes, each plane times its scale, rounded and cut at 255."""
