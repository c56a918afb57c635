"""Tercet in a browser: a game's kernels as a WebAssembly module, and the static site that runs them."""
