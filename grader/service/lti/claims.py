"""Names of the claims of LTI, and the error of a message that is refused."""

from collections.abc import Mapping
from typing import Any, Final

from grader.errors import EtudeError

CLAIM: Final = "https://purl.imsglobal.org/spec/lti/claim/"


class LaunchError(EtudeError):
    """A launch is refused; its message is shown in the browser."""


def section(claims: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a claim that is an object; an empty one for any other."""
    found = claims.get(name)
    return found if isinstance(found, dict) else {}
