"""Studies: a question, the arms whose games answer it, what is measured, and when it is enough. Their files, and the
results of the studies that come with the games."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product, takewhile
from pathlib import Path
from typing import Any

from tercet.core.game import Game
from tercet.core.toml import Place, TomlFile, TomlTable
from tercet.core.variants import base_of
from tercet.engines import FULL
from tercet.errors import OptionError, TercetError, VariantError
from tercet.games import add_variant, game_definition, names
from tercet.laboratory.answers import CONDITION, Claims, Found, fill, named, places, read_claims, read_figures, used
from tercet.laboratory.charts import charts
from tercet.laboratory.metrics import METRICS
from tercet.laboratory.playing import Arm, LaboratoryError, Player, check_rules

USUAL_METRICS = ("share", "draws", "turns")
MAX_HEAD_START = 20  # turns
UNBOUNDED = 1e9  # the end of a goal that has none
OF_THREE = ("politics", "shifts")  # needs of metrics that a judge meets in games for three
JUDGED = ("judge", *OF_THREE)  # in any
TIMED = ("mcts", "net", "gumbel")  # engines that think by the clock unless nodes are given


class StudyError(LaboratoryError):
    """A study file that cannot be run: ``file``, ``line`` (from 1), ``field`` and ``why``."""

    def __init__(self, file: str, line: int, field: str, why: str) -> None:
        super().__init__(f"{file}, line {line}: {field}: {why}")
        self.file, self.line, self.field, self.why = file, line, field, why


@dataclass(frozen=True)
class Stop:
    """When an arm has games enough: when the 95 % interval of each figure of ``figures`` is at most ``width`` wide, or
    after ``games``; the whole study after ``minutes``, a search of a space after so many ``tries``. A figure is a
    metric (``"share"``: all its figures) or one of its figures (``"share.White"``)."""

    games: int = 400
    width: float | None = None
    figures: tuple[str, ...] = ("share",)
    minutes: float | None = None
    tries: int = 64


@dataclass(frozen=True)
class Target:
    """What a search looks for: the ``figure`` between ``low`` and ``high``."""

    figure: str
    low: float
    high: float


@dataclass(frozen=True)
class Study:
    """A question and the arms whose games answer it. ``metrics`` are names of :data:`tercet.laboratory.METRICS`.
    ``answer`` is the sentence that their figures fill, and ``claims`` the sentences among which they choose
    (:mod:`tercet.laboratory.answers`). ``text`` is the file that it was read from, and ``made`` says how games were
    played of which a ``figures.csv`` tells, if it was read from the head of one. A search looks through the ``space``
    of these values of each option, if there is one, and keeps the best rules for each cell of the ``atlas``: by figure,
    the ends of its intervals."""

    name: str
    question: str
    arms: tuple[Arm, ...]
    metrics: tuple[str, ...] = USUAL_METRICS
    stop: Stop = field(default_factory=Stop)
    ladder: bool = False
    goals: tuple[Target, ...] = ()
    cannot: str = ""
    null: bool = True
    answer: str = ""
    claims: Claims = field(default_factory=dict)
    text: str = ""
    made: Mapping[str, Any] = field(default_factory=dict)
    space: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    atlas: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def all_arms(self) -> tuple[Arm, ...]:
        """Return the arms, and the null arms that certify those between several players: the first player of each
        against itself, with seeds of its own."""
        found = list(self.arms)
        known: set[str] = set()
        for arm in self.arms if self.null else ():
            if len(arm.players) == 1:
                continue  # one player sits everywhere already: the null study is read from the same games
            title = " ".join([f"null: {arm.players[0].name} against itself in {arm.game}", *words_of(arm.options)])
            if title not in known:
                known.add(title)
                alike, seed = (arm.players[0],) * len(arm.players), arm.seed + 1_000_003
                found.append(replace(arm, players=alike, seed=seed, name=title, is_null=True, head_start=0))
        return tuple(found)

    def arm(self, name: str) -> Arm:
        """Return the arm of that name; LaboratoryError where there is none."""
        arms = {arm.name: arm for arm in self.arms}
        if name not in arms:
            raise LaboratoryError(f"{self.name} has no arm {name!r}; its arms are: {'; '.join(arms)}")
        return arms[name]

    def check(self) -> None:
        """Raise LaboratoryError, OptionError or EngineError where something makes no sense."""
        titles = [arm.name for arm in self.arms]
        if not all(titles) or len(set(titles)) < len(titles):
            raise LaboratoryError(f"Each arm of {self.name} must have its own name.")
        for name in self.metrics:
            self.check_metric(name)
        for figure in self.stop.figures if self.stop.width is not None else ():
            if figure.partition(".")[0] not in self.metrics:
                raise LaboratoryError(f"{figure!r} is no figure of a metric of {self.name}")
        for arm in self.arms:
            arm.check()
            self.check_kinds((arm.fight, *(kind for one in arm.players for kind in one.kinds)))

    def check_kinds(self, kinds: Iterable[str]) -> None:
        """Raise LaboratoryError where no game of the study declares an event of one of ``kinds``."""
        declared = [arm.made().definition.events for arm in self.arms]
        known = dict.fromkeys(kind for events in declared for kind in events)
        for kind in filter(None, kinds):
            if all(declared) and kind not in known:
                raise LaboratoryError(f"There is no event {kind!r}. Choose from {', '.join(known)}.")

    def check_metric(self, name: str) -> None:
        """Raise LaboratoryError where there is no metric ``name``, or the arms do not have what it needs."""
        if name not in METRICS:
            raise LaboratoryError(f"There is no metric {name!r}. Choose from {', '.join(METRICS)}.")
        for arm in self.arms:
            if METRICS[name].needs == "population" and not arm.is_population:
                raise LaboratoryError(f"{name} needs a population. Give {arm.name} more players than seats.")
            if METRICS[name].needs in JUDGED and arm.judge is None:
                raise LaboratoryError(f"{name} needs a judge. Give {arm.name} one.")
            if METRICS[name].needs in OF_THREE and len(arm.made().players) != 3:
                raise LaboratoryError(f"{name} needs three players; {arm.name} has {len(arm.made().players)}")


def _same_options(one: str, other: str) -> bool:
    """Return whether two games, if there are such, have the same options: a game and its variants."""
    known = {one, other} <= {*names()}
    return one == other or (known and game_definition(one).options == game_definition(other).options)


def words_of(options: Mapping[str, Any]) -> list[str]:
    """Return options as the names of arms have them."""
    return [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in options.items()]


def shipped_studies() -> dict[str, Path]:
    """Return the files of the studies that come with the games, by name: ``game/name``."""
    found: dict[str, Path] = {}
    for game in names():
        folder = game_definition(game).studies
        found |= {f"{game}/{path.stem}": path for path in sorted(folder.glob("*.toml"))} if folder else {}
    return found


def study_of(name: str) -> Study:
    """Return the study in the file ``name``, or the shipped one of that name."""
    shipped = shipped_studies()
    if name in shipped:
        return read_study(shipped[name])
    if not Path(name).is_file():
        raise LaboratoryError(f"There is no file and no shipped study {name!r}. `tercet lab list` lists the studies.")
    return read_study(Path(name))


def read_study(path: Path) -> Study:
    """Return the study in a file, or in the head of a ``figures.csv``, with the seed and the budget that it was run
    with; StudyError, with line, field and reason, where it cannot be run. Games are made and engines looked up, so that
    what is accepted runs."""
    return _StudyReader(path).study()


MADE = "\n[made]\n"  # after the text of a study, in the head of a figures.csv: how its games were played


def head(study: Study, made: Mapping[str, Any]) -> str:
    """Return the lines before the figures of a study: its text, and how its games were ``made``, as comments that are a
    study file themselves. Without a text there are none."""
    if not study.text:
        return ""
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in made.items()]
    text = f"{study.text.rstrip()}\n{MADE}{chr(10).join(lines)}"
    return "".join(f"# {line}".rstrip(" ") + "\n" for line in text.split("\n"))


def _text_in_head(figures: str) -> str:
    lines = takewhile(lambda line: line.startswith("#"), figures.split("\n"))
    return "\n".join(line[1:].removeprefix(" ") for line in lines) + "\n"


class _StudyReader:
    """Reads one file."""

    def __init__(self, path: Path) -> None:
        def refuse(line: int, place: Place, why: str) -> StudyError:
            return StudyError(path.name, line, ".".join(map(str, place)) or "file", why)

        self.folder = path.parent
        self.is_head = path.suffix == ".csv"
        self.name, self.file = path.stem, TomlFile(path, refuse, _text_in_head if self.is_head else None)
        self.error = self.file.error
        self.people: dict[str, Player] = {}  # the players that the file names
        self.common: dict[str, Any] = {}  # what all arms have
        self.left_out: list[str] = []  # the names of optional arms whose game is not installed

    def study(self) -> Study:
        table = self.file.table()
        made = table.take("made", dict, {}) if self.is_head else {}
        if self.is_head and not made:
            raise self.error((), "This file has figures and no study. Run the study's own file.")
        question = table.take("question", str).strip()
        game = self.game(table, "")
        asked = TomlTable(self.file, ("made",), made)
        seed = asked.number("seed", table.number("seed", 1, 0, 2**62), 0, 2**62)
        metrics = table.texts("metrics", USUAL_METRICS)
        for name in metrics:
            if name not in METRICS:
                raise self.error(("metrics",), f"There is no metric {name!r}. Choose from {', '.join(METRICS)}.")
        for title, described in table.named_tables("player").items():
            self.people[title] = self.player(title, described)
            described.end()
        judge = table.take("judge", str, None)
        needing = [name for name in metrics if METRICS[name].needs in JUDGED]
        if needing and judge is None:
            raise self.error(("metrics",), f'{needing[0]} needs a judge. Add a line like judge = "level:7".')
        self.common = {
            "judge": None if judge is None else self.people.get(judge, Player(judge)),
            "judge_every": table.number("judge_every", 1, 1, 10**6),
            "politics": any(METRICS[name].needs == "politics" for name in metrics),
            "forced": any(METRICS[name].needs == "forced" for name in metrics),
            "shifts": any(METRICS[name].needs == "shifts" for name in metrics),
            "fight": table.take("fight", str, ""),
            "most_actions": table.number("most_actions", None, 1, 10**6),
            "seed": seed,
            "gap": table.number("gap", 0.1, 0.0, 1.0),
        }
        arms = self.arms(table, game)
        stop = self.stopping(table, metrics)
        goals = table.each("goal", self.goal)
        cannot = table.text("cannot", "")
        answer = table.text("answer", "")
        claims = self.claims(table.take("claim", dict, {}))
        for figure in table.take("titles", dict, {}):
            if figure.partition(".")[0] not in metrics:
                raise self.error(("titles", figure), f"{figure!r} is no figure of a metric of the study.")
        self.check_answer(used(answer, claims), [*(arm.name for arm in arms), *self.left_out], metrics)
        said = re.split(r"(?<=\.) ", answer) if self.left_out else [answer]
        answer = " ".join(one for one in said if not any(arm in self.left_out for arm, _ in places(one)))
        for name, one in claims.items():
            claims[name] = () if any(arm in self.left_out for arm, _ in used("", {name: one})) else one
        space = table.take("space", dict, {})
        for option, values in space.items():
            self.check_values(("space", option), values)
        atlas = {figure: self.ends(figure, ends, metrics) for figure, ends in table.take("atlas", dict, {}).items()}
        if bool(space) != bool(atlas):
            raise self.error(("space",), "A search of a space needs both tables, [space] and [atlas].")
        ladder = table.take("ladder", bool, False)
        null = table.take("null", bool, True)
        table.end()
        stop = self.bounds(asked, stop)
        name, text = Path(asked.take("study", str, self.name)).name, self.file.text.split(MADE)[0]
        found = Study(name, question, arms, metrics, stop, ladder, goals, cannot, null, answer, claims, text, made,
                      space, atlas)  # fmt: skip
        with self.errors_at(("metrics",)):
            for name in metrics:
                found.check_metric(name)
        with self.errors_at(("fight",)):
            found.check_kinds([self.common["fight"]])
        for title, player in self.people.items():
            for word, kinds in (("never", player.never), ("always", player.always), ("weights", dict(player.weights))):
                with self.errors_at(("player", title, word)):
                    found.check_kinds(kinds)
        return found

    def check_values(self, where: Place, values: Any) -> None:
        if not isinstance(values, list) or not values:
            raise self.error(where, "The value must be a list of at least one value.")

    def ends(self, figure: str, ends: Any, metrics: Sequence[str]) -> tuple[float, ...]:
        """Return the ends of intervals of a figure, in order."""
        self.check_values(("atlas", figure), ends)
        if not all(type(end) in (int, float) for end in ends) or sorted(set(ends)) != ends:
            raise self.error(("atlas", figure), "The values must be numbers, each larger than the one before.")
        if figure.partition(".")[0] not in metrics:
            raise self.error(("atlas", figure), f"{figure!r} is no figure of a metric of the study.")
        return tuple(ends)

    @contextlib.contextmanager
    def errors_at(self, place: Place) -> Iterator[None]:
        """Raise what the block refuses as an error at ``place``."""
        try:
            yield
        except TercetError as error:
            raise self.error(place, str(error)) from None

    def check_answer(self, figures: Sequence[tuple[str, str]], arms: Sequence[str], metrics: Sequence[str]) -> None:
        for arm, figure in figures:
            if not named(arm, arms) and (arm or len(arms) > 1):
                raise self.error(("answer",), f"There is no arm {arm!r}. The arms are: {'; '.join(arms)}.")
            if figure.partition(".")[0] not in metrics:
                raise self.error(("answer",), f"{figure!r} is no figure of a metric of the study.")

    def claims(self, data: dict[str, Any]) -> dict[str, Sequence[tuple[Sequence[str], str]]]:
        table = TomlTable(self.file, ("claim",), data)
        for name in data:
            for number, one in enumerate(table.take(name, list)):
                if not (isinstance(one, list) and one and all(isinstance(text, str) for text in one)):
                    why = "A claim has lists of a sentence and its conditions, all in quotes."
                    raise self.error(("claim", name, number), why)
                for condition in one[1:]:
                    if not CONDITION.fullmatch(condition):
                        why = f"A condition is like {{A | share.White}} above 0.5, not {condition!r}."
                        raise self.error(("claim", name, number), why)
        return read_claims(data)

    def game(self, table: TomlTable, usual: str) -> str:
        """Return the name of the game in a table; a designer's file beside the study is one from now on."""
        name = str(table.take("game", str, usual))
        if not name.endswith(".py"):
            return name
        try:
            return add_variant(self.folder / name).name
        except VariantError as error:
            raise table.error("game", str(error)) from None

    def player(self, title: str, table: TomlTable) -> Player:
        nodes = table.number("nodes", None, 1, 10**9)
        weighed = table.take("weights", dict, {})
        weights = TomlTable(self.file, ("player", title, "weights"), weighed)
        return Player(
            table.take("engine", str),
            nodes,
            table.number("depth", None, 1, 10**4),
            never=table.texts("never"),
            title=title,
            least_nodes=table.number("least_nodes", None, 1, nodes or 0),
            always=table.texts("always"),
            until=table.number("until", None, 1, 10**4),
            spares=table.take("spares", str, ""),
            weights=tuple((kind, float(weights.number(kind, 0.0, -1.0, 1.0))) for kind in weighed),
        )

    def arms(self, table: TomlTable, game: str) -> tuple[Arm, ...]:
        options = table.take("options", dict, {})
        grid = table.take("grid", dict, {})
        listed = table.tables("arm")
        usual = table.take("players", list, None)
        found = []
        for name, values in grid.items():
            self.check_values(("grid", name), values)
        if grid or not listed:
            for chosen in product(*grid.values()):
                here = dict(zip(grid, chosen, strict=True))
                seated = here.pop("players", usual)
                where: Place = ("grid", "players") if "players" in grid else ("players",)
                title = ", ".join(words_of(here))
                ahead = TomlTable(self.file, ("grid",), here).number("head_start", 0, 0, MAX_HEAD_START)
                here.pop("head_start", None)
                places: dict[str, Place] = {name: ("options", name) for name in options}
                places |= {name: ("grid", name) for name in here}
                unnamed = "players" in grid or not title
                found.append(self.arm((), game, options | here, places, seated, where, title, unnamed, ahead))
        for arm in listed:
            place = arm.place
            named = arm.take("name", str, "")
            its = self.game(arm, game)
            own = arm.take("options", dict, {})
            seated = arm.take("players", list, usual)
            ahead = arm.number("head_start", 0, 0, MAX_HEAD_START)
            optional = arm.take("optional", bool, False)
            arm.end()
            if optional and its not in names():
                self.left_out.append(named)
                continue
            shared = options if _same_options(its, game) else {}
            places = {name: ("options", name) for name in shared} | dict.fromkeys(own, (*place, "options"))
            title = named or ", ".join([its, *words_of(own)])
            where = (*place, "players")
            found.append(self.arm(place, its, shared | own, places, seated, where, title, not named, ahead))
        bases = {base_of(game_definition(one.game)) for one in found}
        found = [replace(one, bare=one.game in bases) for one in found]
        titles = [one.name for one in found]
        for number, title in enumerate(titles):
            if title in titles[:number]:
                raise self.error(("arm", number), f"Two arms are called {title!r}. Give each a name.")
        return tuple(found)

    def arm(
        self,
        place: Place,
        game: str,
        options: Mapping[str, Any],
        places: Mapping[str, Place],
        seated: Any,
        where: Place,
        title: str,
        says_players: bool,
        head_start: int,
    ) -> Arm:
        named = (*place, "game")
        if not game:
            raise self.error(named, "This field is missing.")
        if game not in names():
            raise self.error(named, f"There is no game {game!r}. Choose from {', '.join(names())}.")
        if seated is None:
            raise self.error(("players",), "Name one engine, or one for each seat.")
        listed = [seated] if isinstance(seated, str) else seated
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            raise self.error(where, "The value must be a list of names of players.")
        found = tuple(self.people.get(name, Player(name)) for name in listed)
        try:
            check_rules(game, options)
            made = Game(game_definition(game), options)
        except OptionError as error:
            raise self.error(places.get(error.option, (*place, "options")), error.why) from None
        except VariantError as error:
            raise self.error(named, str(error)) from None
        if says_players:
            met = " against ".join(player.name for player in found)
            met = f"{len(found)} styles" if len(found) > len(made.players) else met
            title = ", ".join(filter(None, [title, met]))
        arm = Arm(game, dict(options), found, name=title, head_start=head_start, **self.common)
        with self.errors_at((*(place or ("grid",)), "head_start")):
            arm.check_head_start(made)
        with self.errors_at(where):
            arm.check()
        for player in (*found, *([arm.judge] if arm.judge else [])):
            kind = player.engine.partition(":")[0]
            if player.nodes is None and (kind in TIMED or player.engine in (f"level:{FULL}", f"engine:{FULL}")):
                why = "thinks by the clock, so no seed gives the same games twice. Give the player nodes."
                timed = ("player", player.title) if player.title in self.people else where
                raise self.error(timed, f"{player.engine} {why}")
        return arm

    def stopping(self, study: TomlTable, metrics: Sequence[str]) -> Stop:
        table = TomlTable(self.file, ("stop",), study.take("stop", dict, {}))
        found = self.bounds(table, Stop(figures=table.texts("figures", (metrics[0],) if metrics else ())))
        table.end()
        for name in found.figures:
            if name.partition(".")[0] not in metrics:
                raise table.error("figures", f"{name!r} is no figure of a metric of the study.")
        return found

    @staticmethod
    def bounds(table: TomlTable, usual: Stop) -> Stop:
        games, width = table.number("games", usual.games, 1, 10**7), table.number("width", usual.width, 1e-6, 1e6)
        minutes, tries = (
            table.number("minutes", usual.minutes, 0.01, 10**6),
            table.number("tries", usual.tries, 1, 10**6),
        )
        return replace(usual, games=games, width=width, minutes=minutes, tries=tries)

    def goal(self, table: TomlTable) -> Target:
        ends = (("low", -UNBOUNDED), ("high", UNBOUNDED))
        low, high = (table.number(name, end, -UNBOUNDED, UNBOUNDED) for name, end in ends)
        return Target(table.take("figure", str), low, high)


