"""Runs the service's benchmarks: `python -m benchmarks.service [--quick] [--only NAME]`."""

import sqlite3
from pathlib import Path
from typing import Protocol

import click
import psycopg

from benchmarks.commands import adopt_orphans, wait_for_orphans
from benchmarks.machine import facts, watch_elsewhere
from benchmarks.processes import children_of_this
from benchmarks.result_tables import Section, aims_text, section_text, title_text
from benchmarks.service import (
    accepting,
    backlog,
    growth,
    holding,
    latency,
    overhead,
    regrade_speed,
    staff_reads,
)
from benchmarks.service.stage import Stores, stores

RESULTS = Path(__file__).parents[1] / "service-results.md"

_TITLE = "What the service costs"


class _Measure(Protocol):
    def __call__(self, stores: Stores, *, quick: bool) -> Section: ...


_SECTIONS: dict[str, _Measure] = {
    "accept": accepting.measure,
    "verdict": latency.measure,
    "overhead": overhead.measure,
    "regrade": regrade_speed.measure,
    "memory": growth.measure,
    "backlog": backlog.measure,
    "held": holding.measure,
    "staff": staff_reads.measure,
}

_ON_SQLITE = {"memory"}  # alone


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--quick", is_flag=True, help="Take about three minutes; the figures are rougher.")
@click.option(
    "--only", type=click.Choice(list(_SECTIONS)), multiple=True, help="Run this one; repeatable."
)
@click.option("--dialect", type=click.Choice(["SQLite", "PostgreSQL"]), help="On this one alone.")
def main(quick: bool, only: tuple[str, ...], dialect: str | None) -> None:
    """Measure what the service costs, print it, and after a run of everything write it down."""
    adopt_orphans()
    dialects = (dialect,) if dialect else ("SQLite", "PostgreSQL")
    form = ["a quick run (`--quick`), rougher than a full one"] if quick else []
    with stores(dialects) as opened:
        texts = [title_text([*facts(), *_versions(opened), *form], _TITLE)]
        click.echo(texts[0])
        sections = []
        for name in only or _SECTIONS:
            if name in _ON_SQLITE and "SQLite" not in opened.dialects:
                continue
            section, text = _measured(_SECTIONS[name], opened, quick=quick)
            click.echo(text)
            texts.append(text)
            sections.append(section)
    texts.append(aims_text(sections))
    click.echo(texts[-1])
    if not only and not dialect:
        RESULTS.write_text("\n".join(texts), encoding="utf-8")


def _measured(measure: _Measure, opened: Stores, *, quick: bool) -> tuple[Section, str]:
    others = children_of_this()
    with watch_elsewhere() as elsewhere:
        section = measure(opened, quick=quick)
        wait_for_orphans(others)
    return section, section_text(section, elsewhere.cores)


def _versions(opened: Stores) -> list[str]:
    found = [f"SQLite {sqlite3.sqlite_version}, synchronous=FULL"]
    if opened.postgres is None:
        return [*found, "no PostgreSQL: its rows are missing"]
    with psycopg.connect(opened.postgres.url("postgres")) as connection:
        return [*found, f"PostgreSQL {connection.info.server_version / 10_000:.4g}, fsync on"]


if __name__ == "__main__":
    main()
