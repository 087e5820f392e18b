"""What a worker and its sandbox hold, and whether it grows."""

from benchmarks import long_run
from benchmarks.report import Aim, Row, Section

_NOTES = """\
- One worker that is never replaced, and the zygote of its sandbox, between two submissions.
- MB of a million bytes. PSS: a page that n processes share counts 1/n in each; RSS counts it in
  full. The zygote shares most pages with its spare child, so both together say what the sandbox
  takes.
"""


def measure(*, quick: bool) -> Section:
    """Look at both over a long run."""
    looks = long_run.of_either_length(quick=quick).looks
    first, last = looks[0], looks[-1]
    aims = [
        Aim("memory: zygote, PSS", last.zygote.pss, 20, "MB"),
        Aim("memory: worker, PSS", last.worker.pss, 60, "MB"),
        Aim("memory: zygote and child, last / first", last.sandbox.pss / first.sandbox.pss, 1.1),
        Aim("memory: worker, last / first", last.worker.pss / first.worker.pss, 1.1),
    ]
    header = ("graded", "zygote PSS", "with its child", "zygote RSS", "worker PSS", "worker RSS")
    return Section("memory: MB held", header, [_row(look) for look in looks], _NOTES, aims)


def _row(look: long_run.Look) -> Row:
    held = (
        look.zygote.pss,
        look.sandbox.pss,
        look.zygote.rss,
        look.worker.pss,
        look.worker.rss,
    )
    return (f"{look.graded:,}", *(f"{value:.1f}" for value in held))
