"""Games of an arm of a study: who plays, from which seeds, and one row for each game that was played."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from typing import Any

from tercet.core.game import Action, Game, Position
from tercet.core.rules import PlainNumbers, plain
from tercet.core.variants import files, without_engines
from tercet.engines import Engine, Limits, OnInfo, Thought, engine
from tercet.engines.base import ChangedEngine
from tercet.engines.match import seatings
from tercet.engines.politics import DecisionEffect, Shift, decision_of, expected, shifts
from tercet.engines.trials import seed_of
from tercet.errors import TercetError
from tercet.games import game_definition
from tercet.record import Record
from tercet.workers import run_tasks

MAX_LINES = 64  # of the best, in which an allowed action is looked for
WEIGHED_LINES = 16  # of the best, among which weights choose


class WeighingEngine(ChangedEngine):
    """Plays the best of ``engine``'s lines where each event that the mover causes in this turn is worth ``weights`` of
    its kind more, in shares of the point, than the engine says."""

    def __init__(self, engine: Engine, weights: Mapping[str, float]) -> None:
        super().__init__(engine, weights=dict(weights))
        self.name = " ".join([engine.name, *weighed(weights)])
        self._weights = weights

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        wide = replace(limits, multipv=max(limits.multipv, WEIGHED_LINES))
        info = self._engine.think(position, wide, stop=stop).info
        mover = position.mover or 0
        lines = sorted(info.lines, key=lambda line: -line.scores[mover] - self._bonus(position, line.pv))
        info = replace(info, lines=tuple(lines[: max(1, limits.multipv)]))
        if on_info:
            on_info(info)
        return Thought(position.action(lines[0].pv[0]), info)

    def _bonus(self, position: Position, actions: Sequence[str]) -> float:
        """Return what the events of the turn that begins with ``actions`` are worth."""
        worth = 0.0
        for text in actions:
            done = position.transition(position.action(text))
            worth += sum(self._weights.get(event.kind, 0.0) for event in done.events)
            position = done.after
            if not position.turn_is_open:
                break
        return worth


def weighed(weights: Mapping[str, float]) -> list[str]:
    """Return the weights as words of a name."""
    return [f"{kind} {weight:+g}" for kind, weight in weights.items()]


class RestrictedEngine(ChangedEngine):
    """Plays what ``engine`` plays where that is allowed, else the best of its lines whose first action is, else any
    allowed action with equal chance; where no legal action is allowed, what ``engine`` plays.

    Allowed is an action that causes no event of the kinds in ``never``; where legal actions cause one of the kinds in
    ``always``, only these are. After the first ``until`` actions that it chooses in a game everything is allowed. Nor
    may an action cause an event of the kind ``fight`` to a player in the seats ``spared``, as long as another opponent
    is in the game."""

    def __init__(
        self,
        engine: Engine,
        never: Sequence[str],
        always: Sequence[str],
        until: int | None = None,
        fight: str = "",
    ) -> None:
        super().__init__(engine, never=tuple(never), always=tuple(always), until=until)
        words = [f"{name} {', '.join(kinds)}" for name, kinds in (("never", never), ("always", always)) if kinds]
        self.name = " ".join([engine.name, *words, *([] if until is None else [f"until {until}"])])
        self._never, self._always = frozenset(never), frozenset(always)
        self._until = math.inf if until is None else until
        self._chosen = 0
        self._fight = fight
        self.spared: frozenset[int] = frozenset()

    def _begin(self, seed: int | None) -> None:
        super()._begin(seed)
        self._chosen = 0

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        self._chosen += 1
        if self._chosen > self._until:
            return self._engine._choose(position, limits, stop, on_info)
        legal = position.legal_actions
        wanted = {action.id for action in legal if self._always and _causes(position, action, self._always)}

        others = set(range(len(position.game.players))) - self.spared - {position.mover}
        spared = self.spared if any(map(position.may_resign, others)) else frozenset()

        def allows(action: Action) -> bool:
            if spared and _causes(position, action, {self._fight}, spared):
                return False
            return action.id in wanted if wanted else not _causes(position, action, self._never)

        thought = self._engine.think(position, limits, stop=stop)
        if not allows(thought.action):
            if allowed := [action for action in legal if allows(action)]:
                wide = limits if spared else replace(limits, multipv=max(limits.multipv, MAX_LINES))
                thought = self._other(position, allowed, wide, stop)
            thought = replace(thought, info=replace(thought.info, lines=thought.info.lines[: max(1, limits.multipv)]))
        if on_info:
            on_info(thought.info)
        return thought

    def _other(self, position: Position, others: Sequence[Action], limits: Limits, stop: threading.Event) -> Thought:
        """Return one of the actions ``others`` with what the engine thinks of ``position``."""
        ids = {action.id for action in others}
        barred = frozenset(action.id for action in position.legal_actions if action.id not in ids)
        again = self._engine._choose(position, replace(limits, barred=barred), stop, None)
        if again.action.id in ids:
            return again
        info = self._engine.think(position, limits, stop=stop).info
        best = next((line for line in info.lines if position.action(line.pv[0]).id in ids), None)
        if best is None:
            return Thought(self._chance.choice(others), info)
        lines = (best, *(line for line in info.lines if line.pv[0] != best.pv[0]))
        return Thought(position.action(best.pv[0]), replace(info, lines=lines))


def _causes(position: Position, action: Action, kinds: Set[str], seats: Set[int] | None = None) -> bool:
    events = position.transition(action).events if kinds else ()
    return any(one.kind in kinds and (seats is None or one.data.get("player") in seats) for one in events)


PART_GAMES = 8  # a worker plays so many games before it is given more.
STEP_GAMES = 12  # Games between two looks at the figures, or a multiple that makes whole blocks.
PROVED_EVERY = 4  # so many games one has positions of which it is asked what players can force
PROOF_NODES = 5_000
BEFORE_FALL = (1, 2, 3)  # turns before the first player is out, at which that is asked
MAX_ACTIONS = 20_000  # Of a game that its rules do not bound.
UNFINISHED = "unfinished"  # the reason of a game that was cut off


class LaboratoryError(TercetError, ValueError):
    """A study that makes no sense, or a game in it that does not end."""


@dataclass(frozen=True)
class Player(PlainNumbers):
    """A player of a study: an engine by name, its limits, the kinds of events that it ``never`` causes while another
    action is legal, and those that it ``always`` causes where it can; with ``until``, only among its first so many
    actions of a game. It ``spares`` the pieces of players of that title, until no other opponent is left: it causes
    them no event of the kind ``fight``. Each event of a kind in ``weights`` that it causes is worth so much more of
    the point to it. With ``least_nodes`` each thought has so many nodes to ``nodes`` of them, drawn
    at random, so that games of an engine that draws nothing itself differ."""

    engine: str
    nodes: int | None = None
    depth: int | None = None
    movetime: float | None = None
    never: tuple[str, ...] = ()
    title: str = ""
    least_nodes: int | None = None
    always: tuple[str, ...] = ()
    until: int | None = None
    spares: str = ""
    weights: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        """Return the player's title, else the engine's name with its limits and its restrictions."""
        if self.title:
            return self.title
        limits = [f"{value} {unit}" for value, unit in ((self.nodes, "nodes"), (self.depth, "deep")) if value]
        bans = [f"never {kind}" for kind in self.never] + [f"always {kind}" for kind in self.always]
        bans += [] if self.until is None else [f"until {self.until}"]
        bans += [*weighed(dict(self.weights)), *([f"spares {self.spares}"] if self.spares else [])]
        return " ".join([self.engine, *limits, *bans])

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of events that the player minds."""
        return (*self.never, *self.always, *dict(self.weights))

    @property
    def limits(self) -> Limits:
        """How long the player thinks about an action, at most."""
        return Limits(movetime=self.movetime, nodes=self.nodes, depth=self.depth)

    def think(self, engine: Engine, position: Position, chance: random.Random) -> Action:
        """Return what the player's ``engine`` plays; ``chance`` draws the number of nodes."""
        limits = self.limits
        if self.nodes is not None and self.least_nodes is not None:
            limits = replace(limits, nodes=chance.randint(self.least_nodes, self.nodes))
        return engine.think(position, limits).action

    def made(self, game: Game, fight: str = "") -> Engine:
        """Return the engine that plays; EngineError where there is none such."""
        made = engine(self.engine, game, seed=0)
        if self.weights:
            made = WeighingEngine(made, dict(self.weights))
        if self.never or self.always or self.spares:
            return RestrictedEngine(made, self.never, self.always, self.until, fight)
        return made


