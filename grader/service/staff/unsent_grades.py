"""Staff page: grades not yet sent to learning platforms."""

from typing import Final

from fastapi import Response

from grader.service.api.auth import ContextOf
from grader.service.staff.login import Instructor, OwnForm, see, staff_pages
from grader.service.staff.page_templates import render
from grader.service.store import unsent_scores

_SHOWN: Final = 200
_PATH: Final = "/staff/unsent"

router = staff_pages(_PATH)


@router.get("")
def listing(visitor: Instructor, service: ContextOf) -> Response:
    """Show the grades that are not sent, and why."""
    with service.database.read() as connection:
        found = unsent_scores.unsent(connection)
    return render(
        "unsent",
        visitor=visitor,
        grades=found[:_SHOWN],
        count=len(found),
        parked=sum(each.parked for each in found),
        oldest=min((each.at for each in found), default=None),
    )


@router.post("/retry")
def retry(_sent: OwnForm, visitor: Instructor, service: ContextOf) -> Response:
    """Send all of them again, now."""
    with service.database.write() as connection:
        unsent_scores.retry(connection, actor=visitor.person.id)
    return see(_PATH)
