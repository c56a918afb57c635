"""What tests and benchmarks share: database and Redis servers of their own, server processes that are killed and come
back, clients that play through it, and pytest's rule that a required test may not be skipped.

Imported as ``tests.support``: pytest and mypy run at the repository's root, and benchmarks that need it are run from
there as modules (``python -m benchmarks.fault``).
"""
