"""The subcommands of ``tercet``: what they take. What they do is in the modules that they import when they run."""

from tercet.cli.commands import playing, puzzling, researching, serving, surveying, training
from tercet.cli.commands.arguments import app

__all__ = ["app", "playing", "puzzling", "researching", "serving", "surveying", "training"]
