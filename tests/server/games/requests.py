"""Requests as pages send them, from seeds: of all games, sensible and not."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import tercet
from tercet.answers.puzzles import all_puzzles
from tercet.games import game_definition
from tercet.learning.lessons import lessons_of
from tercet.record import Node, Record
from tests.support.present import present


@dataclass(frozen=True)
class Asked:
    """A request: its method, its address, and its body."""

    method: str
    path: str
    body: dict[str, Any] | None = None


def fixed() -> Iterator[Asked]:
    """Yield what has an address and no body: each game's rules, presets and lessons."""
    for path in ("games", "lessons", "puzzles", "puzzles/days", "puzzles/history", "me", "puzzles/trainer"):
        yield Asked("GET", f"/api/{path}")
    for name in tercet.games():
        for path in ("presets/", "covers/", "puzzles/daily?game=", "rules/"):
            yield Asked("GET", f"/api/{path}{name}")
        skins = game_definition(name).skins
        for skin in skins.offered if skins is not None else ():
            yield Asked("GET", f"/api/rules/{name}?skin={skin.id}")
        for lesson in lessons_of(name):
            yield Asked("GET", f"/api/lessons/{name}/{lesson.id}")
            yield Asked("GET", f"/api/lessons/{name}/{lesson.id}/99/solution")
            for step in range(len(lesson.steps)):
                yield Asked("GET", f"/api/lessons/{name}/{lesson.id}/{step}/solution")
    for path in ("presets/go", "rules/go", "rules/sanqi?skin=none", "lessons/go/x", "lessons/sanqi/x", "puzzles/none"):
        yield Asked("GET", f"/api/{path}")


def recorded(number: int, seed: int) -> Iterator[Asked]:
    """Yield so many requests that depend on positions."""
    chance = random.Random(seed)
    yield from (_asked(chance, chance.choice(KINDS)) for _ in range(number))


def _asked(chance: random.Random, kind: str) -> Asked:
    """Return a request of a kind: about a lesson, a puzzle, a game or a position, or one that makes no sense."""
    name = chance.choice(tercet.games())
    body: dict[str, Any] = {"game": name, "options": _options(chance, name), "seed": chance.randrange(50)}
    match kind:
        case "lesson":
            lesson = chance.choice(lessons_of(name))
            number = chance.randrange(len(lesson.steps))
            step = lesson.steps[number]
            legal = list(map(str, step.position.legal_actions))
            action = step.solution[0] if step.solution and chance.random() < 0.5 else chance.choice([*legal, "zz99"])
            return Asked("POST", f"/api/lessons/{name}/{lesson.id}/{number}/try", {"moves": [], "actions": [action]})
        case "puzzle" | "try" | "solution":
            puzzle = all_puzzles()[ident := chance.choice(list(all_puzzles()))]
            if kind == "puzzle":
                return Asked("GET", f"/api/puzzles/{ident}")
            if kind == "solution":
                return Asked("POST", f"/api/puzzles/{ident}/solution", {"run": chance.random() < 0.5})
            legal = list(map(str, tercet.parse(puzzle["position"]).legal_actions))
            action = chance.choice([*puzzle["right"]] if chance.random() < 0.6 else [*legal, "zz99"])
            return Asked("POST", f"/api/puzzles/{ident}/try", {"actions": [action]})
        case "none":
            kind = chance.choice(("preview", "position", "why", "analyse", "advice", "record"))
            body = chance.choice(({}, {"position": "sanqi/4 x"}, {"position": ""}, {"unknown": 1}, {"game": 3}))
        case "preview" if chance.random() < 0.03:
            body = {"game": "go", "seed": 1}
        case "preview" if chance.random() < 0.1:
            body["options"] = {"side": chance.choice((1, 99, "x", True))}
        case "analyse" if chance.random() < 0.3:
            body = {"record": _record(chance)}
        case "preview" | "analyse":
            start = tercet.game(name, **body["options"]).start(body["seed"])
            body["moves"] = _line(chance, start, 4 if kind == "preview" else 12)
        case "dial":
            body["first"] = chance.randrange(9)
        case "politics":
            body = {"decisions": []}
            for _ in range(chance.randrange(3)):
                scores = {action: [chance.randrange(101) / 100 for _ in range(3)] for action in "abc"}
                decision = {"mover": chance.randrange(3), "scores": scores, "played": chance.choice("aabbccz")}
                body["decisions"].append(decision)
        case "record":
            body = {"text": _record(chance) if chance.random() < 0.95 else "nothing"}
        case _:
            position = _position(chance)
            body = {"position": str(position), **_about(chance, kind, position)}
    return Asked("POST", f"/api/{kind}", body)


