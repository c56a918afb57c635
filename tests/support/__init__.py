"""What tests and benchmarks share. Both run at the repository's root: ``pytest`` and ``python -m benchmarks.fault``."""
