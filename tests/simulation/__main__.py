"""The same as ``tercet simulate``: ``python -m tests.simulation FIRST SEEDS WORKERS``."""

import sys

from tests.simulation.command import main

if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:4]), shows=len(sys.argv) > 4)