@dataclass(frozen=True)
class PublishedStudy:
    """A shipped study with its results: its ``name`` (``game/study``), its ``question``, the ``answer`` that its
    ``games`` games gave, and what an engine ``cannot`` tell. ``report`` and ``figures`` are its files, and ``charts``
    show the figures of the answer."""

    name: str
    question: str
    answer: str
    cannot: str
    games: int
    report: Path
    figures: Path
    charts: Sequence[Mapping[str, Any]] = ()

    @property
    def found(self) -> Found:
        """Its figures."""
        return read_figures(self.figures)[0]

    def html(self) -> bytes:
        """Return the report, a page that needs nothing else."""
        return gzip.decompress(self.report.read_bytes())


def result_files(study: Path) -> tuple[Path, Path]:
    """Return where the report and the figures of the study in that file are shipped."""
    folder = study.parent / "results"
    return folder / f"{study.stem}.html.gz", folder / f"{study.stem}.csv"


def publish(study: Path, html: str, csv: str) -> None:
    """Write the results of a shipped study beside its file."""
    report, figures = result_files(study)
    report.parent.mkdir(exist_ok=True)
    report.write_bytes(gzip.compress(html.encode(), 9, mtime=0))
    figures.write_text(csv, encoding="utf-8")


def published_studies() -> list[PublishedStudy]:
    """Return the shipped studies that have results, game by game. No game is made for it and no engine."""
    found = []
    for name, path in shipped_studies().items():
        report, figures = result_files(path)
        if not figures.is_file():
            continue
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        estimates, games = read_figures(figures)
        template, claims = " ".join(data.get("answer", "").split()), read_claims(data.get("claim", {}))
        answer = fill(template, estimates, claims) or ""
        question, cannot = data["question"].strip(), " ".join(data.get("cannot", "").split())
        definition = game_definition(name.partition("/")[0])
        drawn = charts(template, estimates, claims, data.get("titles", {}), definition) if answer else []
        found.append(PublishedStudy(name, question, answer, cannot, sum(games.values()), report, figures, drawn))
    return found