def players(*engines: str, nodes: int | None = None, movetime: float | None = None) -> tuple[Player, ...]:
    """Return a player for each name of an engine, all with the same limits."""
    return tuple(Player(name, nodes=nodes, movetime=movetime) for name in engines)


@dataclass(frozen=True)
class GameRow:
    """A game that was played.

    ``entrants[seat]`` is the number of the entrant that sat there: its place among the arm's players where there are
    several, else the seat itself. In a population two entrants share the seats.

    ``scores`` are the shares of the point by seat, ``actions`` is how many single actions the game took, ``reason`` why
    it ended (`UNFINISHED` where it was cut off; the shares are even then). ``counts`` is what the game's own statistics
    counted (`Statistics`), of types that JSON has.

    ``turns`` is how many turns there were, ``moves`` has the actions as numbers, ``choices`` how many legal actions
    there were at each, ``fired`` how many events of each kind. ``fights`` has how many events each seat caused, in the
    first half of the game, of the kind that the arm watches. ``judged`` has what the judge expected after each
    turn, the result last; ``politics`` the judge's view of each decision (see `tercet.engines.politics`). ``ahead`` has
    the actions of a head start, which count nowhere else. ``cells`` says on how many cells something happened.
    ``forced`` has what each player could force at some positions before the first was out (see `Planning`), ``shifts``
    what decisions shifted between the other two in the judge's eyes (`tercet.engines.politics.shifts`).
    """

    number: int
    entrants: tuple[int, ...]
    scores: tuple[float, ...]
    actions: int
    reason: str
    counts: Mapping[str, Any] = field(default_factory=dict)
    turns: int = 0
    choices: tuple[int, ...] = ()
    fired: Mapping[str, int] = field(default_factory=dict)
    fights: tuple[int, ...] = ()
    moves: tuple[int, ...] = ()
    judged: tuple[tuple[float, ...], ...] = ()
    politics: tuple[DecisionEffect, ...] = ()
    ahead: tuple[int, ...] = ()
    cells: int = 0
    forced: tuple[tuple[int, ...], ...] = ()
    shifts: tuple[Shift, ...] = ()


