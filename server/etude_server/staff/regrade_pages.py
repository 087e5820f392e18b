"""Staff pages: preview, begin, follow and cancel regrades."""

import contextlib

from fastapi import Response

from etude_server import regrading
from etude_server.api import regrade_routes as api
from etude_server.api.auth import ContextOf
from etude_server.api.problem_details import ProblemError
from etude_server.regrading import BESIDE_SUBMISSIONS
from etude_server.staff.login import Instructor, OwnForm, see, staff_pages
from etude_server.staff.page_templates import render
from etude_server.store import regrades

_SAMPLE = 40  # sources: a page does not let anyone wait longer
_SHOWN = 200  # changes

router = staff_pages("/staff/regrades")


@router.get("")
def listing(visitor: Instructor, service: ContextOf) -> Response:
    """Show the versions that could be graded again, and all regrades."""
    with service.database.read() as connection:
        versions = regrades.versions(connection)
        older = [
            (exercise, version, count)
            for exercise in service.catalog.exercises.values()
            for version, count in versions.get(exercise.id, {}).items()
            if version != exercise.digest
        ]
        found = [
            (each, regrades.progress(connection, each.id)) for each in regrades.listed(connection)
        ]
    return render("regrades", visitor=visitor, older=older, regrades=found)


@router.post("/preview")
def preview(sent: OwnForm, visitor: Instructor, here: api.Here) -> Response:
    """Show what a regrade would change, by a sample; nothing is published."""
    wanted = regrading.plan(here.grading, sent.get("exercise", ""), sent.get("from_hash", ""))
    seen = regrading.preview(here.grading, wanted, sample=_SAMPLE, concurrency=BESIDE_SUBMISSIONS)
    return render("preview", visitor=visitor, plan=wanted, seen=seen, changes=seen.changes)


@router.post("")
def begin(sent: OwnForm, visitor: Instructor, service: ContextOf) -> Response:
    """Begin a regrade."""
    wanted = regrading.plan(service, sent.get("exercise", ""), sent.get("from_hash", ""))
    begun = regrading.begin(
        service,
        wanted,
        by=visitor.person.id,
        reason=sent.get("reason", "").replace("\0", "")[:2000],
        allow_lower="allow_lower" in sent,
    )
    if service.regrader is not None:
        service.regrader.wake()
    return see(f"/staff/regrades/{begun.id}")


@router.get("/{regrade_id}")
def show(found: api.Existing, visitor: Instructor, service: ContextOf) -> Response:
    """Show how far a regrade has come, and what it changed."""
    with service.database.read() as connection:
        done, sources = regrades.progress(connection, found.id)
        changes = list(regrades.changes(connection, found.id, most=_SHOWN))
    return render(
        "regrade",
        visitor=visitor,
        regrade=found,
        done=done,
        sources=sources,
        changes=changes,
        is_all=len(changes) < _SHOWN,
    )


@router.post("/{regrade_id}/undo")
def undo(sent: OwnForm, found: api.Existing, visitor: Instructor, service: ContextOf) -> Response:
    """Undo a regrade."""
    reason = sent.get("reason", "").replace("\0", "")[:2000]
    begun = regrading.undo(service, found.id, by=visitor.person.id, reason=reason)
    return see(f"/staff/regrades/{begun.id}")


@router.post("/{regrade_id}/cancel")
def cancel(
    _sent: OwnForm, found: api.Existing, visitor: Instructor, service: ContextOf
) -> Response:
    """Cancel a regrade; what it published stays."""
    with contextlib.suppress(ProblemError):  # it has just ended, as its page says
        api.cancel(found, visitor.person, service)
    return see(f"/staff/regrades/{found.id}")
