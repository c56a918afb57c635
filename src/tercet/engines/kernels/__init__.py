"""Kernels of the engines: searches that know no game, compiled once for each."""
