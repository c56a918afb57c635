"""Fields of position strings of Sparklies, and the quadrille."""

from tercet import Position


def cells(position: Position) -> str:
    return str(position).split()[1]


def tail(position: Position) -> str:
    """The player, the step, the pings and what follows them."""
    return str(position).split(" ", 2)[2]


def quadrille(position: Position, block: str) -> Position:
    """After a ping of a harlequin, whose cells go round: one diagonal takes, together, what the other one is."""
    kernels, row = position.game.kernels, position.row
    around = [position.game.board.index[name] for name in block.split()]
    at = next((at for at, cell in enumerate(around) if kernels.is_active(row, cell)), 0)
    return position.play(3 * around[at] + (int(kernels.colour_at(row, around[(at + 1) % 4])) + 2) % 3)
