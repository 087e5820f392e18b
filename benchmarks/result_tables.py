"""The form of a result: tables that read well in a terminal and as Markdown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

Row: TypeAlias = tuple[str, ...]

_NARROWEST = 3  # a column's rule takes three characters in Markdown


@dataclass(frozen=True, slots=True)
class Aim:
    """A figure that we aim at, and what it came to."""

    what: str
    measured: float
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def met(self) -> bool:
        """True if the figure is on the right side of its limit."""
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    @property
    def row(self) -> Row:
        """The aim as a row of a table."""
        aim = f"{'≥' if self.at_least else '≤'} {self.limit:g} {self.unit}".rstrip()
        measured = f"{self.measured:.3g} {self.unit}".rstrip()
        return self.what, measured, aim, "met" if self.met else "missed"


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds that one submission takes; CPU is that of every process that takes part."""

    best: float  # wall clock
    middle: float  # wall clock, the median
    least_cpu: float  # on average over one block, the one with the least
    cpu: float  # on average over all

    def cells(self) -> Row:
        """Return the costs that `COST_CELLS` names."""
        return ms(self.best), ms(self.middle), ms(self.least_cpu), ms(self.cpu)

    def ratios(self, base: "Cost") -> Row:
        """Return the ratios that `COST_RATIOS` names, of costs measured alternately."""
        mine, other = (self.best, self.middle, self.cpu), (base.best, base.middle, base.cpu)
        return tuple(f"{value / by:.2f}" for value, by in zip(mine, other, strict=True))


COST_CELLS = ("min ms", "median ms", "least CPU ms", "CPU ms")
COST_RATIOS = ("min ratio", "median ratio", "CPU ratio")


@dataclass(frozen=True, slots=True)
class Block:
    """Submissions that were graded without a break."""

    walls: Sequence[float]  # seconds of each
    cpu: float  # seconds of all together


def cost_of(blocks: Sequence[Block]) -> Cost:
    """Sum up blocks."""
    walls = [wall for block in blocks for wall in block.walls]
    least = min(block.cpu / len(block.walls) for block in blocks)
    cpu = sum(block.cpu for block in blocks) / len(walls)
    return Cost(min(walls), median(walls), least, cpu)


@dataclass(frozen=True, slots=True)
class Section:
    """The result of one benchmark."""

    title: str
    header: Row
    rows: Sequence[Row]
    notes: str  # a Markdown list
    aims: Sequence[Aim] = ()


def title_text(facts: Iterable[str], title: str = "What Etude costs") -> str:
    """Render the head of a report."""
    return f"# {title}\n\n{_listed(facts)}\n"


def section_text(section: Section, elsewhere: float) -> str:
    """Render a section, with how many cores were busy with something else."""
    noise = f"Cores that other processes kept busy meanwhile: {elsewhere:.1f}."
    table = _table(section.header, section.rows)
    return f"## {section.title}\n\n{table}\n\n{section.notes}- {noise}\n"


def aims_text(sections: Iterable[Section]) -> str:
    """Render the aims of all sections beside what was measured."""
    rows = [aim.row for section in sections for aim in section.aims]
    return f"## Aims\n\n{_table(('figure', 'measured', 'aim', ''), rows)}\n"


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(header: Row, rows: Sequence[Row]) -> str:
    """Lay out a Markdown table, the first column to the left and the others to the right."""
    columns = zip(header, *rows, strict=True)
    widths = [max(_NARROWEST, *map(len, column)) for column in columns]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
    head = [header[0].ljust(widths[0]), *map(str.rjust, header[1:], widths[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *lines))


def ms(seconds: float) -> str:
    """Return seconds as milliseconds."""
    return f"{seconds * 1000:.2f}"
