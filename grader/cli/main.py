"""The `etude` command: its subcommands in one list, each in a module that is loaded when called."""

import importlib
import os
import sys
import traceback
from typing import Any, NoReturn

import click

from grader import __version__
from grader.errors import DefinitionError, GraderFault, SandboxFault, UsageError
from grader.sandbox.limits import ONE_BLAS_THREAD
from grader.sandbox.printable import inert

NOT_PASSED, USAGE, FAULT = 1, 2, 3
_INTERRUPTED = 130
OF_UNIX = {"fcntl", "grp", "pwd", "resource", "termios"}  # modules that other systems lack
_GONE = 141  # what a shell says of a program that SIGPIPE ended

_GROUPS = {
    "For students": {
        "watch": "grader.cli.watch",
        "next": "grader.cli.next_",
        "list": "grader.cli.list_",
        "lesson": "grader.cli.lesson",
        "show": "grader.cli.show",
        "start": "grader.cli.start",
        "check": "grader.cli.check",
        "hint": "grader.cli.hint",
        "solution": "grader.cli.solution",
        "break": "grader.cli.break_",
        "progress": "grader.cli.progress",
    },
    "For authors": {
        "new": "grader.cli.new",
        "import": "grader.cli.import_",
        "lint": "grader.cli.lint",
        "verify": "grader.cli.verify",
        "audit": "grader.cli.audit",
        "preview": "grader.cli.preview",
        "diff": "grader.cli.diff",
        "misconception": "grader.cli.misconception",
        "schema": "grader.cli.schema",
        "site": "grader.cli.site",
    },
    "For instructors": {
        "collect": "grader.cli.collect",
        "grade": "grader.cli.grade",
        "report": "grader.cli.report",
        "stats": "grader.cli.stats",
        "export": "grader.cli.export",
    },
    "For a course's server": {
        "serve": "etude_server.commands.serve",
        "worker": "etude_server.commands.worker",
        "regrade": "etude_server.commands.regrade",
        "staff": "etude_server.commands.staff",
    },
    "For this machine": {
        "doctor": "grader.cli.doctor",
        "packages": "grader.cli.packages",
        "completion": "grader.cli.completion",
    },
}
_COMMANDS = {name: module for group in _GROUPS.values() for name, module in group.items()}


class _EtudeGroup(click.Group):
    """Imports a subcommand's module when it is asked for; each kind of error has its own status."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run a subcommand and exit.

        Raises:
            BrokenPipeError: The reader of our output has gone; only a process can end well then.
        """
        extra["standalone_mode"] = False
        try:
            status = super().main(*args, **extra)
        except click.ClickException as error:
            error.show()
            status = error.exit_code
        except (click.Abort, KeyboardInterrupt):
            status = _say("interrupted", _INTERRUPTED)
        except (UsageError, DefinitionError) as error:
            status = _say(str(error), USAGE)
        except GraderFault as error:
            status = _say(f"grader fault: {error}", FAULT)
        except BrokenPipeError:
            raise
        except OSError as error:
            status = _say(f"cannot go on: {error.strerror or error}", FAULT)
        except Exception as error:  # noqa: BLE001  a bug of ours must never look like a verdict
            if isinstance(error, ImportError) and error.name in OF_UNIX:
                status = _say("grader fault: this command needs Linux", FAULT)
            else:
                traceback.print_exc()
                status = _say("grader fault: this is a bug in Etude, please report it", FAULT)
        sys.exit(status or 0)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None

        def refuse() -> NoReturn:
            raise SandboxFault(f"'etude {name}' needs Linux")

        try:
            command: click.Command = importlib.import_module(_COMMANDS[name]).command
        except ImportError as error:
            if error.name not in OF_UNIX:
                raise
            command = click.Command(
                name,
                callback=refuse,
                short_help="(needs Linux)",
                context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
            )
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
    cls=_EtudeGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 passed, 1 not passed, 2 usage or invalid definition, 3 grader fault.",
)
@click.version_option(__version__, prog_name="etude")
def etude() -> None:
    """Autograded NumPy exercises."""


def main() -> NoReturn:
    """Run the command as a process of its own."""
    os.environ.update(ONE_BLAS_THREAD)  # before NumPy is imported, here and in the workers
    try:
        etude.main(prog_name="etude")
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else FAULT
    except BrokenPipeError:  # what is left has no one to go to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = _GONE
    # End at once: to take NumPy and pytest down piece by piece takes a tenth of a second.
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        status = _GONE
    except OSError:  # a full disk: what was said has not arrived
        status = status or FAULT
    os._exit(status)


def _say(message: str, status: int) -> int:
    click.echo(inert(f"etude: {message}", "\n"), err=True)
    return status
