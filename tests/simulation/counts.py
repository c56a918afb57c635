"""What must count once: a rated game, a tournament's result, a try at a puzzle, a line of chat."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import orjson

from tests.simulation.pairings import Known, wrong_page, wrong_pairs, wrong_tables
from tests.simulation.scores import Meeting, Strength, rated, standings
from tests.simulation.swapped import EPOCH

if TYPE_CHECKING:
    from tests.simulation.players import Game
    from tests.simulation.scene import Scene


class Counts:
    """Looks at the database after every transaction, and in the end."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.pairings: Known = {}
        self.seeks: dict[str, tuple[str, str | None]] = {}  # who waits to be paired, and the table that it came to

    def committed(self) -> None:
        if self.scene.plan.cup is not None:
            self._note_pairings()
        if self.scene.plan.seekers:
            self._note_seeks()
        if any(table.talks for table in self.scene.plan.tables):
            self._note_lines()
        for traveller in self.scene.travellers:
            traveller.committed()
        for analysis in self.scene.analyses:
            analysis.committed()

    def _note_seeks(self) -> None:
        """Who waits to be paired comes to one table."""
        for ident, person, table in self.scene.disk.observer.execute("SELECT id, person_id, table_id FROM seeks"):
            _, before = self.seeks.get(ident, (person, None))
            if before not in (None, table):
                self.scene.violation(f"{person} was paired at table {before}, and then at {table}")
            self.seeks[ident] = person, table

    def _note_pairings(self) -> None:
        """Who meets, at which table, with which result: each is settled once."""
        found, rounds = {}, {}
        asked = "SELECT tournament_id, number, people, table_id, result, round FROM pairings ORDER BY number"
        for tournament, number, people, table, told, at in self.scene.disk.observer.execute(asked):
            result, rounds[tournament, number] = None if told is None else orjson.loads(told), at
            now = found[tournament, number] = orjson.loads(people), table, result
            before = self.pairings.get((tournament, number))
            if before is None:
                continue
            for was, has in zip(before, now, strict=True):
                if was is not None and was != has:
                    self.scene.violation(f"pairing {number} of a tournament was {before} and became {now}")
        for lost in self.pairings.keys() - found.keys():
            self.scene.violation(f"pairing {lost[1]} of a tournament is gone: {self.pairings[lost]}")
        new = [key for key in found if key not in self.pairings]
        if new:
            self._compare_round(new[0][0], [found[key][0] for key in new], {rounds[key] for key in new}, rounds)
        self.pairings = found

    def _compare_round(
        self, ident: str, now: list[list[str]], numbers: set[int], rounds: dict[tuple[str, int], int]
    ) -> None:
        """A round is paired once, after the one before it, and as the form of the tournament says. Starting numbers are
        the order in which people came."""
        cup, violation = self.scene.plan.cup, self.scene.violation
        asked = "SELECT person_id, seed, active FROM entrants WHERE tournament_id = ? ORDER BY rowid"
        entrants = self.scene.disk.observer.execute(asked, (ident,)).fetchall()
        if [seed for _, seed, _ in entrants] != [*range(1, 1 + len(entrants))]:
            violation(f"the starting numbers of a tournament are {entrants}")
        assert cup is not None
        before = {key: one for key, one in self.pairings.items() if key[0] == ident}
        earlier = [Meeting.of(rounds[key], people, result) for key, (people, _, result) in before.items()]
        seeds, pairs = [person for person, _, _ in entrants], [*map(tuple, now)]
        busy = {person for people, _, result in before.values() if result is None for person in people}
        free = {person for person, _, is_active in entrants if is_active} - busy
        follows = {1 if cup.form == "arena" else 1 + max((rounds[key] for key in before), default=0)}
        if numbers != follows or (busy and cup.form != "arena"):
            violation(f"{now} were paired as round {numbers} after {before}")
        at = 1000 * (EPOCH + self.scene.world.now)
        known = seeds, free, earlier, pairs
        wrong = wrong_pairs(cup.form, *known, at) if cup.is_plain else wrong_tables(cup, *known)
        if wrong and not (cup.form == "arena" and self.scene.clocks.jumped):
            violation(f"in round {numbers} of a tournament {pairs} were paired; {wrong}, after {earlier}")

    def _note_lines(self) -> None:
        """Lines of chat: those that are there stay."""
        games = {game.id: game for game in self.scene.games if game.id}
        found: dict[str, dict[int, str]] = {ident: {} for ident in games}
        for table, number, text in self.scene.disk.observer.execute("SELECT table_id, id, text FROM talk"):
            found.setdefault(table, {})[number] = text
        for ident, game in games.items():
            for number, text in game.said.items():
                if found[ident].get(number) != text:
                    self.scene.violation(f"{game.name}: line {number}, {text!r}, became {found[ident].get(number)}")
            game.said = found[ident]

    def compare(self) -> None:
        for game in self.scene.games:
            if game.id and game.plan.talks:
                self._compare_talk(game)
        self._compare_ratings()
        if self.scene.plan.cup is not None:
            self._compare_cup()
        self._compare_tries()
        self._compare_pairs()
        for one in self.scene.learners:
            asked = "SELECT lesson FROM lesson_progress WHERE person_id = ? AND done"
            found = {lesson for (lesson,) in self.scene.disk.observer.execute(asked, (one.person,))}
            if found != one.done:
                self.scene.violation(f"lessons that are done: the server was told of {one.done}, {found} are there")

    def _compare_talk(self, game: Game) -> None:
        """Each acknowledged line is there once, each speaker's in the order in which they were said."""
        asked = "SELECT id, client_id, text FROM talk WHERE table_id = ? ORDER BY id"
        lines: dict[str, list[tuple[int, str]]] = {}
        for number, key, text in self.scene.disk.observer.execute(asked, (game.id,)):
            lines.setdefault(key.split(":")[1], []).append((number, text))
        for name, found in lines.items():
            if len(found) != 1:
                self.scene.violation(f"{game.name}: the line {name} is there as {found}")
        for player in game.players:
            lines_of = [(name, one) for name, one in player.asked.items() if one.message["type"] == "say"]
            said = [(name, one.number, one.message["text"]) for name, one in lines_of if one.code is None]
            for name, number, text in said:
                if lines.pop(name, []) != [(number, text)]:
                    self.scene.violation(f"{player.name}: {text!r} was acknowledged as {number}, and is not that")
            numbers = [number for _, number, _ in said]
            if numbers != sorted(numbers, key=lambda number: number or 0):
                self.scene.violation(f"{player.name}: what it said has the numbers {numbers}")
        if lines:
            self.scene.violation(f"{game.name}: no player said {lines}")

    def _compare_ratings(self) -> None:
        """Every rated game that is over and long enough counts once for each of its players, for as much as its result
        says; no other does."""
        if not self.scene.plan.is_rated:
            return
        database, violation = self.scene.disk.observer, self.scene.violation
        logs = {table: log for table, log in self.scene.observer.logs.items() if log.rated and log.tables[-1].over}
        ends = {table: log.tables[-1] for table, log in logs.items()}
        due = {table for table, end in ends.items() if end.scores and not end.is_short}
        known: dict[tuple[str, ...], tuple[Strength, int, float]] = {}
        met: list[tuple[frozenset[str], float]] = []
        times = dict(database.execute("SELECT id, ended FROM tables"))
        kinds = {table: (game, speed) for table, game, speed in database.execute("SELECT id, game, speed FROM tables")}
        found: dict[str, list[tuple[int, str, Any, Any]]] = {}
        for table, seat, person, before, after in database.execute(
            "SELECT table_id, seat, person_id, before, after FROM rating_history ORDER BY rowid"
        ):
            found.setdefault(table, []).append((seat, person, orjson.loads(before), orjson.loads(after)))
        if found.keys() != due:
            violation(f"the games {sorted(due)} are to be rated, and {sorted(found)} were")
            return
        for table, rows in found.items():
            people, ended = [person for _, person in logs[table].seats[-1][1]], times[table]
            if [(seat, person) for seat, person, _, _ in sorted(rows, key=lambda row: row[0])] != [*enumerate(people)]:
                violation(f"table {table} of {people} is rated as {rows}")
                return
            had = [known.get((str(person), *kinds[table]), (Strength(), 0, ended)) for person in people]
            days = [(ended - at) / 86_400 for _, _, at in had]
            often = sum(pair == frozenset(map(str, people)) and at <= ended for pair, at in met)
            scores = logs[table].tables[-1].scores or (0.0, 0.0)
            for seat, person, before, after in rows:
                other = 1 - seat
                score = (scores[seat] > scores[other]) + (scores[seat] == scores[other]) / 2
                now = rated(had[seat][0], had[other][0], score, (days[seat], days[other]), often)
                if not (had[seat][0].is_near(before) and now.is_near(after)):
                    violation(f"{person} is rated {after} after {before} and a {score}, not {now} after {had[seat][0]}")
                known[person, *kinds[table]] = now, had[seat][1] + 1, max(ended, had[seat][2])
            met.append((frozenset(map(str, people)), ended))
        asked = "SELECT person_id, game, speed, rating, [values], games, at FROM ratings"
        for person, game, speed, rating, values, games, at in database.execute(asked):
            now, played, last = known.pop((person, game, speed), (Strength(), 0, 0.0))
            is_near = abs(rating - now.rating) < 1e-5 and now.is_near(orjson.loads(values))
            if not is_near or (games, at) != (played, last):
                violation(f"the rating of {person} is {values} after {games} games, not {now} after {played}")
        if known:
            violation(f"no player has the ratings {known}")
        for (table,) in database.execute("SELECT id FROM tables WHERE NOT rated"):
            if table in logs:
                violation(f"table {table} was opened for a rated game, and is not any more")
        waiting = database.execute("SELECT count(*) FROM tables WHERE over AND NOT counted").fetchone()[0]
        if waiting:
            violation(f"{waiting} games that are over have not been counted")

    def _compare_pairs(self) -> None:
        """Each table that quick pairing opens has two different players. A player has one table for each wish
        that came to one, and has a seat at each table that the server announced to them."""
        seekers, met = self.scene.seekers, Counter[str]()
        for one in seekers:
            tables = one.sits()
            for log in map(self.scene.observer.logs.__getitem__, tables):
                setup = log.tables[0].setup
                clock = {"kind": "fischer", "minutes": 5, "increment": 3}
                if (setup["game"], setup["clock"], setup["watch"], log.rated) != ("sanqi", clock, "public", False):
                    self.scene.violation(f"{one.name} was paired for {setup}")
            met.update(tables)
            sought = sorted(table for person, table in self.seeks.values() if person == one.person and table)
            if tables != sought or not set(one.announced) <= set(tables):
                heard = f"was paired at {sought}, heard of {one.announced}"
                self.scene.violation(f"{one.name} {heard} and sits at {tables}")
        if any(count != 2 for count in met.values()):
            self.scene.violation(f"players at each table of quick pairing: {dict(met)}")

    def _compare_cup(self) -> None:
        """Each pairing has one table, each table one pairing, whose result is the game's."""
        database, violation = self.scene.disk.observer, self.scene.violation
        results = dict(database.execute("SELECT id, result FROM tables WHERE creator IS NULL").fetchall())
        tables = [table for _, table, _ in self.pairings.values() if table is not None]
        if sorted(tables) != sorted(results):
            violation(f"a tournament has tables {sorted(results)}, its pairings {sorted(tables)}")
        for (_, number), (people, table, result) in self.pairings.items():
            ended = None if table is None or results.get(table) is None else orjson.loads(results[table])
            if ended is not None and result is not None and self._score(table, ended) != result["scores"]:
                violation(f"pairing {number} of {people} counts as {result}, its game ended as {ended}")
            cup = self.scene.plan.cup
            bye = 1.0 if cup is not None and cup.form in ("swiss", "arena") else 0.0
            bye = bye if cup is None or cup.is_plain else bye / 2
            if len(people) == 1 and result is not None and result["scores"] != [bye]:
                violation(f"the bye of {people} counts as {result}")
            if table is not None and [who for _, who in self.scene.observer.logs[table].seats[-1][1]] != people:
                violation(f"others than {people} sit at table {table} of pairing {number}")

    def _score(self, table: str | None, ended: dict[str, Any]) -> list[float]:
        """What a tournament's game counts: in an arena, one that is too short to be rated gives no points."""
        scores: list[float] = ended["scores"]
        cup, log = self.scene.plan.cup, self.scene.observer.logs.get(table or "")
        if cup is None or cup.form != "arena" or log is None:
            return scores
        return [0.0] * len(scores) if log.tables[-1].is_short else scores

    def compare_page(self, told: dict[str, Any], number: int, before: Known) -> None:
        """What entrant ``number`` is shown of a tournament is as it was ``before`` they asked, or later; standings
        follow from its results, as they are told."""
        assert self.scene.plan.cup is not None
        wrong = wrong_page(self.scene.plan.cup, told, number, before, self.pairings)
        if wrong:
            self.scene.violation(f"of a tournament entrant {number} is told that {wrong}")
        if not self.scene.plan.cup.is_plain:
            return
        people, violation = [one["handle"] for one in told["standings"]], self.scene.violation
        meetings = [Meeting.read(one) for one in told["pairings"] if one["result"] is not None]
        seeds = dict(self.scene.disk.observer.execute("SELECT person_id, seed FROM entrants"))
        people.sort(key=lambda handle: int(seeds.get(f"{int(handle.removeprefix('player')):024d}", 0)))
        expected = standings(told["form"], people, meetings, told["round"])
        for rank, (line, should) in enumerate(zip(told["standings"], expected, strict=True), 1):
            shown = {name: line[name] for name in ("handle", "points", "games", "tiebreaks")}
            near = [round(value, 3) for value in should["tiebreaks"]]
            if line["rank"] != rank or shown != {**should, "points": round(should["points"], 3), "tiebreaks": near}:
                violation(f"place {rank} of a tournament is {line}, not {should}, after {meetings}")

    def _compare_tries(self) -> None:
        """A puzzle that was tried, however often that was sent, counts once for the person and for the puzzle."""
        solvers = self.scene.solvers
        if not solvers:
            return
        database = self.scene.disk.observer
        asked = "SELECT person_id, puzzle_id, right, failures FROM puzzle_tries ORDER BY person_id, puzzle_id"
        found = [(person, puzzle, bool(right), failures) for person, puzzle, right, failures in database.execute(asked)]
        tries = [(one.person, ident, right, int(not right)) for one in solvers for ident, right in one.tried.items()]
        if found != (expected := sorted(tries)):
            self.scene.violation(f"tries at puzzles: {expected} were made, {found} are there")
        people = dict(database.execute("SELECT person_id, sum(tries) FROM puzzle_ratings GROUP BY 1").fetchall())
        if people != {one.person: len(one.tried) for one in solvers if one.tried}:
            self.scene.violation(f"the ratings of solvers count {people} tries")
        for ident, tries in database.execute("SELECT id, tries FROM puzzles"):
            made = sum(ident in one.tried for one in solvers)
            if tries != made:
                self.scene.violation(f"puzzle {ident} counts {tries} tries of {made}")
        for one in solvers:
            for ident, changes in one.changes.items():
                if changes > 1:
                    self.scene.violation(f"{one.name} was told {changes} times that puzzle {ident} changed the rating")
