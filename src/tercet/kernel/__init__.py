"""Kernels: the functions that games are made of, one source for plain Python and for compilers.

A *kernel* is a module-level function marked ``@kernel`` which works on rows of integers, neither allocates nor
touches Python objects, and calls only other kernels, by their own names. It may take constants from a module, as in
``layout.SIZE``. As written it is plain Python: call it with lists of integers to read, debug or cover it. :func:`build`
makes the compiled twin of a whole module of them.

An *abstract* kernel is one that a generic module (playouts, perft, tree search) leaves open: ``build`` binds it to the
function of that name from a game, so that the generic module is compiled once for each game with every call
inlined, and cached on disk.

What kernels may rely on in all modes: integers behave as 64-bit signed ones that never overflow, and ``rules``
(int32), ``row`` (int64), ``out`` (int32), ``events`` (int32) and scores (float64) are one-dimensional: arrays when
compiled, lists when interpreted. A game's kernels take no slices of them (generic ones do, of memory that is an array
in every mode), use no negative index and divide no negative numbers.
"""

from tercet.kernel.arrays import array, clear, copied, zeros
from tercet.kernel.building import Mode, build, chooses_bits_at_once, entry
from tercet.kernel.cache import cache_directory, on_compile
from tercet.kernel.marks import (
    abstract,
    choose_bits,
    gather_word,
    inlined,
    kernel,
    lowest_bit,
    noinline,
    popcount,
    spread_word,
    u,
)
from tercet.kernel.numbers import advance_seed, branch_seed, natural_log, pick, shuffle, start_seed
from tercet.kernel.planes import every_third, fill, list_threes, spread_within

__all__ = [
    "Mode",
    "abstract",
    "advance_seed",
    "array",
    "branch_seed",
    "build",
    "cache_directory",
    "choose_bits",
    "chooses_bits_at_once",
    "clear",
    "copied",
    "entry",
    "every_third",
    "fill",
    "gather_word",
    "inlined",
    "kernel",
    "list_threes",
    "lowest_bit",
    "natural_log",
    "noinline",
    "on_compile",
    "pick",
    "popcount",
    "shuffle",
    "spread_within",
    "spread_word",
    "start_seed",
    "u",
    "zeros",
]
