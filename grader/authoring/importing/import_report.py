"""The report of an import: repairs, decisions, and problems of each exercise."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from grader.authoring.importing.verify_imported import ImportProof
from grader.authoring.sources.draft import Draft, SourceDrafts
from grader.authoring.sources.source_files import escape_controls
from grader.definitions.wording import plural


def write_report(
    result: SourceDrafts,
    drafts: Mapping[Path, Draft],
    problems: Mapping[str, Sequence[str]],
    proofs: Mapping[Path, ImportProof],
) -> str:
    """Return the report as text.

    Args:
        drafts: The drafts by the written file.
        problems: What prevents loading a draft, by its id.
        proofs: The proofs by the written file; none for a draft that cannot be loaded.
    """
    lines: list[str] = []
    for path, draft in drafts.items():
        lines += [f"{draft.origin} -> {path}", f'  "{draft.title[:200]}"']
        lines += _section("Repaired", (repair.replace("\n", "\\n") for repair in draft.repairs))
        lines += _section("Decided", draft.remarks)
        lines += _section("Not valid yet, so not tried out", problems[draft.id])
        if (proof := proofs.get(path)) is not None:
            lines += _section("Could not be tried out", proof.faults)
            lines += _section("Wrong", proof.sentences)
            lines += _section("Good to know", proof.notes)
            if proof.is_proven:
                lines.append("  Proven: nothing stands in the way.")
        lines.append("")
    lines += _section("Also", result.remarks, "", [""])
    lines += _section("Not imported", result.failures, "", [""])
    works = sum(proof.is_solved for proof in proofs.values())
    proven = sum(proof.is_proven for proof in proofs.values())
    left_out = f", {len(result.failures)} left out" if result.failures else ""
    summary = (
        f"{plural(len(drafts), 'exercise')} imported, {proven} proven{left_out}. "
        f"In {works} the solution passes every test."
    )
    return escape_controls("\n".join([*lines, summary]), keep="\n")


def _section(
    title: str, entries: Iterable[str], margin: str = "  ", end: Iterable[str] = ()
) -> Iterator[str]:
    """Yield a title and its distinct entries, if there are any."""
    entries = list(dict.fromkeys(entries))
    if not entries:
        return
    yield f"{margin}{title}:"
    for entry in entries:
        first, *rest = entry.split("\n")
        yield f"{margin}  - {first}"
        yield from (f"{margin}    {line}" for line in rest)
    yield from end
