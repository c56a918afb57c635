"""The tables of the database."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

METADATA = sa.MetaData()


def _table(name: str, *parts: SchemaItem) -> sa.Table:
    return sa.Table(name, METADATA, *parts)


def _person(name: str = "person_id", **how: bool) -> sa.Column[str]:
    return sa.Column(name, sa.String(24), sa.ForeignKey("people.id"), **how)  # type: ignore[arg-type]


def _table_id(**how: bool) -> sa.Column[str]:
    return sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), **how)  # type: ignore[arg-type]


# Games ------------------------------------------------------------------------------------------------------------

# `number`, `deadline`, `over`, `ended` and `result` follow from the log and are written with it, in one transaction:
# `number` is the last event's, `deadline` when a flag falls (milliseconds), `result` {scores, reason, says}. `digest`
# is that of the last event (store/logs.py); `damage` says why the log cannot be trusted: the game can then be read,
# and no longer played. `owner` is the id of the process that acts at the table unasked (engines, flags); null: the next
# one to look. `reminded` is the deadline of which the player to move was reminded last.
TABLES = _table(
    "tables",
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("setup", sa.JSON, nullable=False),
    sa.Column("opened", sa.Float, nullable=False),
    sa.Column("game", sa.String(20), nullable=False, server_default=""),
    sa.Column("speed", sa.String(16), nullable=False, server_default=""),
    sa.Column("creator", sa.String(24), sa.ForeignKey("people.id")),
    sa.Column("public", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("waiting", sa.Integer, nullable=False, server_default="0"),
    sa.Column("number", sa.Integer, nullable=False, server_default="0"),
    sa.Column("owner", sa.Integer, sa.ForeignKey("runs.id")),
    sa.Column("deadline", sa.BigInteger),
    sa.Column("over", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("ended", sa.Float),
    sa.Column("result", sa.JSON(none_as_null=True)),
    sa.Column("counted", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("after", sa.String(32)),
    sa.Column("digest", sa.LargeBinary),
    sa.Column("damage", sa.String(200)),
    sa.Column("reminded", sa.BigInteger),
    sa.Index("tables_by_deadline", "deadline"),
    sa.Index("tables_by_owner", "owner"),
    sa.Index("tables_by_state", "over", "waiting", "public"),
    sa.Index("tables_to_count", "over", "counted"),
)
SEATS = _table(
    "seats",
    _table_id(primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("token_hash", sa.String(64)),
    _person(),
    sa.Index("seats_by_person", "person_id", "table_id"),
)
EVENTS = _table(
    "events",
    _table_id(primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sa.Column("client_id", sa.String(80)),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("digest", sa.LargeBinary),
    sa.UniqueConstraint("table_id", "client_id", name="one_event_for_a_client_id"),
)
# What a player plays at once when others play what is foreseen: `lines` of actions (tables/conditional.py) from `ply`
# on, which were set after the event `number`. Each time they are set they get another `version`.
CONDITIONAL_MOVES = _table(
    "conditional_moves",
    _table_id(primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("version", sa.String(16), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("ply", sa.Integer, nullable=False),
    sa.Column("lines", sa.JSON, nullable=False),
)
# Processes that serve, each alive from `began` until `seen`. `process` says which one it is, so that another on the
# same machine can tell at once that it is gone.
RUNS = _table(
    "runs",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("began", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False, index=True),
    sa.Column("process", sa.String(120), nullable=False, server_default=""),
)
# What is said at a table, in the room of its "players" or of its "watchers".
TALK = _table(
    "talk",
    sa.Column("id", sa.Integer, primary_key=True),
    _table_id(nullable=False),
    sa.Column("room", sa.String(10), nullable=False),
    sa.Column("seat", sa.Integer),
    _person(),
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("text", sa.String(500), nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("hidden", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("client_id", sa.String(96)),
    sa.Index("talk_by_table", "table_id", "id"),
    sa.Index("one_line_for_a_client_id", "table_id", "client_id", unique=True),
)

# People -----------------------------------------------------------------------------------------------------------

# `kind` is guest, account, bot or staff (a moderator's account); `handle` (lower case) is what an account or bot is
# called in addresses. `was` is the name before the server gave them another, until they choose one.
PEOPLE = _table(
    "people",
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("handle", sa.String(24), unique=True),
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("password_hash", sa.String(200)),
    sa.Column("owner", sa.String(24), sa.ForeignKey("people.id")),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("deleted", sa.Float),
    sa.Column("was", sa.String(40)),
)
# What the names and handles of accounts look like (tercet.server.people.names): no two accounts have names that read
# alike.
NAME_SKELETONS = _table(
    "name_skeletons",
    sa.Column("skeleton", sa.String(120), primary_key=True),
    _person(nullable=False, index=True),
)
# Signed-in browsers and bots' tokens; only hashes of their secrets are kept.
SESSIONS = _table(
    "sessions",
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
    _person(nullable=False, index=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
)
BLOCKS = _table("blocks", _person(primary_key=True), _person("other_id", primary_key=True))
# Who follows whom; two who follow each other are friends.
FOLLOWS = _table(
    "follows", _person(primary_key=True), _person("other_id", primary_key=True, index=True), sa.Column("at", sa.Float)
)
# What friends write each other.
MESSAGES = _table(
    "messages",
    sa.Column("id", sa.Integer, primary_key=True),
    _person("from_id", nullable=False),
    _person("to_id", nullable=False),
    sa.Column("text", sa.String(1000), nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("read", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index("messages_by_pair", "from_id", "to_id", "id"),
    sa.Index("messages_to", "to_id", "read"),
)
# Tables that were opened for a person and wait for them.
CHALLENGES = _table(
    "challenges",
    _table_id(primary_key=True),
    _person("from_id", nullable=False, index=True),
    _person("to_id", nullable=False, index=True),
    sa.Column("at", sa.Float, nullable=False),
)
# People who wait to be paired for a quick game of `game`, at most one wish each. `owner` is the run whose client waits;
# `table_id` is the table once they are paired.
SEEKS = _table(
    "seeks",
    _person(primary_key=True),
    sa.Column("id", sa.String(16), nullable=False, unique=True),
    sa.Column("game", sa.String(20), nullable=False),
    sa.Column("time", sa.String(8), nullable=False),
    sa.Column("rated", sa.Boolean, nullable=False),
    sa.Column("rating", sa.Float),
    sa.Column("since", sa.Float, nullable=False),
    sa.Column("owner", sa.Integer, nullable=False),
    _table_id(),
)
# Addresses whose owners have shown that they read what is sent there.
EMAILS = _table(
    "emails",
    _person(primary_key=True),
    sa.Column("email", sa.String(254), nullable=False),
    sa.Column("confirmed", sa.Float, nullable=False),
)
# Secrets that work once, stored as hashes: a "code" or an e-mail's link ("reset") opens an account whose password is
# lost, an e-mail's link ("confirm") shows that `email` is read. `expires`: null, never.
RECOVERY = _table(
    "recovery",
    sa.Column("secret_hash", sa.String(64), primary_key=True),
    _person(nullable=False, index=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("email", sa.String(254)),
    sa.Column("expires", sa.Float),
)
# Browsers that show notices while the page is closed: an address at a push service, the keys for which notices are
# encrypted, and the language that is read there.
NOTICE_DEVICES = _table(
    "notice_devices",
    sa.Column("session_id", sa.String(24), sa.ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    _person(nullable=False, index=True),
    sa.Column("endpoint", sa.String(1000), nullable=False, unique=True),
    sa.Column("p256dh", sa.String(100), nullable=False),
    sa.Column("auth", sa.String(30), nullable=False),
    sa.Column("language", sa.String(8), nullable=False),
    sa.Column("created", sa.Float, nullable=False),
)
# What notices a person does not want (the occasions in `off`), and whether they come by e-mail, in which language.
NOTICE_SETTINGS = _table(
    "notice_settings",
    _person(primary_key=True),
    sa.Column("off", sa.String(80), nullable=False),
    sa.Column("mail", sa.Boolean, nullable=False),
    sa.Column("language", sa.String(8), nullable=False),
)
# Until when a person is or was on vacation (milliseconds), and how many days of the year in which it began are used.
VACATIONS = _table(
    "vacations",
    _person(primary_key=True),
    sa.Column("until", sa.BigInteger, nullable=False),
    sa.Column("year", sa.Integer, nullable=False),
    sa.Column("used", sa.Integer, nullable=False),
)
REPORTS = _table(
    "reports",
    sa.Column("id", sa.Integer, primary_key=True),
    _person(),
    sa.Column("table_id", sa.String(32)),
    sa.Column("talk_id", sa.Integer),
    sa.Column("analysis_id", sa.String(16)),
    sa.Column("about", sa.String(24)),
    sa.Column("why", sa.String(500), nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("handled", sa.Boolean, nullable=False, server_default=sa.false()),
)
# `values` are the rating family's own numbers ({rating, deviation, volatility} or {mu, sigma}).
RATINGS = _table(
    "ratings",
    _person(primary_key=True),
    sa.Column("game", sa.String(20), primary_key=True),
    sa.Column("speed", sa.String(16), primary_key=True),
    sa.Column("rating", sa.Float, nullable=False),
    sa.Column("values", sa.JSON, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("ratings_by_rank", "game", "speed", "rating"),
)
HISTORY = _table(
    "rating_history",
    _table_id(primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    _person(nullable=False, index=True),
    sa.Column("before", sa.JSON, nullable=False),
    sa.Column("after", sa.JSON, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

# Tournaments ------------------------------------------------------------------------------------------------------

TOURNAMENTS = _table(
    "tournaments",
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("form", sa.String(20), nullable=False),
    sa.Column("setup", sa.JSON, nullable=False),
    sa.Column("creator", sa.String(24), sa.ForeignKey("people.id")),
    sa.Column("state", sa.String(10), nullable=False),
    sa.Column("round", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("begins", sa.Float),
    sa.Column("ends", sa.Float),
    sa.Column("owner", sa.Integer, sa.ForeignKey("runs.id")),
    sa.Index("tournaments_by_state", "state", "begins"),
)
ENTRANTS = _table(
    "entrants",
    sa.Column("tournament_id", sa.String(32), sa.ForeignKey("tournaments.id"), primary_key=True),
    _person(primary_key=True),
    sa.Column("seed", sa.Integer, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("joined", sa.Float, nullable=False),
)
PAIRINGS = _table(
    "pairings",
    sa.Column("tournament_id", sa.String(32), sa.ForeignKey("tournaments.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("people", sa.JSON, nullable=False),
    sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), index=True),
    sa.Column("result", sa.JSON(none_as_null=True)),
)

# Puzzles ----------------------------------------------------------------------------------------------------------

# A puzzle's position and proof are in the files that come with its game; `values` is its rating as Glicko numbers.
PUZZLES = _table(
    "puzzles",
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("game", sa.String(20), nullable=False),
    sa.Column("rating", sa.Float, nullable=False),
    sa.Column("values", sa.JSON, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("puzzles_by_rating", "game", "rating"),
)
PUZZLE_TAGS = _table(
    "puzzle_tags",
    sa.Column("puzzle_id", sa.String(40), sa.ForeignKey("puzzles.id"), primary_key=True),
    sa.Column("tag", sa.String(40), primary_key=True),
    sa.Index("puzzle_tags_by_tag", "tag", "puzzle_id"),
)
# The first try of each person at each puzzle, which alone counts; `due` is when a failed one comes again, `motif` the
# one that the trainer gave it for.
PUZZLE_TRIES = _table(
    "puzzle_tries",
    _person(primary_key=True),
    sa.Column("puzzle_id", sa.String(40), sa.ForeignKey("puzzles.id"), primary_key=True),
    sa.Column("right", sa.Boolean, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("rating", sa.Float, nullable=False),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("due", sa.Float),
    sa.Column("motif", sa.String(60)),
    sa.Index("puzzle_tries_by_time", "person_id", "at"),
)
PUZZLE_RATINGS = _table(
    "puzzle_ratings",
    _person(primary_key=True),
    sa.Column("game", sa.String(20), primary_key=True),
    sa.Column("values", sa.JSON, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

# How many steps of a lesson a person has done in the present run through it, and whether they ever finished it.
LESSON_PROGRESS = _table(
    "lesson_progress",
    _person(primary_key=True),
    sa.Column("game", sa.String(20), primary_key=True),
    sa.Column("lesson", sa.String(60), primary_key=True),
    sa.Column("steps", sa.Integer, nullable=False),
    sa.Column("done", sa.Boolean, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

# Analyses ---------------------------------------------------------------------------------------------------------

# `access` is private, link or public; `chapters` is the greatest number that a chapter has had, `size` the characters
# of all of them. The `data` of a chapter is its start, comment, headers and moves (store/analyses.py) as JSON.
ANALYSES = _table(
    "analyses",
    sa.Column("id", sa.String(16), primary_key=True),
    _person(nullable=False, index=True),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("game", sa.String(20), nullable=False),
    sa.Column("access", sa.String(8), nullable=False),
    sa.Column("chapters", sa.Integer, nullable=False),
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("changed", sa.Float, nullable=False),
    sa.Index("analyses_by_access", "access", "changed"),
)
ANALYSIS_CHAPTERS = _table(
    "analysis_chapters",
    sa.Column("analysis_id", sa.String(16), sa.ForeignKey("analyses.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("game", sa.String(20), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("data", sa.Text, nullable=False),
)
# Who may change an analysis besides its owner.
ANALYSIS_EDITORS = _table(
    "analysis_editors",
    sa.Column("analysis_id", sa.String(16), sa.ForeignKey("analyses.id", ondelete="CASCADE"), primary_key=True),
    _person(primary_key=True, index=True),
)

# What the server itself must remember: the secret that signs cookies, where the environment gives none.
KEY_VALUES = _table(
    "kept", sa.Column("name", sa.String(40), primary_key=True), sa.Column("value", sa.String(200), nullable=False)
)