class Trace:
    """What is counted in one game: call `follow` at each action, then `row`."""

    def __init__(self, start: Position, fight: str = "") -> None:
        statistics = start.game.definition.statistics
        self._count = None if statistics is None else statistics.count(start)
        self._fight = fight
        self._fights: list[tuple[int, int]] = []  # after how many actions, and of which seat
        self._choices: list[int] = []
        self._fired: dict[str, int] = {}
        self._turns = 0
        self._cells: set[str] = set()
        self.moves: list[int] = []

    def follow(self, before: Position, action: Action) -> tuple[Position, bool]:
        """Play a legal action and count it. Return the position after it, and whether it ended a turn."""
        done = before.transition(action)
        self._choices.append(len(before.legal_actions))
        for event in done.events:
            self._fired[event.kind] = self._fired.get(event.kind, 0) + 1
            self._cells.update(event.cells)
            if event.kind == self._fight:
                self._fights.append((len(self.moves), before.mover or 0))
        self.moves.append(int(action))
        if self._count is not None:
            self._count.follow(before, done)
        ended = not done.after.turn_is_open and not before.is_answer
        self._turns += ended
        return done.after, ended

    def row(self, number: int, entrants: tuple[int, ...], position: Position, **given: Any) -> GameRow:
        """Return the row of the game, which ended at ``position`` or was cut off there."""
        seats, outcome = len(position.game.players), position.outcome
        half = [seat for actions, seat in self._fights if actions < len(self.moves) // 2]
        return GameRow(
            number,
            entrants,
            (1 / seats,) * seats if outcome is None else outcome.scores,
            len(self.moves),
            UNFINISHED if outcome is None else outcome.reason,
            {} if self._count is None or outcome is None else self._count.end(position),
            self._turns,
            tuple(self._choices),
            dict(sorted(self._fired.items())),
            tuple(half.count(seat) for seat in range(seats)) if self._fight else (),
            tuple(self.moves),
            cells=len(self._cells),
            **given,
        )


def check_rules(game: str, options: Mapping[str, Any]) -> None:
    """Raise VariantError where a game of a designer's file does not keep the contract of games with these options."""
    if game in files():
        from tercet.testing.variants import check_variant  # which imports NumPy

        check_variant(game, options)


@dataclass(frozen=True)
class Arm(PlainNumbers):
    """Games of one kind between players: one combination of options and players of a study.

    ``players`` has one player for every seat, or one for each seat. In the second case games come in blocks in which
    the players take the seats in every order once. More players than seats are a *population*: each game has two of
    them, and in a block each pair shares the seats in every way once.

    Every seat has an engine of its own, and every game has seeds of its own, which follow from ``seed`` and the game's
    number: one for the start position and one for each seat. A game therefore depends neither on the process that plays
    it nor on the games before it, unless an engine thinks by the clock.

    ``judge`` evaluates the position after each turn, and with ``politics`` each decision; it has no part in the game.
    With ``judge_every`` it looks only at one game in so many.
    ``fight`` is the kind of event that counts as a fight. A game of ``most_actions`` is cut off; without such a bound
    a game that does not end is an error. With a ``head_start`` the player who begins has so many turns before the game
    begins, one after the other, and then begins. ``is_null`` marks an arm that only certifies the instrument. In a
    ``bare`` arm the engines know nothing of the game but its kernels, as in a variant of it. With ``forced`` a search
    asks at some positions what each player can force; with ``shifts`` the judge says what each decision shifted between
    the others. ``gap`` is how much less than the best style of a population another may score to be playable.
    """

    game: str
    options: Mapping[str, Any]
    players: tuple[Player, ...]
    seed: int = 1
    name: str = ""
    judge: Player | None = None
    judge_every: int = 1
    politics: bool = False
    fight: str = ""
    most_actions: int | None = None
    is_null: bool = False
    head_start: int = 0
    bare: bool = False
    forced: bool = False
    shifts: bool = False
    gap: float = 0.1

    @property
    def is_population(self) -> bool:
        """Return whether there are more players than seats."""
        return len(self.players) > len(self.made().players)

    @property
    def even_share(self) -> float:
        """Return what a null study finds if the instrument is right: a share of the points, or, in a population, the
        score of :func:`tercet.laboratory.styles.score`."""
        return 0.5 if self.is_population else 1 / len(self.made().players)

    @property
    def engines(self) -> tuple[str, ...]:
        """Return the players' names."""
        return tuple(player.name for player in self.players)

    @property
    def engine_names(self) -> tuple[str, ...]:
        """Return the names of the engines that play and judge."""
        return tuple(player.engine for player in (*self.players, *([self.judge] if self.judge else [])))

    @property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """Return a block: for each game of it, which entrant sits in each seat."""
        seats = range(len(self.made().players))
        if self.is_population:
            pairs = combinations(range(len(self.players)), 2)
            return tuple(tuple(pair[side] for side in way) for pair in pairs for way in seatings(len(seats)))
        return tuple(permutations(seats)) if len(self.players) > 1 else (tuple(seats),)

    @property
    def step(self) -> int:
        """After how many games a study looks at the figures: whole blocks."""
        block = len(self.orders) if self.is_population else math.factorial(len(self.made().players))
        return math.lcm(STEP_GAMES, block)

    def made(self) -> Game:
        """Return the game."""
        definition = game_definition(self.game)
        return Game(without_engines(definition) if self.bare else definition, self.options)

    def check(self) -> None:
        """Raise LaboratoryError, OptionError, VariantError or EngineError where the arm makes no sense."""
        check_rules(self.game, self.options)
        game, named = self.made(), len(self.players)
        if 1 < named < len(game.players):
            why = f"{game.name} has {len(game.players)} seats. Name one engine for all, one for each, or more."
            raise LaboratoryError(why)
        if named > len(game.players) and len({player.name for player in self.players}) < named and not self.is_null:
            raise LaboratoryError("The players of a population must have different names.")
        for player in {*self.players, *([self.judge] if self.judge else [])}:
            player.made(game).close()
            if player.spares and (not self.fight or player.spares not in {one.title for one in self.players}):
                why = f"{player.name} needs a fight in the study, and a player {player.spares!r} at the table."
                raise LaboratoryError(why)
        if self.forced and (game.definition.engine.planning is None or game.definition.engine.planning.forced is None):
            raise LaboratoryError(f"{game.name} has no search that proves what players can force.")
        self.check_head_start(game)

    def check_head_start(self, game: Game) -> None:
        """Raise LaboratoryError or OptionError where games of ``game`` cannot begin with the head start."""
        if self.head_start and game.definition.move_again is None:
            raise LaboratoryError(f"{game.name} has no head starts: it does not say how a player moves again.")
        if self.head_start:
            _move_again(game.start(), 0)

    def start(self, game: Game, number: int) -> Position:
        """Return the position at which game ``number`` starts, before any head start."""
        return game.start(seed_of(self.seed, number, "start"))

    def begin(self, position: Position, think: Callable[[Position], Action | int]) -> tuple[Position, tuple[int, ...]]:
        """Return the position after the head start, and the actions of it, each of which ``think`` chooses."""
        player, done = position.mover, list[int]()
        for _ in range(self.head_start):
            is_open = True
            while is_open and position.mover == player:
                done.append(int(think(position)))
                position = position.play(done[-1])
                is_open = position.turn_is_open
            if player is None or position.is_over:
                break
            position = _move_again(position, player)
        return position, tuple(done)

    def whole(self, games: int) -> int:
        """Return ``games``, or as many more as make the last block whole."""
        block, wanted = len(self.orders), int(plain(games))
        return -(-wanted // block) * block

    def play(self, first: int, count: int) -> list[GameRow]:
        """Play games number ``first`` and on, one after the other, in this process."""
        game = self.made()
        players = self.players if len(self.players) > 1 else self.players * len(game.players)
        judge = None if self.judge is None else self.judge.made(game)
        made: dict[tuple[int, int], Engine] = {}  # by entrant, one for each seat that it has in a game
        rows = []
        try:
            orders = self.orders
            for number in range(first, first + count):
                order = orders[number % len(orders)]
                seated = []
                for seat, entrant in enumerate(order):
                    key = entrant, order[:seat].count(entrant)
                    if key not in made:
                        made[key] = players[entrant].made(game, self.fight)
                    seated.append((players[entrant], made[key]))
                looking = judge if number % self.judge_every == 0 else None
                rows.append(self._play(game, seated, looking, number, order))
            return rows
        finally:
            for one in [*made.values(), *([judge] if judge else [])]:
                one.close()

    def _play(
        self, game: Game, seated: list[tuple[Player, Engine]], judge: Engine | None, number: int, order: tuple[int, ...]
    ) -> GameRow:
        titles = [player.title for player, _ in seated]
        for seat, (player, playing) in enumerate(seated):
            playing.new_game(seed_of(self.seed, number, f"seat {seat}"))
            if isinstance(playing, RestrictedEngine):
                spared = {other for other, title in enumerate(titles) if other != seat and title == player.spares}
                playing.spared = frozenset(spared if player.spares else ())
        if judge is not None:
            judge.new_game(seed_of(self.seed, number, "judge"))
        chance = random.Random(seed_of(self.seed, number, "nodes"))

        def chosen(position: Position) -> Action:
            assert position.mover is not None
            player, thinking = seated[position.mover]
            return player.think(thinking, position, chance)

        begin, ahead = self.begin(self.start(game, number), chosen)
        position = begin
        trace = Trace(position, self.fight)
        bound = self.most_actions or game.rules.max_plies or MAX_ACTIONS
        proves = self.forced and number % PROVED_EVERY == 0
        limits = Limits() if self.judge is None else self.judge.limits
        judged: list[tuple[float, ...]] = []
        politics: list[DecisionEffect] = []
        whole: list[Position] = []  # after each turn while all players are in the game
        while position.mover is not None and len(trace.moves) < bound:
            if not len(position.legal_actions):
                raise LaboratoryError(
                    f"{self._of(number)} goes on after {len(trace.moves)} actions, though its mover has no legal one. "
                    "The kernel that ends games must see it: docs/laboratory.md, Your own rule."
                )
            action = chosen(position)
            if judge is not None and self.politics and len(position.legal_actions) > 1:
                politics.append(decision_of(position, action, judge, limits))
            position, ended = trace.follow(position, action)
            if proves and ended and all(map(position.may_resign, range(len(order)))):
                whole.append(position)
            if judge is not None and ended:
                shares = expected(position, judge, limits)
                judged.append(shares if position.is_over else tuple(round(share, 4) for share in shares))
        if position.outcome is None and self.most_actions is None:
            why = "Choose other players or options, or a bound (most_actions)."
            raise LaboratoryError(f"{self._of(number)} did not end within {bound} actions. {why}")
        said: dict[str, Any] = {"judged": tuple(judged), "politics": tuple(politics)}
        if judge is not None and self.shifts:
            said["shifts"] = tuple(shifts(begin, trace.moves, judge, limits))
        return trace.row(number, order, position, ahead=ahead, forced=_forced_before_fall(position, whole), **said)

    def _of(self, number: int) -> str:
        return f"Game {number} of {self.name or self.game}"

    def parts(self, games: int, *, on: str = "local", workers: int | None = 1) -> Iterator[list[GameRow]]:
        """Play games number 0 to ``games - 1``; yield the rows of a few at a time, as they are done. ``on`` and
        ``workers`` are those of :func:`tercet.workers.run_tasks`."""
        self.check()
        tasks = [(self, at, min(PART_GAMES, games - at)) for at in range(0, games, PART_GAMES)]
        for _, rows in run_tasks(_play_part, tasks, on=on, workers=workers):
            yield rows

    def run(self, games: int, *, on: str = "local", workers: int | None = 1) -> list[GameRow]:
        """Play ``games`` games, or as many more as make the last block whole. The rows are in the order of the games
        and the same whatever the number of ``workers``."""
        rows = [row for part in self.parts(self.whole(games), on=on, workers=workers) for row in part]
        return sorted(rows, key=lambda row: row.number)


def _forced_before_fall(end: Position, whole: Sequence[Position]) -> tuple[tuple[int, ...], ...]:
    """Return what each player could force some turns before the first was out; nothing where all shared the point."""
    planning, outcome = end.game.definition.engine.planning, end.outcome
    if not planning or not planning.forced or not outcome or len(outcome.winners) == len(outcome.scores):
        return ()
    return tuple(planning.forced(whole[-turns], PROOF_NODES) for turns in BEFORE_FALL if turns <= len(whole))


def _move_again(position: Position, player: int) -> Position:
    game = position.game
    assert game.definition.move_again is not None
    return Position(game, game.definition.move_again(game, position.row, player))


def _play_part(task: tuple[Arm, int, int]) -> list[GameRow]:
    """Play some games of an arm in a worker process."""
    arm, first, count = task
    return arm.play(first, count)


def play_record(record: Record, number: int = 0) -> GameRow | None:
    """Return the row of a recorded game; None where it did not begin at its start or did not end on the board."""
    position, actions = record.last.effective_line()
    if record.end.outcome is None or position != record.start:
        return None
    trace = Trace(position)
    for text in actions:
        position, _ = trace.follow(position, position.action(text))
    if position.outcome is None:
        return None
    return trace.row(number, tuple(range(len(record.game.players))), position)
