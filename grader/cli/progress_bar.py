"""The progress of a batch: a bar in a terminal, an occasional line elsewhere."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

import click

_SECONDS_BETWEEN_LINES = 5.0  # seconds between lines, and before the first one, without a terminal
_BAR_LABELS = {
    "audited": "auditing",
    "explained": "explaining survivors",
    "graded": "grading",
    "proved": "proving",
}


@contextlib.contextmanager
def progress(total: int, done: str = "graded") -> Iterator[Callable[[], None]]:
    """Yield a function to call after each submission; all output goes to stderr.

    Args:
        done: The participle in the lines, such as "graded".
    """
    if sys.stderr.isatty():
        with _bar(total, _BAR_LABELS[done]) as advance_bar:
            yield advance_bar
        return
    began = last_line = time.monotonic()
    number = 0

    def advance() -> None:
        nonlocal number, last_line
        number += 1
        now = time.monotonic()
        if now - last_line < _SECONDS_BETWEEN_LINES:
            return
        last_line = now
        rate = number / (now - began)
        seconds_left = (total - number) / rate
        click.echo(f"{done} {number} of {total}, {rate:.0f}/s, {seconds_left:.0f} s left", err=True)

    yield advance


@contextlib.contextmanager
def _bar(total: int, doing: str) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed or 0:.0f}/s", style="dim")

    columns = (
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    # No refresh thread, because workers are forked while the bar is shown.
    bar = Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
    with bar:
        task = bar.add_task("", total=total)
        refreshed = 0.0

        def advance() -> None:
            nonlocal refreshed
            bar.advance(task)
            if time.monotonic() - refreshed > 1 / 20:
                refreshed = time.monotonic()
                bar.refresh()

        yield advance
