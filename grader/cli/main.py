"""The `etude` command: its subcommands in one list, each in a module that is loaded when called."""

import importlib
import os
import sys
import traceback
from difflib import get_close_matches
from typing import NoReturn

import click

from grader import __version__
from grader.errors import DefinitionError, GraderFault, UsageError
from grader.sandbox.limits import ONE_BLAS_THREAD

NOT_PASSED, USAGE, FAULT = 1, 2, 3
_GONE = 141  # what a shell says of a program that SIGPIPE ended

_COMMANDS = {
    "check": "grader.cli.check",
    "grade": "grader.cli.grade",
    "doctor": "grader.cli.doctor",
    "schema": "grader.cli.schema",
    "lint": "grader.cli.lint",
    "verify": "grader.cli.verify",
    "import": "grader.cli.import_",
    "new": "grader.cli.new",
    "preview": "grader.cli.preview",
    "diff": "grader.cli.diff",
    "stats": "grader.cli.stats",
    "export": "grader.cli.export",
    "lesson": "grader.cli.lesson",
    "site": "grader.cli.site",
}


class _LazyGroup(click.Group):
    """Imports a subcommand's module when the subcommand is asked for."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(_COMMANDS[name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            close = get_close_matches(args[0], _COMMANDS, n=1)
            suggestion = f" Did you mean '{close[0]}'?" if close else ""
            raise click.UsageError(f"No such command '{args[0]}'.{suggestion}", ctx)
        return super().resolve_command(ctx, args)


@click.command(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 passed, 1 not passed, 2 usage or invalid definition, 3 grader fault.",
)
@click.version_option(__version__, prog_name="etude")
def etude() -> None:
    """Autograded NumPy exercises."""


def main() -> NoReturn:
    """Run the command; each kind of error has its own exit status."""
    os.environ.update(ONE_BLAS_THREAD)  # before NumPy is imported, here and in the workers
    try:
        status = etude.main(standalone_mode=False)
    except click.exceptions.Exit as error:
        status = error.exit_code
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        status = 130
    except (UsageError, DefinitionError) as error:
        _say(str(error))
        status = USAGE
    except GraderFault as error:
        _say(f"grader fault: {error}")
        status = FAULT
    except BrokenPipeError:  # the reader of our output has gone; what is left has nobody to go to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = _GONE
    except OSError as error:
        _say(f"cannot go on: {error.strerror or error}")
        status = FAULT
    except Exception:  # noqa: BLE001  a bug of ours must never look like a verdict
        traceback.print_exc()
        _say("grader fault: this is a bug in Etude, please report it")
        status = FAULT
    _leave(status or 0)


def _leave(status: int) -> NoReturn:
    """End at once: to take NumPy and pytest down piece by piece takes a tenth of a second."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        status = _GONE
    except OSError:  # a full disk: what was said has not arrived
        status = status or FAULT
    os._exit(status)


def _say(message: str) -> None:
    click.echo(f"etude: {message}", err=True)
