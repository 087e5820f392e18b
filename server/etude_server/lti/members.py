"""Names and Roles: import of the members of a platform's course."""

from typing import Final

from sqlalchemy import update

from etude_server.lti.keys import fetch_token
from etude_server.lti.launch import find_course_role
from etude_server.platform_requests import request_json_page
from etude_server.store import platforms
from etude_server.store.database import Database
from etude_server.store.platforms import Platform
from etude_server.store.tables import person
from grader.errors import UsageError

_SCOPE: Final = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
_MEDIA_TYPE: Final = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
_MAX_PAGES: Final = 1_000  # bounds a platform's endless list


def fetch_members(database: Database, platform: Platform) -> int:
    """Add the active members of a platform's course with names and roles; return their number.

    Raises:
        UsageError: The address of the list is not known yet.
        PlatformRequestError: The platform does not return the list.
    """
    if not platform.members_url:
        raise UsageError(
            f"{platform.issuer} has not said where it lists members: allow the tool "
            "Names and Roles there, and launch an exercise once"
        )
    token, _ = fetch_token(database, platform, _SCOPE)
    headers = {"Authorization": f"Bearer {token}", "Accept": _MEDIA_TYPE}
    count, address = 0, platform.members_url
    for _ in range(_MAX_PAGES):
        page, address = request_json_page(address, headers)
        members = page.get("members") if isinstance(page, dict) else None
        for member in members if isinstance(members, list) else ():
            if not isinstance(member, dict) or member.get("status", "Active") != "Active":
                continue
            sub, name = member.get("user_id"), member.get("name", "")
            if not isinstance(sub, str) or not 0 < len(sub) <= 255 or not sub.isprintable():  # noqa: PLR2004  LTI's
                continue
            count += 1
            with database.write() as connection:
                role = find_course_role(member.get("roles"))
                admitted_person = platforms.admit_person(connection, platform.issuer, sub, role)
                if isinstance(name, str) and name.isprintable() and 0 < len(name) <= 200:  # noqa: PLR2004  the column's
                    change = update(person).where(person.c.id == admitted_person.id)
                    connection.execute(change.values(display_name=name))
        # Also after the last page, whose next address is "".
        if platforms.parse_origin(address) not in platform.origins:
            break
    return count
