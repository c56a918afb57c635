"""The same as ``tercet simulate``: ``python -m tests.simulation FIRST SEEDS WORKERS``."""

import sys

from tests.simulation.command import main

if __name__ == "__main__":
    first, seeds, workers = map(int, sys.argv[1:4])
    main(first, seeds, workers, shows=len(sys.argv) > 4)