def _about(chance: random.Random, kind: str, position: tercet.Position) -> dict[str, Any]:
    match kind:
        case "position":
            return {"moves": _line(chance, position, 6)}
        case "why":
            picks = [f"#{pick.id}" for pick in position.game.definition.view.picks(position.game)]
            if chance.random() < 0.7:
                return {"steps": chance.choices([*picks, *position.game.board.names], k=chance.randrange(1, 4))}
            if chance.random() < 0.9:
                return {"action": chance.choice([*map(str, position.game.start(1).legal_actions), "zz99"])}
            return {}
        case "explore":
            offered = chance.choice(present(position.game.definition.explorations).offered(position.game))
            body = {"id": offered.id if chance.random() < 0.95 else "none"}
            if (offered.needs == "cell") == (chance.random() < 0.95):
                body["cell"] = chance.choice(position.game.board.names)
            return body
        case "record/write":
            moves = [
                {"after": number - 1 if chance.random() < 0.9 else chance.randrange(-1, number + 1), "text": text}
                for number, text in enumerate(_line(chance, position, 6))
            ]
            return {"moves": moves, "comment": chance.choice(("", "why (not)?")), "headers": {"Event": "x"}}
        case "draw":
            return {"dark": chance.random() < 0.5}
        case "advice":
            return {"player": chance.randrange(4)}
        case _:  # a first game
            return {"moves": _line(chance, position, 3), "seen": []}


def _options(chance: random.Random, name: str) -> dict[str, Any]:
    definition = game_definition(name)
    ways = [{}, dict(definition.quick_start.options), *(dict(preset.options) for preset in definition.presets)]
    return chance.choice(ways)


def _position(chance: random.Random) -> tercet.Position:
    """Return a position somewhere in a random game, which may be over."""
    name = chance.choice(tercet.games())
    position = tercet.game(name, **_options(chance, name)).start(chance.randrange(100))
    for _ in range(chance.choice((0, 1, 3, 8, 20, 60))):
        if position.is_over:
            break
        position = position.play(chance.choice(list(position.legal_actions)))
    return position


def _line(chance: random.Random, position: tercet.Position, most: int) -> list[str]:
    """Return random moves from ``position``, now and then with one that is not legal."""
    moves: list[str] = []
    for _ in range(chance.randrange(most + 1)):
        if position.is_over:
            break
        action = chance.choice(list(position.legal_actions))
        moves.append(str(action))
        position = position.play(action)
    if chance.random() < 0.1:
        moves.append(chance.choice(("", "zz99", "a1", *moves)))
    return moves


def _record(chance: random.Random) -> str:
    start = _position(chance)
    tree = Record(start.game, start, {"Event": "x"}, Node(None, start, "a comment"))
    node = tree.root
    for text in _line(chance, start, 12):
        try:
            node.play(text)
        except tercet.TercetError:
            break
        node = node.variations[0]
    text = tree.write()
    if chance.random() < 0.2:
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice(("", "(", "{", "zz ", '"')) + text[at + chance.randrange(3) :]
    return text


KINDS = ["preview", "position", "position", "analyse", "why", "why", "explore", "explore", "dial", "politics", "record"]
KINDS += ["record/write", "draw", "advice", "first-game", "lesson", "lesson", "puzzle", "try", "solution", "none"]
