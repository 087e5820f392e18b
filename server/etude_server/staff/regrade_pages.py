"""Staff pages that preview, begin, follow and cancel regrades."""

from fastapi import Response

from etude_server.actions import regrades as regrade_actions
from etude_server.api.auth import CurrentService
from etude_server.api.regrade_routes import ExistingRegrade, LocalGrading
from etude_server.staff.login import InstructorForm, StaffVisitor, make_staff_router, redirect_to
from etude_server.staff.page_templates import render
from etude_server.store import regrades

_SAMPLE_SIZE = 40  # sources in a preview, few enough to wait for
_MAX_SHOWN_CHANGES = 200  # most changes shown

router = make_staff_router("/staff/regrades")


@router.get("")
def show_regrades(visitor: StaffVisitor, service: CurrentService) -> Response:
    """Show the versions that could be graded again, and all regrades."""
    with service.database.read() as connection:
        versions = regrades.count_published_versions(connection)
        older_versions = [
            (exercise, version, count)
            for exercise in service.catalog.exercises.values()
            for version, count in versions.get(exercise.id, {}).items()
            if version != exercise.digest
        ]
        rows = regrades.list_regrades(connection)
    return render("regrades", visitor=visitor, older=older_versions, regrades=rows)


@router.post("/preview")
def preview_regrade(form: InstructorForm, visitor: StaffVisitor, grading: LocalGrading) -> Response:
    """Show what a regrade would change, by a sample; nothing is published."""
    plan = regrade_actions.plan_regrade(
        grading, form.get("exercise", ""), form.get("from_hash", "")
    )
    changes = regrade_actions.preview_regrade(grading, plan, sample=_SAMPLE_SIZE)
    return render("preview", visitor=visitor, preview=changes)


@router.post("")
def start_regrade(form: InstructorForm, visitor: StaffVisitor, service: CurrentService) -> Response:
    """Begin a regrade."""
    plan = regrade_actions.plan_regrade(
        service, form.get("exercise", ""), form.get("from_hash", "")
    )
    regrade = regrade_actions.start_regrade(
        service,
        plan,
        by=visitor.person.id,
        reason=form.get("reason", ""),
        allow_lower="allow_lower" in form,
    )
    return redirect_to(f"/staff/regrades/{regrade.id}")


@router.get("/{regrade_id}")
def show_regrade(
    regrade: ExistingRegrade, visitor: StaffVisitor, service: CurrentService
) -> Response:
    """Show how far a regrade has come, and what it changed."""
    with service.database.read() as connection:
        changes = list(regrades.iterate_changes(connection, regrade.id, limit=_MAX_SHOWN_CHANGES))
    return render(
        "regrade",
        visitor=visitor,
        regrade=regrade,
        changes=changes,
        is_all=len(changes) < _MAX_SHOWN_CHANGES,
    )


@router.post("/{regrade_id}/undo")
def undo_regrade(
    form: InstructorForm, regrade: ExistingRegrade, visitor: StaffVisitor, service: CurrentService
) -> Response:
    """Undo a regrade."""
    reason = form.get("reason", "")
    new_regrade = regrade_actions.undo_regrade(
        service, regrade.id, by=visitor.person.id, reason=reason
    )
    return redirect_to(f"/staff/regrades/{new_regrade.id}")


@router.post("/{regrade_id}/cancel")
def cancel_regrade(
    _form: InstructorForm, regrade: ExistingRegrade, visitor: StaffVisitor, service: CurrentService
) -> Response:
    """Cancel a regrade, unless it has ended meanwhile; what it published stays."""
    regrade_actions.end_regrade(service, regrade.id, "cancelled", actor=visitor.person.id)
    return redirect_to(f"/staff/regrades/{regrade.id}")
