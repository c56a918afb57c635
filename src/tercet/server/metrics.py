"""The counters of one process, which ``GET /metrics`` reports to Prometheus."""

from prometheus_client import Counter, Histogram

QUICK_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
SLOW_BUCKETS = (0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60)

ACTIONS = Counter("tercet_actions", "Actions written to the log here.", ["game"])
_ACKS = "From a command's arrival to its acknowledgement (it is on disk then) or its refusal."
ACKS = Histogram("tercet_ack_seconds", _ACKS, buckets=QUICK_BUCKETS)
DAMAGED_TABLES = Counter("tercet_damaged_tables", "Tables whose log was found damaged here.")
_DATABASE = "Time for a read, or for a write until it is on disk, waiting for its turn included."
DATABASE = Histogram("tercet_database_seconds", _DATABASE, ["what"], buckets=QUICK_BUCKETS)
_ENGINE_WAIT = "How long moves and explorations, or analyses, waited for a worker."
ENGINE_WAIT = Histogram("tercet_engine_wait_seconds", _ENGINE_WAIT, ["what"], buckets=SLOW_BUCKETS)
ERRORS = Counter("tercet_errors", "Errors sent to clients, by their code.", ["code"])
_OVER_BUDGET = "Requests refused because a person or a network had used up a share."
OVER_BUDGET = Counter("tercet_over_budget", _OVER_BUDGET, ["resource", "of"])
_REQUESTS = ("tercet_request_seconds", "Requests answered, by route and status.")
REQUESTS = Histogram(*_REQUESTS, ["method", "route", "status"], buckets=QUICK_BUCKETS)
SOCKETS = Counter("tercet_sockets", "Sockets opened, by route.", ["route"])
