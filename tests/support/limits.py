"""A server without limits, for tests of everything else."""

from tests.support.serve import unlimited

OPEN = unlimited(letters_per_hour=5)
