"""The error of an invalid lesson: :class:`LessonError`."""

from __future__ import annotations

from tercet.errors import TercetError

__all__ = ["LessonError"]


class LessonError(TercetError, ValueError):
    """A lesson that cannot be read or does not hold. ``file`` is its file's name, ``where`` the place in it (as in
    ``step 2, goal``), ``why`` the reason."""

    def __init__(self, file: str, where: str, why: str) -> None:
        super().__init__(f"{file}: {where}: {why}")
        self.file = file
        self.where = where
        self.why = why
