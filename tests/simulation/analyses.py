"""People who change a saved analysis together, live, and others who try to see it; and a model of what it holds. The
model follows each commit: a new version is what a request of anyone who may edit makes of the version before."""

from __future__ import annotations

import asyncio
import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

import tercet
from tests.simulation.plan import GAMES
from tests.simulation.visitors import follow_news

if TYPE_CHECKING:
    from tests.simulation.scene import Scene

OWNER, EDITOR, OTHER = "owner", "editor", "other"
HEARS = 8.0  # seconds in which all who follow have the last version, once nothing goes wrong


@dataclass
class Node:
    """A position of a tree: its comment, and the moves that lead on, the main line first."""

    comment: str = ""
    moves: dict[str, Node] = field(default_factory=dict)

    @classmethod
    def read(cls, chapter: dict[str, Any]) -> Node:
        """The root of a chapter as it is stored, and as clients get it."""
        nodes = [cls(chapter["comment"])]
        for move in chapter["moves"]:
            nodes.append(cls(move.get("comment", "")))
            nodes[move["after"] + 1].moves[move["text"]] = nodes[-1]
        return nodes[0]

    def after(self, change: dict[str, Any]) -> Node:
        """The root after a change."""
        root = copy.deepcopy(self)
        node, line = root, [root]
        for text in change["path"]:
            if text not in node.moves and "what" in change:
                return root
            node = node.moves.setdefault(text, Node())
            line.append(node)
        if change.get("what") == "remove":
            del line[-2].moves[change["path"][-1]]
        elif change.get("what") == "main":
            for parent, text in zip(line, change["path"], strict=False):
                parent.moves = {text: parent.moves[text], **parent.moves}
        node.comment = change.get("comment", node.comment)
        return root

    def is_as(self, other: Node) -> bool:
        """Whether both are the same, also in their order."""
        same = self.comment == other.comment and list(self.moves) == list(other.moves)
        return same and all(node.is_as(other.moves[text]) for text, node in self.moves.items())

    def positions(self, start: Any) -> set[str]:
        """The positions that legal moves lead to."""
        found, legal = {str(start)}, {str(action) for action in start.legal_actions} if self.moves else set()
        for text, node in self.moves.items():
            found |= node.positions(start.play(text)) if text in legal else set()
        return found


@dataclass
class Change:
    """Something that a person asked of the analysis, and when: a ``change`` of the tree, whether the second person is
    one of the ``editors``, or the ``access``."""

    who: str
    first: float
    change: dict[str, Any] | None = None
    editors: bool | None = None
    access: str | None = None


@dataclass
class State:
    """What the database has from the second ``at`` on. ``by`` are the changes that may have led to it."""

    at: float
    version: int = 1
    tree: Node = field(default_factory=Node)
    edits: bool = False  # whether the second person may
    access: str = "private"
    by: list[Change] = field(default_factory=list)

    def may(self, who: str, edit: bool = False) -> bool:
        return who == OWNER or (who == EDITOR and self.edits) or (not edit and self.access != "private")

    def shares(self, asked: Change) -> bool:
        return asked.editors in (None, self.edits) and asked.access in (None, self.access)


