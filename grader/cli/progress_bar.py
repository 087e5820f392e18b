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
        label = _BAR_LABELS[done]
        with click.progressbar(
            length=total, label=label, show_pos=True, file=sys.stderr
        ) as progress_bar:
            yield lambda: progress_bar.update(1)
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
