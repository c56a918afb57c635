"""Requests as pages send them, from seeds: of all games, sensible and not."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import tercet
from tercet.answers.puzzles import all_puzzles
from tercet.games import game_definition
from tercet.learning.lessons import lessons_of
from tercet.record import Node, Record


@dataclass(frozen=True)
class Asked:
    """A request: its method, its address, and its body."""

    method: str
    path: str
    body: dict[str, Any] | None = None


def fixed() -> Iterator[Asked]:
    """Yield what has an address and no body: each game's rules, presets and lessons."""
    yield from (Asked("GET", path) for path in FIXED)
    for name in tercet.games():
        yield Asked("GET", f"/api/presets/{name}")
        yield Asked("GET", f"/api/covers/{name}")
        yield Asked("GET", f"/api/puzzles/daily?game={name}")
        yield Asked("GET", f"/api/rules/{name}")
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
    for _ in range(number):
        yield chance.choice(KINDS)(chance)


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


def _preview(chance: random.Random) -> Asked:
    name = chance.choice((*tercet.games(), "go")) if chance.random() < 0.1 else chance.choice(tercet.games())
    body: dict[str, Any] = {"game": name, "seed": chance.randrange(50)}
    if name != "go":
        body["options"] = _options(chance, name)
        if chance.random() < 0.1:
            body["options"] = {"side": chance.choice((1, 99, "x", True))}
        else:
            body["moves"] = _line(chance, tercet.game(name, **body["options"]).start(body["seed"]), 4)
    return Asked("POST", "/api/preview", body)


def _reach(chance: random.Random) -> Asked:
    position = _position(chance)
    return Asked("POST", "/api/position", {"position": str(position), "moves": _line(chance, position, 6)})


def _analyse(chance: random.Random) -> Asked:
    if chance.random() < 0.3:
        return Asked("POST", "/api/analyse", {"record": _record(chance)})
    name = chance.choice(tercet.games())
    options, seed = _options(chance, name), chance.randrange(50)
    moves = _line(chance, tercet.game(name, **options).start(seed), 12)
    return Asked("POST", "/api/analyse", {"game": name, "options": options, "seed": seed, "moves": moves})


def _why(chance: random.Random) -> Asked:
    position = _position(chance)
    body: dict[str, Any] = {"position": str(position)}
    picks = [f"#{pick.id}" for pick in position.game.definition.view.picks(position.game)]
    if chance.random() < 0.7:
        body["steps"] = chance.choices([*picks, *position.game.board.names], k=chance.randrange(1, 4))
    elif chance.random() < 0.9:
        body["action"] = chance.choice([*map(str, position.game.start(1).legal_actions), "zz99"])
    return Asked("POST", "/api/why", body)


def _explore(chance: random.Random) -> Asked:
    position = _position(chance)
    explorations = position.game.definition.explorations
    assert explorations is not None
    offered = chance.choice(explorations.offered(position.game))
    body = {"position": str(position), "id": offered.id if chance.random() < 0.95 else "none"}
    if (offered.needs == "cell") == (chance.random() < 0.95):
        body["cell"] = chance.choice(position.game.board.names)
    return Asked("POST", "/api/explore", body)


def _dial(chance: random.Random) -> Asked:
    name = chance.choice(tercet.games())
    body = {"game": name, "options": _options(chance, name), "seed": chance.randrange(50), "first": chance.randrange(9)}
    return Asked("POST", "/api/dial", body)


def _politics(chance: random.Random) -> Asked:
    def decision() -> dict[str, Any]:
        shares = [[chance.randrange(101) / 100 for _ in range(3)] for _ in range(3)]
        scores = dict(zip("abc", shares, strict=True))
        return {"mover": chance.randrange(3), "scores": scores, "played": chance.choice("aabbccz")}

    return Asked("POST", "/api/politics", {"decisions": [decision() for _ in range(chance.randrange(3))]})


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


def _read_record(chance: random.Random) -> Asked:
    return Asked("POST", "/api/record", {"text": _record(chance) if chance.random() < 0.95 else "nothing"})


def _write_record(chance: random.Random) -> Asked:
    position = _position(chance)
    moves = [
        {"after": number - 1 if chance.random() < 0.9 else chance.randrange(-1, number + 1), "text": text}
        for number, text in enumerate(_line(chance, position, 6))
    ]
    body: dict[str, Any] = {"position": str(position), "moves": moves, "comment": chance.choice(("", "why (not)?"))}
    return Asked("POST", "/api/record/write", {**body, "headers": {"Event": "x"}})


def _draw(chance: random.Random) -> Asked:
    return Asked("POST", "/api/draw", {"position": str(_position(chance)), "dark": chance.random() < 0.5})


def _advice(chance: random.Random) -> Asked:
    return Asked("POST", "/api/advice", {"position": str(_position(chance)), "player": chance.randrange(4)})


def _first_game(chance: random.Random) -> Asked:
    position = _position(chance)
    return Asked(
        "POST", "/api/first-game", {"position": str(position), "moves": _line(chance, position, 3), "seen": []}
    )


def _lesson_try(chance: random.Random) -> Asked:
    name = chance.choice(tercet.games())
    lesson = chance.choice(lessons_of(name))
    number = chance.randrange(len(lesson.steps))
    step = lesson.steps[number]
    legal = list(map(str, step.position.legal_actions))
    action = step.solution[0] if step.solution and chance.random() < 0.5 else chance.choice([*legal, "zz99"])
    return Asked("POST", f"/api/lessons/{name}/{lesson.id}/{number}/try", {"moves": [], "actions": [action]})


def _puzzle(chance: random.Random) -> Asked:
    return Asked("GET", f"/api/puzzles/{chance.choice(list(all_puzzles()))}")


def _puzzle_try(chance: random.Random) -> Asked:
    ident = chance.choice(list(all_puzzles()))
    puzzle = all_puzzles()[ident]
    legal = list(map(str, tercet.parse(puzzle["position"]).legal_actions))
    action = chance.choice([*puzzle["right"]] if chance.random() < 0.6 else [*legal, "zz99"])
    return Asked("POST", f"/api/puzzles/{ident}/try", {"actions": [action]})


def _nonsense(chance: random.Random) -> Asked:
    path = chance.choice(("/api/preview", "/api/position", "/api/why", "/api/analyse", "/api/advice", "/api/record"))
    body = chance.choice(({}, {"position": "sanqi/4 x"}, {"position": ""}, {"unknown": 1}, {"game": 3}))
    return Asked("POST", path, body)


def _solution(chance: random.Random) -> Asked:
    ident = chance.choice(list(all_puzzles()))
    return Asked("POST", f"/api/puzzles/{ident}/solution", {"run": chance.random() < 0.5})


FIXED = (
    "/api/games",
    "/api/lessons",
    "/api/puzzles",
    "/api/puzzles/days",
    "/api/puzzles/history",
    "/api/me",
    "/api/puzzles/trainer",
)
KINDS: tuple[Callable[[random.Random], Asked], ...] = (
    *(_preview, _reach, _reach, _analyse, _why, _why, _explore, _explore, _dial, _politics),
    *(_read_record, _write_record, _draw),
    *(_advice, _first_game, _lesson_try, _lesson_try, _puzzle, _puzzle_try, _solution, _nonsense),
)
