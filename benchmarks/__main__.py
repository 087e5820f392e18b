"""Runs the benchmarks: `python -m benchmarks [--quick] [--only NAME]`."""

from pathlib import Path
from typing import Protocol

import click

from benchmarks import (
    auditing,
    building,
    cold,
    growth,
    held,
    memory_growth,
    page_loads,
    real,
    throughput,
    warm,
)
from benchmarks.commands import adopt_orphans, wait_for_orphans
from benchmarks.machine import facts, watch_elsewhere
from benchmarks.processes import children_of_this
from benchmarks.result_tables import Section, aims_text, section_text, title_text
from benchmarks.workload import WrongVerdictError

RESULTS = Path(__file__).parent / "results.md"


class _Measure(Protocol):
    def __call__(self, *, quick: bool) -> Section: ...


_SECTIONS: dict[str, _Measure] = {
    "warm": warm.measure,
    "throughput": throughput.measure,
    "real": real.measure,
    "cold": cold.measure,
    "held": held.measure,
    "memory": memory_growth.measure,
    "scaling": growth.measure,
    "pages": page_loads.measure,
    "building": building.measure,
    "audit": auditing.measure,
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--quick", is_flag=True, help="Take less than a minute; the figures are rougher.")
@click.option(
    "--only",
    type=click.Choice(list(_SECTIONS)),
    multiple=True,
    help="Run this one; may be repeated.",
)
def main(quick: bool, only: tuple[str, ...]) -> None:
    """Measure what Etude costs, print it, and after a full run write it to results.md."""
    adopt_orphans()
    texts = [title_text(facts())]
    click.echo(texts[0])
    sections = []
    for name in only or _SECTIONS:
        section, text = _measured(_SECTIONS[name], quick=quick)
        click.echo(text)
        texts.append(text)
        sections.append(section)
    texts.append(aims_text(sections))
    click.echo(texts[-1])
    if not quick and not only:
        RESULTS.write_text("\n".join(texts), encoding="utf-8")


def _measured(measure: _Measure, *, quick: bool) -> tuple[Section, str]:
    others = children_of_this()
    with watch_elsewhere() as elsewhere:
        try:
            section = measure(quick=quick)
        except WrongVerdictError as error:
            raise click.ClickException(str(error)) from error
        wait_for_orphans(others)
    return section, section_text(section, elsewhere.cores)


if __name__ == "__main__":
    main()
