"""The command ``tercet``. Every subcommand imports what it needs when it runs, so that ``tercet --help`` is quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 when it went well, 2 for anything asked for that makes no sense, 130 when
    interrupted. Errors are one line on stderr."""
    import typer

    from tercet.cli.commands import app
    from tercet.errors import TercetError

    complaint: type[Exception] = typer.BadParameter.__mro__[2]  # ClickException, wherever this Typer keeps it
    code = 0
    try:
        result = typer.main.get_command(app).main(
            None if arguments is None else list(arguments), prog_name="tercet", standalone_mode=False
        )
        code = result if isinstance(result, int) else 0
        sys.stdout.flush()
    except complaint as error:
        code = fail(getattr(error, "format_message", error.__str__)())
    except TercetError as error:
        code = fail(str(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read has gone: nothing to say
        code = 1
    except OSError as error:
        code = fail(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error))
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    sys.exit(code)


def fail(message: str) -> int:
    """One red line on stderr; the exit code that goes with it."""
    line = " ".join(message.split())
    red = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    print(f"\x1b[31mtercet: {line}\x1b[0m" if red else f"tercet: {line}", file=sys.stderr)
    return 2
