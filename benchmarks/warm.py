"""One submission when everything is warm: from its source to its verdict."""

from collections.abc import Sequence
from contextlib import ExitStack

from benchmarks import plain
from benchmarks.lanes import Lane, serve_sandbox
from benchmarks.result_tables import COST_CELLS, COST_RATIOS, Aim, Cost, Section, cost_of
from grader.sandbox.backends import BACKENDS, NAMESPACES

_BLOCK = 50
_WARM_UP = 10
_PLAIN = "plain fork"

_NOTES = """\
- One submission of 12 calls with (4, 8) arrays, from source to verdict, in one long session; each
  has a source of its own. The ways took turns.
- spare: the next child is forked while the one before is at work.
- CPU: the trusted process, the zygote and the child together, on average; least CPU: on average in
  the block of 50 submissions that took least.
- plain fork: no sandbox at all; fork, run the source, twelve calls, pickle, `np.allclose`, wait.
"""


def measure(*, quick: bool) -> Section:
    """Compare both sandboxes, with and without a spare child, with a plain fork."""
    with ExitStack() as stack:
        lanes = [stack.enter_context(lane) for lane in _lanes()]
        working = [lane for lane in lanes if not lane.missing]
        costs = _take_turns(working, rounds=4 if quick else 16)
    missing = "".join(f"- {lane.name}: not on this host.\n" for lane in lanes if lane.missing)
    base = costs[_PLAIN]
    rows = [(name, *cost.cells(), *cost.ratios(base)) for name, cost in costs.items()]
    header = ("way", *COST_CELLS, *COST_RATIOS)
    title = "warm: one submission, from source to verdict"
    return Section(title, header, rows, _NOTES + missing, _aims(costs))


def _lanes() -> list[Lane]:
    sandboxed = [
        Lane(_name(backend.name, spare), serve_sandbox, backend.name, spare)
        for backend in BACKENDS
        for spare in (True, False)
    ]
    return [Lane(_PLAIN, plain.serve), *sandboxed]


def _name(backend: str, spare: bool) -> str:
    return f"{backend}, spare" if spare else backend


def _take_turns(lanes: Sequence[Lane], rounds: int) -> dict[str, Cost]:
    for lane in lanes:
        lane.grade(_WARM_UP)
        lane.blocks.clear()
    for _ in range(rounds):
        for lane in lanes:
            lane.grade(_BLOCK)
    return {lane.name: cost_of(lane.blocks) for lane in lanes}


def _aims(costs: dict[str, Cost]) -> list[Aim]:
    ahead, alone = (costs.get(_name(NAMESPACES.name, spare)) for spare in (True, False))
    if ahead is None or alone is None:
        return []
    base = costs[_PLAIN]
    return [
        Aim("warm, spare: least wall", ahead.best * 1000, 5, "ms"),
        Aim("warm, no spare: least wall", alone.best * 1000, 8, "ms"),
        Aim("warm, spare: least CPU", ahead.least_cpu * 1000, 8, "ms"),
        Aim("warm, no spare: least CPU", alone.least_cpu * 1000, 8, "ms"),
        Aim("warm, spare: least wall / plain fork", ahead.best / base.best, 3),
        Aim("warm, no spare: least wall / plain fork", alone.best / base.best, 3),
    ]
