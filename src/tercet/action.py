"""The legal actions of a position: :class:`Action`, :class:`LegalActions`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tercet.errors import IllegalAction, ParseError

if TYPE_CHECKING:
    from tercet.position import Position

__all__ = ["Action", "LegalActions"]


class Action:
    """A legal action of one position. ``str()`` is its canonical notation, ``int()`` its number in the action space
    (0 to ``game.rules.actions - 1``). Equal actions have the same number, notation and game."""

    __slots__ = ("_position", "_text", "id")

    def __init__(self, number: int, position: Position) -> None:
        self.id = number
        self._position = position
        self._text: str | None = None

    def __str__(self) -> str:
        if self._text is None:
            position = self._position
            self._text = position.game.definition.notation.action_text(position.game, position.row, self.id)
        return self._text

    def __repr__(self) -> str:
        return f"Action({str(self)!r})"

    def __int__(self) -> int:
        return self.id

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Action):
            return self.id == other.id and self._position.game == other._position.game and str(self) == str(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce__(self) -> tuple[Any, ...]:
        return Action, (self.id, self._position)


class LegalActions(Sequence[Action]):
    """The legal actions of a position: ``len``, ``in`` (an Action or text), iteration, indexing. They are listed when
    one of these is first used, not before."""

    __slots__ = ("_position",)

    def __init__(self, position: Position) -> None:
        self._position = position

    @property
    def ids(self) -> Any:
        """Return the actions as numbers of the action space, rising: int32 array of shape (n,) (interpreted: a
        list)."""
        position = self._position
        if position._ids is None:
            position._list()
        return position._ids[: position._count]

    def __len__(self) -> int:
        position = self._position
        if position._ids is None:
            position._ids, position._count = position.game.list_legal(position.row)
        return position._count

    def __getitem__(self, index: Any) -> Any:
        position = self._position
        ids = position._ids
        if ids is None:
            ids = position._list()
        count = position._count
        if type(index) is slice:
            return [Action(int(number), position) for number in ids[:count][index]]
        if index < 0:
            index += count
        if not 0 <= index < count:
            raise IndexError("There is no such action.")
        return Action(ids[index] if type(ids) is list else ids.item(index), position)

    def __iter__(self) -> Iterator[Action]:
        position = self._position
        for number in self.ids:
            yield Action(int(number), position)

    def __contains__(self, item: object) -> bool:
        if isinstance(item, str):
            try:
                self._position.action(item)
            except (IllegalAction, ParseError):
                return False
            return True
        if isinstance(item, Action):
            return item._position.game == self._position.game and self._position.allows(item.id)
        return False

    def __repr__(self) -> str:
        shown = ", ".join(str(action) for action in self[:10])
        return f"<{len(self)} legal actions: {shown}{', ...' if len(self) > 10 else ''}>"
