"""The `etude` command: its subcommands in one list, each in a module that is loaded when called."""

import importlib
import os
import sys
import traceback
from typing import NoReturn

import click

from grader import __version__
from grader.errors import DefinitionError, GraderFault, UsageError
from grader.sandbox.limits import ONE_BLAS_THREAD

NOT_PASSED, USAGE, FAULT = 1, 2, 3
_GONE = 141  # what a shell says of a program that SIGPIPE ended

_GROUPS = {
    "For students": {
        "list": "grader.cli.list_",
        "lesson": "grader.cli.lesson",
        "show": "grader.cli.show",
        "start": "grader.cli.start",
        "check": "grader.cli.check",
        "hint": "grader.cli.hint",
        "solution": "grader.cli.solution",
        "progress": "grader.cli.progress_",
    },
    "For authors": {
        "new": "grader.cli.new",
        "import": "grader.cli.import_",
        "lint": "grader.cli.lint",
        "verify": "grader.cli.verify",
        "preview": "grader.cli.preview",
        "diff": "grader.cli.diff",
        "schema": "grader.cli.schema",
        "site": "grader.cli.site",
    },
    "For instructors": {
        "grade": "grader.cli.grade",
        "stats": "grader.cli.stats",
        "export": "grader.cli.export",
    },
    "For a course's server": {
        "serve": "grader.cli.serve",
        "worker": "grader.cli.worker",
        "regrade": "grader.cli.regrade",
        "staff": "grader.cli.staff",
    },
    "For this machine": {
        "doctor": "grader.cli.doctor",
        "completion": "grader.cli.completion",
    },
}
_COMMANDS = {name: module for group in _GROUPS.values() for name, module in group.items()}


class _LazyGroup(click.Group):
    """Imports a subcommand's module when the subcommand is asked for."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(_COMMANDS[name]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by those who need them."""
        for heading, names in _GROUPS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(heading):
                formatter.write_dl(
                    [
                        (name, command.get_short_help_str(60))
                        for name, command in commands
                        if command
                    ]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        unknown = bool(args) and args[0] not in _COMMANDS and not args[0].startswith("-")
        if unknown and not ctx.resilient_parsing:  # which is a shell that completes a word
            from difflib import get_close_matches

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
        status = etude.main(prog_name="etude", standalone_mode=False)
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