class Analysis:
    """An analysis of one chapter, the people around it (their cookies by what they are), and its states so far."""

    def __init__(self, scene: Scene, people: dict[str, str]) -> None:
        self.scene = scene
        self.people = people
        self.random = scene.world.random("analysis")
        self.id = ""
        self.states: list[State] = []
        self.changes: list[Change] = []
        self.seen: dict[str, int] = {}
        self.numbers = 0
        self.is_done = False
        number = next((table.game for table in scene.plan.tables if table.rated), 0)
        self.game, options, _ = GAMES[number]
        self.start = tercet.game(self.game, **options).start()

    async def work(self) -> None:
        """Save it; change it, share it and look at it at the same time; then see that all have the same."""
        body = {"name": "secret", "chapter": "one", "start": str(self.start)}
        self.id = (await self._ask(OWNER, "/api/analyses", body, 201))["id"]
        self.committed()
        following = [asyncio.ensure_future(self._follow(who)) for who in (EDITOR, OTHER)]
        await asyncio.gather(self._edit(OWNER), self._edit(EDITOR), self._share(), self._pry())
        await self.scene.until_quiet()
        await self._change(OWNER, change={"path": [], "comment": "the last word"})
        last, until = self.states[-1], self.scene.world.now + HEARS
        while self._lagging() and self.scene.world.now < until:
            await asyncio.sleep(0.3)
        if self._lagging():
            self.scene.violation(f"of an analysis {self._lagging()} have not got {last}, but versions {self.seen}")
        self.is_done = True
        await asyncio.gather(*following)

    def _lagging(self) -> list[str]:
        """Who may see it, and has not got the last version."""
        last = self.states[-1]
        return [who for who in (EDITOR, OTHER) if last.may(who) and self.seen.get(who) != last.version]

    async def _ask(self, who: str, path: str, body: Any, good: int = 200) -> Any:
        self.numbers += 1
        name = f"{who} of an analysis {self.numbers}"
        return await self.scene.until_answered(name, path, body, self.people[who], (good, 403, 404, 409))

    async def _pause(self) -> None:
        if not self.scene.quiet:
            await asyncio.sleep(self.random.uniform(0.0, 1.2))

    async def _change(self, who: str, **what: Any) -> None:
        """Ask for a change; its answer must be right at some moment since the question."""
        scene = self.scene
        asked = Change(who, scene.world.now, **what)
        self.changes.append(asked)
        path, body = f"/api/analyses/{self.id}", dict[str, Any]()
        if asked.change is not None:
            path, body = f"{path}/chapters/1", {"changes": [asked.change]}
        if asked.editors is not None:
            body["editors"] = ["player1"] * asked.editors
        if asked.access is not None:
            body["access"] = asked.access
        told = await self._ask(who, path, body)
        since = self._since(asked.first)
        if "error" in told:
            scene.count("changes of analyses refused")
            if all(state.may(who, edit=True) for state in since):
                scene.violation(f"{asked} was refused: {told}")
            return
        scene.count("changes of analyses")
        if asked.change is not None:
            is_there = any(asked in state.by and state.version == told["version"] for state in since)
        else:
            is_there = any(state.shares(asked) for state in since)
        if not is_there:
            scene.violation(f"{asked} was answered {told}, and is not there: {since}")

    async def _edit(self, who: str) -> None:
        texts = [str(action) for action in self.start.legal_actions[:3]]
        for number in range(self.random.randint(2, 5)):
            await self._pause()
            path = self._played() if self.random.random() < 0.4 else []
            path = path or self.random.choices(texts, k=self.random.randint(0, 3))
            what = self.random.choice((None, None, None, None, "main", "remove"))
            change: dict[str, Any] = {"path": path, "what": what} if what and path else {"path": path}
            if what is None or not path:
                change["comment"] = f"{who} {number}"
            await self._change(who, change=change)

    def _played(self) -> list[str]:
        for log in self.scene.observer.logs.values():
            if log.rated and log.game == self.game:
                return [move.text for move in log.tables[-1].moves][:6]
        return []

    async def _share(self) -> None:
        """The owner changes who may see and edit it."""
        await self._change(OWNER, editors=True)
        for _ in range(self.random.randint(1, 4)):
            await self._pause()
            if self.random.random() < 0.5:
                await self._change(OWNER, editors=not self.states[-1].edits)
            else:
                await self._change(OWNER, access=self.random.choice(("private", "link", "public")))

    async def _pry(self) -> None:
        """Everybody now and then asks for it, and for the lists of analyses."""
        for _ in range(4):
            await self._pause()
            await self._look(self.random.choice((EDITOR, OTHER, OTHER)))
            await self._change(OTHER, change={"path": [], "comment": "not mine"})
            asked, who = self.scene.world.now, self.random.choice((EDITOR, OTHER))
            path = self.random.choice(("/api/me/analyses", "/api/analyses"))
            told = await self._ask(who, path, None)
            listed = any(one["id"] == self.id for one in told["analyses"])
            may = [
                state.access == "public" if path == "/api/analyses" else state.may(who, edit=True)
                for state in self._since(asked)
            ]
            if listed not in may:
                self.scene.violation(f"{path} of the {who} has an analysis: {listed}, not one of {may}")

    async def _look(self, who: str) -> None:
        """Ask for the chapter. Those who may see it get the tree of some moment since; unless it has the position of a
        rated game that they are playing."""
        asked, scene = self.scene.world.now, self.scene
        told = await self._ask(who, f"/api/analyses/{self.id}/chapters/1", None)
        states = self._since(asked)
        code = told["error"]["code"] if "error" in told else ""
        closed = [self._stood(who, state.tree, asked) for state in states]
        if code == "not-possible":
            scene.count("analyses closed to a player")
            if not any(any(stood) for games in closed for stood in games):
                scene.violation(f"an analysis was closed to the {who}, who plays at none of its positions")
        elif code:
            if all(state.may(who) for state in states):
                scene.violation(f"an analysis was not shown to the {who}: {told}")
            return
        else:
            found = Node.read(told)
            fits = [state.may(who) and state.version == told["version"] and found.is_as(state.tree) for state in states]
            if not any(fits):
                scene.violation(f"an analysis was shown to the {who} as {told}, which it was not since: {states}")
            if all(any(map(all, games)) for games in closed):
                scene.violation(f"an analysis was open to the {who}, who plays at one of its positions")
        self.seen[who] = told.get("version", states[-1].version)

    def _stood(self, who: str, tree: Node, since: float) -> list[list[bool]]:
        """Whether each rated game of a person's stood at one of the tree's positions, for each moment since."""
        known = since - self.scene.push.slack()  # to whoever answers
        games = [log for log in self.scene.observer.logs.values() if log.rated and log.game == self.game]
        found = []
        for log in games:
            sat = [at for at, held in log.seats if any(one == self.people[who][-24:] for _, one in held)]
            if sat:
                first = max((number for number, event in enumerate(log.events, 1) if event.at <= known), default=0)
                closed = tree.positions(self.start)
                tables = [(number >= sat[0], log.tables[number]) for number in range(first, len(log.tables))]
                stood = [sits and not table.over and str(table.position) in closed for sits, table in tables]
                found.append([*stood, *([False] if log.opened > since else [])])
        return found

    async def _follow(self, who: str) -> None:
        """Look whenever the server says that there is news, on a line that is let go only where it is dead."""

        async def look(_heard: dict[str, Any], opened: float | None) -> bool:
            if opened is not None and not any(state.may(who) for state in self._since(opened)):
                self.scene.violation(f"the {who} of an analysis follows it, and may not")
            await self._look(who)
            return self.is_done

        path = f"/api/analyses/{self.id}/live"
        await follow_news(self.scene, f"{who} of an analysis", path, self.people[who], look, lambda: self.is_done)

    def _since(self, second: float) -> list[State]:
        """The states of that second and since."""
        last = max((number for number, state in enumerate(self.states) if state.at <= second), default=0)
        return self.states[last:]

    def committed(self) -> None:
        """Something was committed: does it follow from what was asked?"""
        if not self.id:
            return
        database, now, given = self.scene.disk.observer, self.scene.world.now, (self.id,)
        asked = "SELECT version, data, access FROM analysis_chapters JOIN analyses ON id = analysis_id WHERE id = ?"
        version, data, access = database.execute(asked, given).fetchone()
        edits = database.execute("SELECT 1 FROM analysis_editors WHERE analysis_id = ?", given).fetchone() is not None
        last = self.states[-1] if self.states else None
        if last is not None and (version, edits, access) == (last.version, last.edits, last.access):
            return
        tree = Node.read(orjson.loads(data)) if last is None or last.version != version else last.tree
        found = State(now, version, tree, edits, access)
        if last is not None:
            found.by = [one for one in self.changes if self._leads(one, last, found)]
            if not found.by:
                self.scene.violation(f"an analysis was {last} and became {found}, as nobody asked who may")
        self.states.append(found)

    @staticmethod
    def _leads(asked: Change, before: State, found: State) -> bool:
        if asked.change is None:
            return asked.who == OWNER and found.version == before.version and found.shares(asked)
        same = (found.version, found.edits, found.access) == (before.version + 1, before.edits, before.access)
        return same and before.may(asked.who, edit=True) and before.tree.after(asked.change).is_as(found.tree)
