"""Staff pages that preview, begin, follow and cancel regrades."""

from fastapi import Response

from etude_server.actions import regrades as actions
from etude_server.api.auth import ServiceOf
from etude_server.api.regrade_routes import Existing, GradingHere
from etude_server.staff.login import Instructor, OwnForm, see, staff_pages
from etude_server.staff.page_templates import render
from etude_server.store import regrades

_SAMPLE = 40  # sources in a preview, few enough to wait for
_SHOWN = 200  # most changes shown

router = staff_pages("/staff/regrades")


@router.get("")
def listing(visitor: Instructor, service: ServiceOf) -> Response:
    """Show the versions that could be graded again, and all regrades."""
    with service.database.read() as connection:
        versions = regrades.versions(connection)
        older = [
            (exercise, version, count)
            for exercise in service.catalog.exercises.values()
            for version, count in versions.get(exercise.id, {}).items()
            if version != exercise.digest
        ]
        rows = regrades.list_regrades(connection)
    return render("regrades", visitor=visitor, older=older, regrades=rows)


@router.post("/preview")
def preview(sent: OwnForm, visitor: Instructor, here: GradingHere) -> Response:
    """Show what a regrade would change, by a sample; nothing is published."""
    planned = actions.plan(here, sent.get("exercise", ""), sent.get("from_hash", ""))
    trial = actions.preview(here, planned, sample=_SAMPLE)
    return render("preview", visitor=visitor, trial=trial)


@router.post("")
def begin(sent: OwnForm, visitor: Instructor, service: ServiceOf) -> Response:
    """Begin a regrade."""
    planned = actions.plan(service, sent.get("exercise", ""), sent.get("from_hash", ""))
    begun = actions.begin(
        service,
        planned,
        by=visitor.person.id,
        reason=sent.get("reason", ""),
        allow_lower="allow_lower" in sent,
    )
    return see(f"/staff/regrades/{begun.id}")


@router.get("/{regrade_id}")
def show(regrade: Existing, visitor: Instructor, service: ServiceOf) -> Response:
    """Show how far a regrade has come, and what it changed."""
    with service.database.read() as connection:
        changes = list(regrades.changes(connection, regrade.id, most=_SHOWN))
    return render(
        "regrade", visitor=visitor, regrade=regrade, changes=changes, is_all=len(changes) < _SHOWN
    )


@router.post("/{regrade_id}/undo")
def undo(sent: OwnForm, regrade: Existing, visitor: Instructor, service: ServiceOf) -> Response:
    """Undo a regrade."""
    reason = sent.get("reason", "")
    begun = actions.undo(service, regrade.id, by=visitor.person.id, reason=reason)
    return see(f"/staff/regrades/{begun.id}")


@router.post("/{regrade_id}/cancel")
def cancel(_sent: OwnForm, regrade: Existing, visitor: Instructor, service: ServiceOf) -> Response:
    """Cancel a regrade, unless it has ended meanwhile; what it published stays."""
    actions.end(service, regrade.id, "cancelled", actor=visitor.person.id)
    return see(f"/staff/regrades/{regrade.id}")
