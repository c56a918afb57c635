"""Saved analyses in the database: chapters, each a tree of moves, that people change together."""

from __future__ import annotations

import itertools
import json
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from tercet.server.errors import ApiError
from tercet.server.store.schema import ANALYSES, ANALYSIS_CHAPTERS, ANALYSIS_EDITORS, PEOPLE

MAX_ANALYSES = 100  # of one account
MAX_CHAPTERS = 64  # of one analysis
MAX_MOVES = 3000  # of one chapter
MAX_CHARACTERS = 1_000_000  # of one analysis, as JSON
MAX_EDITORS = 20  # besides the owner
MAX_PUBLIC = 50  # that are listed
Content = dict[str, Any]  # of a chapter: start, comment, headers, and moves as a record has them
UNKNOWN = ApiError("not-found", "analysis", "There is no such analysis, or it is private.")


class SavedMove:
    """A move of a tree, with its comment and its signs; the first of its children is the main line."""

    __slots__ = ("children", "comment", "signs", "text")

    def __init__(self, text: str, comment: str = "", signs: str = "") -> None:
        self.text, self.comment, self.signs = text, comment, signs
        self.children: list[SavedMove] = []

    def child(self, text: str) -> SavedMove | None:
        """Return the child with this move, if there is one."""
        return next((one for one in self.children if one.text == text), None)


def tree_of(content: Content) -> SavedMove:
    """Return the root of a chapter's tree. Raise ApiError if a move stands after none."""
    nodes = [SavedMove("", content["comment"])]
    for number, move in enumerate(content["moves"]):
        if move["after"] >= number:
            why = "The field after must be the number of an earlier move, or -1."
            raise ApiError("bad-message", f"moves.{number}.after", why)
        nodes.append(SavedMove(move["text"], move.get("comment", ""), move.get("signs", "")))
        nodes[move["after"] + 1].children.append(nodes[-1])
    return nodes[0]


def moves_of(root: SavedMove) -> list[dict[str, Any]]:
    """Return the moves of a tree as a list, each with the number of the one ``after`` which it stands."""
    moves: list[dict[str, Any]] = []
    todo = [(-1, one) for one in reversed(root.children)]
    while todo:
        after, node = todo.pop()
        more = {"comment": node.comment, "signs": node.signs}
        moves.append({"after": after, "text": node.text, **{key: value for key, value in more.items() if value}})
        todo += [(len(moves) - 1, one) for one in reversed(node.children)]
    return moves


def with_changes(content: Content, changes: Sequence[Mapping[str, Any]]) -> Content:
    """Return a chapter after ``changes``. Each names a node by its ``path``, the moves that lead to it, and adds those
    that are missing, so that a note on a node that another person has just deleted is kept."""
    root = tree_of(content)
    for change in changes:
        path, what = [root], change.get("what")
        for text in change["path"]:
            node = path[-1].child(text)
            if node is None and what is None:
                node = SavedMove(text)
                path[-1].children.append(node)
            if node is None:
                break
            path.append(node)
        else:
            _apply(path, what, change)
    return {**content, "comment": root.comment, "moves": moves_of(root)}


def _apply(path: list[SavedMove], what: str | None, change: Mapping[str, Any]) -> None:
    node = path[-1]
    if what == "main":
        for before, after in itertools.pairwise(path):
            before.children.remove(after)
            before.children.insert(0, after)
    elif what == "remove" and len(path) > 1:
        path[-2].children.remove(node)
    node.comment, node.signs = change.get("comment", node.comment), change.get("signs", node.signs)


class Known(NamedTuple):
    """An analysis as one person may see it."""

    row: sa.Row[Any]
    is_owner: bool
    may_edit: bool


