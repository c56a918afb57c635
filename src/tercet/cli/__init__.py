"""The command ``tercet``. Every subcommand imports what it needs when it runs, so that ``tercet --help`` is quick."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from tercet.errors import EXTRAS, PARTS, TercetError, extra_of, needs_extra

__all__ = ["EXTRAS", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 when it went well, 2 for anything asked for that makes no sense, 130 when
    interrupted. Errors are one line on stderr."""
    from tercet.core.streams import open_streams

    open_streams()
    try:
        import typer

        from tercet.cli.app import all_commands
    except ModuleNotFoundError as error:
        if missing(error) is None:
            raise
        sys.exit(fail(needs_extra("The tercet command", "typer")))

    complaint: type[Exception] = typer.BadParameter.__mro__[2]  # ClickException, wherever this Typer keeps it
    code = 0
    try:
        result = typer.main.get_command(all_commands()).main(
            None if arguments is None else list(arguments), prog_name="tercet", standalone_mode=False
        )
        code = result if isinstance(result, int) else 0
    except complaint as error:
        context = getattr(error, "ctx", None)
        if type(error).__name__ == "NoArgsIsHelpError" and context is not None:
            print(context.get_help())
            sys.exit(2)
        text = getattr(error, "format_message", error.__str__)().rstrip(".").replace("Input should", "it must")
        code = fail(f"{text}. `{context.command_path if context else 'tercet'} --help` shows what it takes.")
    except TercetError as error:
        code = fail(str(error))
    except ModuleNotFoundError as error:
        library = missing(error)
        if library is None:
            raise
        command = next(iter(sys.argv[1:] if arguments is None else arguments), "")
        code = fail(needs_extra(f"`tercet {command}`", command if command in PARTS else library))
    except UnicodeDecodeError as error:
        code = fail(f"The input must be UTF-8 text ({error.reason}).")
    except BrokenPipeError:  # the reader has gone: nothing to say
        code = 1
    except OSError as error:
        why = error.strerror or str(error)
        code = fail(f"{error.filename} cannot be used: {why}." if error.filename else why)
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except Exception as error:
        from tercet.core.variants import VARIANTS, files

        if not files():
            raise
        said = next(filter(None, str(error).splitlines()), "")
        why = f"`tercet lab run` with the file that {VARIANTS} names checks it and says where it fails."
        code = fail(f"{type(error).__name__}: {said.rstrip('.')}. {why}")
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python flushes again at its end
        has_reader = not isinstance(error, BrokenPipeError)
        code = code or (fail(f"The output cannot be written: {error.strerror}.") if has_reader else 1)
    sys.exit(code)


def missing(error: ModuleNotFoundError) -> str | None:
    """Return the library of an extra that ``error`` misses, or None for a module of no extra."""
    library = (error.name or "").partition(".")[0]
    return library if extra_of(library) else None


def fail(message: str) -> int:
    """Print one red line on stderr. Return the exit code for errors."""
    line = " ".join(message.split())
    red = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    with contextlib.suppress(OSError):  # the reader has gone
        print(f"\x1b[31mtercet: {line}\x1b[0m" if red else f"tercet: {line}", file=sys.stderr)
    return 2
