"""A server without limits, for tests of everything else."""

from tercet.server.limits.budgets import ServerLimits

OPEN = ServerLimits(
    tables_per_minute=None,
    visits_per_minute=None,
    requests_per_minute=None,
    requests_per_person=None,
    files_per_minute=None,
    guests_per_minute=None,
    signups_per_hour=None,
    signins_per_minute=None,
    reports_per_hour=None,
    messages_per_second=None,
    frames_per_second=None,
    lines_per_minute=None,
    waiting_per_network=None,
    engine_seconds_per_minute=None,
    cpu_seconds_per_minute=None,
    bytes_per_minute=None,
    rows_per_minute=None,
    queued_per_person=None,
)
