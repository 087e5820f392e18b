"""Memory of a worker and its sandbox, and its growth."""

from benchmarks import long_run
from benchmarks.processes import Memory
from benchmarks.result_tables import Aim, Row, Section

_FLAT = 1.1

_NOTES = """\
- One worker that is never replaced, and the zygote of its sandbox, between two submissions.
- MB of a million bytes. PSS: a page that n processes share counts 1/n in each; RSS counts it in
  full. The zygote shares most pages with its spare child, so both together say what the sandbox
  takes. PSS also moves with other Pythons on the machine, so growth is told by RSS. A question
  mark: only root may look.
"""


def measure(*, quick: bool) -> Section:
    """Look at both over a long run."""
    looks = long_run.of_either_length(quick=quick).looks
    first, last = looks[0], looks[-1]
    aims = [
        *_at_most("zygote, PSS", last.zygote, 20),
        *_at_most("worker, PSS", last.worker, 60),
        *_flat("zygote, RSS, last / first", first.zygote, last.zygote),
        *_flat("worker, RSS, last / first", first.worker, last.worker),
    ]
    header = ("graded", "zygote PSS", "with its child", "zygote RSS", "worker PSS", "worker RSS")
    return Section("memory: MB held", header, [_row(look) for look in looks], _NOTES, aims)


def _at_most(what: str, held: Memory | None, limit: float) -> list[Aim]:
    return [Aim(f"memory: {what}", held.pss, limit, "MB")] if held else []


def _flat(what: str, first: Memory | None, last: Memory | None) -> list[Aim]:
    return [Aim(f"memory: {what}", last.rss / first.rss, _FLAT)] if first and last else []


def _row(look: long_run.Look) -> Row:
    zygote, worker = _cells(look.zygote), _cells(look.worker)
    return f"{look.graded:,}", zygote[0], _cells(look.sandbox)[0], zygote[1], *worker


def _cells(held: Memory | None) -> tuple[str, str]:
    return (f"{held.pss:.1f}", f"{held.rss:.1f}") if held else ("?", "?")
