"""The `etude` command: a list of subcommands, whose modules are imported when they are called."""

import contextlib
import importlib
import os
import sys
import traceback
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from grader import __version__
from grader.cli.server_extra import OF_UNIX, require_service
from grader.errors import DefinitionError, GraderFault, SandboxFault, UsageError
from grader.sandbox.limits import ONE_BLAS_THREAD
from grader.sandbox.printable import inert

EXIT_NOT_PASSED, EXIT_USAGE, EXIT_FAULT = 1, 2, 3
BUG = "Etude itself failed; its log has the reason"  # in reports, which learners read
_SIGINT_STATUS = 130
_SIGPIPE_STATUS = 141  # the exit status that shells report for a program killed by SIGPIPE

# The module of each command, imported when it is called, and its line in the help.
_GROUPS = {
    "For students": {
        "watch": ("grader.cli.watch", "Work through a course: every save is graded."),
        "next": ("grader.cli.next_", "Name the next exercise."),
        "list": ("grader.cli.list_", "List tracks and exercises."),
        "lesson": ("grader.cli.lesson", "Read lessons, or run their code."),
        "show": ("grader.cli.show", "Show an exercise's instructions and tests."),
        "start": ("grader.cli.start", "Write the file to begin an exercise with."),
        "check": ("grader.cli.check", "Grade one file."),
        "hint": ("grader.cli.hint", "Show the next hint."),
        "solution": ("grader.cli.solution", "Show the solution, after passing."),
        "break": ("grader.cli.break_", "Find a call that shows a program to be wrong."),
        "progress": ("grader.cli.progress", "Show how far you have come."),
    },
    "For authors": {
        "new": ("grader.cli.new", "Start a new exercise or course."),
        "import": ("grader.cli.import_", "Import exercises from elsewhere."),
        "lint": ("grader.cli.lint", "Look at exercises without running them."),
        "verify": ("grader.cli.verify", "Prove exercises."),
        "audit": ("grader.cli.audit", "Find what the tests of an assignment do not catch."),
        "preview": (
            "grader.cli.preview",
            "Show pages of exercises and lessons while you write them.",
        ),
        "diff": ("grader.cli.diff", "List the verdicts that a new version of an exercise changes."),
        "misconception": ("grader.cli.misconception", "Turn a submission into a known mistake."),
        "schema": ("grader.cli.schema", "Print the JSON Schema of exercise files."),
        "site": ("grader.cli.site", "Build the static site."),
    },
    "For instructors": {
        "collect": ("grader.cli.collect", "Put a Canvas or Moodle download in order."),
        "grade": ("grader.cli.grade", "Grade a folder of submissions."),
        "report": ("grader.cli.report", "Write grades and feedback from result files."),
        "stats": ("grader.cli.stats", "Show difficulty and common mistakes from result files."),
        "export": ("grader.cli.export", "Write bundles and grades for others."),
    },
    "For a course's server": {
        "serve": ("etude_server.commands.serve", "Serve the site and grade submissions."),
        "worker": (
            "etude_server.commands.worker",
            "Grade submissions from a server's queue on PostgreSQL.",
        ),
        "regrade": (
            "etude_server.commands.regrade",
            "Grade stored submissions again under a fixed exercise.",
        ),
        "staff": ("etude_server.commands.staff", "Manage the service: people, tokens, database."),
    },
    "For this machine": {
        "doctor": ("grader.cli.doctor", "Check which sandboxes this host has."),
        "packages": ("grader.cli.packages", "Lock or install the packages of a course."),
        "completion": ("grader.cli.completion", "Set up completion in your shell."),
    },
}
_COMMANDS = {name: entry for group in _GROUPS.values() for name, entry in group.items()}


class _EtudeGroup(click.Group):
    """Commands whose modules are imported on demand; each kind of error has its own exit status."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run a subcommand and exit.

        Raises:
            BrokenPipeError: The reader of our output is gone; only `main` can end the process
                cleanly.
        """
        extra["standalone_mode"] = False
        try:
            status = super().main(*args, **extra)
        except click.ClickException as error:
            error.show()
            status = error.exit_code
        except (click.Abort, KeyboardInterrupt):
            status = _fail_with("interrupted", _SIGINT_STATUS)
        except (UsageError, DefinitionError) as error:
            status = _fail_with(str(error), EXIT_USAGE)
        except GraderFault as error:
            status = _fail_with(f"grader fault: {error}", EXIT_FAULT)
        except BrokenPipeError:
            raise
        except OSError as error:
            status = _fail_with(f"cannot go on: {error.strerror or error}", EXIT_FAULT)
        except Exception as error:  # noqa: BLE001  a bug of ours must never look like a verdict
            if isinstance(error, ImportError) and error.name in OF_UNIX:
                status = _fail_with("grader fault: this command needs Linux", EXIT_FAULT)
            else:
                traceback.print_exc()
                status = _fail_with(
                    "grader fault: this is a bug in Etude, please report it", EXIT_FAULT
                )
        sys.exit(status or 0)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None

        def refuse() -> NoReturn:
            raise SandboxFault(f"'etude {name}' needs Linux")

        module = _COMMANDS[name][0]
        is_server = module.startswith("etude_server")
        try:
            with require_service() if is_server else contextlib.nullcontext():
                command: click.Command = importlib.import_module(module).command
        except ImportError as error:
            if error.name not in OF_UNIX:
                raise
            command = click.Command(
                name,
                callback=refuse,
                context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
            )
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups by their audience."""
        for heading, commands in _GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, summary) for name, (_, summary) in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin with the incomplete word."""
        commands = [
            CompletionItem(name, help=summary)
            for name, (_, summary) in _COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        unknown = bool(args) and args[0] not in _COMMANDS and not args[0].startswith("-")
        if unknown and not ctx.resilient_parsing:  # resilient while a shell completes a word
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
    # UTF-8 regardless of the locale, because every result contains marks or formulas.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            chosen = os.environ.get("PYTHONIOENCODING", "").partition(":")[0]
            stream.reconfigure(encoding=chosen or "utf-8", errors="replace")


def main() -> NoReturn:
    """Run the command line in this process and exit."""
    # Must happen before NumPy is imported, here and in the workers.
    os.environ.update(ONE_BLAS_THREAD)
    try:
        etude.main(prog_name="etude")
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else EXIT_FAULT
    except BrokenPipeError:
        # The rest of the output has no reader.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = _SIGPIPE_STATUS
    # Exit without cleanup: tearing down NumPy and pytest would take a tenth of a second.
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        status = _SIGPIPE_STATUS
    except OSError:
        # The disk is full, so the output was lost.
        status = status or EXIT_FAULT
    os._exit(status)


def _fail_with(message: str, status: int) -> int:
    """Print an error message, and return the exit status."""
    click.echo(inert(f"etude: {message}", "\n"), err=True)
    return status