def find(
    connection: sa.Connection, analysis_id: str, person_id: str | None, to: Literal["watch", "edit", "own"] = "watch"
) -> Known:
    """Return the analysis, which is locked unless it is only watched. Raise ApiError where there is none, or the person
    may not do what they ask it for."""
    asked = sa.select(ANALYSES).where(ANALYSES.c.id == analysis_id)
    row = connection.execute(asked if to == "watch" else asked.with_for_update()).first()
    if row is None:
        raise UNKNOWN
    is_owner = row.person_id == person_id
    edits = (ANALYSIS_EDITORS.c.analysis_id == analysis_id) & (ANALYSIS_EDITORS.c.person_id == person_id)
    may_edit = is_owner or connection.execute(sa.select(ANALYSIS_EDITORS).where(edits)).first() is not None
    if row.access == "private" and not may_edit:
        raise UNKNOWN
    if to == "own" and not is_owner:
        raise ApiError("not-allowed", "analysis", "Only the owner of this analysis can do this.")
    if to == "edit" and not may_edit:
        raise ApiError("not-allowed", "analysis", "Only the owner and the editors of this analysis can do this.")
    return Known(row, is_owner, may_edit)


def opened(connection: sa.Connection, person_id: str, name: str, chapter: str, game: str, content: Content) -> str:
    """Store a new analysis with one chapter. Return its id."""
    mine = sa.select(sa.func.count()).where(ANALYSES.c.person_id == person_id)
    if (connection.scalar(mine) or 0) >= MAX_ANALYSES:
        why = f"You already have {MAX_ANALYSES} analyses, the maximum. Delete one first."
        raise ApiError("too-many", "analysis", why)
    now, made = time.time(), secrets.token_hex(8)
    row = {"id": made, "person_id": person_id, "name": name, "game": game, "access": "private"}
    connection.execute(ANALYSES.insert().values(**row, created=now, changed=now, chapters=0, size=0))
    add_chapter(connection, made, chapter, game, content)
    return made


def _stored(content: Content, before: int, total: int) -> str:
    """Return a chapter as JSON. Raise ApiError if it is too large; ``before`` is its size in the ``total``."""
    if len(content["moves"]) > MAX_MOVES:
        raise ApiError("too-large", "moves", f"A chapter must have at most {MAX_MOVES} moves. Begin another.")
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    if total - before + len(text) > MAX_CHARACTERS:
        raise ApiError("too-large", "moves", f"An analysis must have at most {MAX_CHARACTERS} characters.")
    return text


def add_chapter(connection: sa.Connection, analysis_id: str, name: str, game: str, content: Content) -> int:
    """Store another chapter. Return its number."""
    sizes = sa.select(ANALYSES.c.size, ANALYSES.c.chapters).where(ANALYSES.c.id == analysis_id)
    total, count = connection.execute(sizes).one()
    here = ANALYSIS_CHAPTERS.c.analysis_id == analysis_id
    numbers = sa.select(sa.func.max(ANALYSIS_CHAPTERS.c.number), sa.func.count()).where(here)
    number, there = connection.execute(numbers).one()
    if there >= MAX_CHAPTERS:
        raise ApiError("too-many", "chapter", f"An analysis must have at most {MAX_CHAPTERS} chapters.")
    number = max(int(number or 0), int(count)) + 1  # a number is never used again
    text = _stored({**content, "moves": moves_of(tree_of(content))}, 0, total)
    row = {"analysis_id": analysis_id, "number": number, "name": name, "game": game, "version": 1, "data": text}
    connection.execute(ANALYSIS_CHAPTERS.insert().values(**row))
    _touch(connection, analysis_id, size=total + len(text), chapters=number)
    return number


def _touch(connection: sa.Connection, analysis_id: str, **values: Any) -> None:
    connection.execute(ANALYSES.update().where(ANALYSES.c.id == analysis_id).values(changed=time.time(), **values))


def chapter_row(connection: sa.Connection, analysis_id: str, number: int) -> sa.Row[Any]:
    """Return the row of a chapter. Raise ApiError where there is none."""
    row = connection.execute(sa.select(ANALYSIS_CHAPTERS).where(_of(analysis_id, number))).first()
    if row is None:
        raise ApiError("not-found", "chapter", "There is no such chapter. It may have been deleted.")
    return row


def _of(analysis_id: str, number: int) -> sa.ColumnElement[bool]:
    return (ANALYSIS_CHAPTERS.c.analysis_id == analysis_id) & (ANALYSIS_CHAPTERS.c.number == number)


def change_chapter(
    connection: sa.Connection, known: Known, number: int, name: str | None, changes: Sequence[Mapping[str, Any]]
) -> tuple[int, int]:
    """Change a chapter. Return its version, and how many characters were written."""
    row = chapter_row(connection, known.row.id, number)
    values: dict[str, Any] = {"version": row.version + 1, "name": row.name if name is None else name}
    if changes:
        values["data"] = _stored(with_changes(json.loads(row.data), changes), len(row.data), known.row.size)
    connection.execute(ANALYSIS_CHAPTERS.update().where(_of(known.row.id, number)).values(**values))
    _touch(connection, known.row.id, size=known.row.size + len(values.get("data", row.data)) - len(row.data))
    return int(values["version"]), len(values.get("data", ""))


def remove_chapter(connection: sa.Connection, known: Known, number: int) -> None:
    """Delete a chapter. Raise ApiError if it is the only one."""
    row = chapter_row(connection, known.row.id, number)
    here = sa.select(sa.func.count()).where(ANALYSIS_CHAPTERS.c.analysis_id == known.row.id)
    if connection.scalar(here) == 1:
        raise ApiError("not-possible", "chapter", "An analysis needs a chapter. Delete the analysis instead.")
    connection.execute(ANALYSIS_CHAPTERS.delete().where(_of(known.row.id, number)))
    _touch(connection, known.row.id, size=known.row.size - len(row.data))


PERSON = (PEOPLE.c.handle, PEOPLE.c.name, PEOPLE.c.kind)


def described(connection: sa.Connection, known: Known) -> dict[str, Any]:
    """Return what a client shows of an analysis besides the moves."""
    row, chapters = known.row, ANALYSIS_CHAPTERS.c
    numbered = sa.select(chapters.number, chapters.name, chapters.game, chapters.version).order_by(chapters.number)
    edits = sa.select(*PERSON).join(ANALYSIS_EDITORS, ANALYSIS_EDITORS.c.person_id == PEOPLE.c.id)
    return {
        "id": row.id,
        "name": row.name,
        "game": row.game,
        "access": row.access,
        "owner": connection.execute(sa.select(*PERSON).where(PEOPLE.c.id == row.person_id)).one()._asdict(),
        "isOwner": known.is_owner,
        "mayEdit": known.may_edit,
        "editors": [
            one._asdict()
            for one in connection.execute(edits.where(ANALYSIS_EDITORS.c.analysis_id == row.id).order_by(PEOPLE.c.name))
        ],
        "chapters": [one._asdict() for one in connection.execute(numbered.where(chapters.analysis_id == row.id))],
    }


def listed(connection: sa.Connection, person_id: str | None) -> list[dict[str, Any]]:
    """Return a person's analyses and those that they may edit; without a person the public ones. The latest first."""
    edits = sa.select(ANALYSIS_EDITORS.c.analysis_id).where(ANALYSIS_EDITORS.c.person_id == person_id)
    mine = (ANALYSES.c.person_id == person_id) | ANALYSES.c.id.in_(edits)
    columns = (ANALYSES.c.id, ANALYSES.c.name, ANALYSES.c.game, ANALYSES.c.access, ANALYSES.c.changed)
    there = sa.select(sa.func.count()).where(ANALYSIS_CHAPTERS.c.analysis_id == ANALYSES.c.id).scalar_subquery()
    query = (
        sa.select(*columns, there.label("chapters"), *(one.label(f"by_{one.name}") for one in PERSON))
        .join(PEOPLE, PEOPLE.c.id == ANALYSES.c.person_id)
        .where(ANALYSES.c.access == "public" if person_id is None else mine)
        .order_by(ANALYSES.c.changed.desc())
        .limit(MAX_PUBLIC if person_id is None else 2 * MAX_ANALYSES)
    )
    return [
        {
            **{key: one[key] for key in ("id", "name", "game", "access", "chapters")},
            "at": round(1000 * one["changed"]),
            "owner": {key: one[f"by_{key}"] for key in ("handle", "name", "kind")},
        }
        for one in connection.execute(query).mappings()
    ]
