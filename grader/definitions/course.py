"""The definition of a course: what the exercises of a collection share."""

from dataclasses import dataclass
from typing import Literal

from grader.definitions.exercise import _doc
from grader.errors import Location


@dataclass(frozen=True, slots=True)
class CourseDefinition:
    """`course.yaml`, beside the tracks: names a course, and what its exercises share."""

    where: Location
    title: str = _doc("The name of the course.")
    reference: str | None = _doc(
        "The folder of the course's own reference, a Python package beside this file. Definitions "
        "name its functions as `package.module:name`. It is imported where expected values are "
        "computed, and nowhere else: no submission, handout or page has it.",
        default=None,
    )
    packages: tuple[str, ...] = _doc(
        "Modules beside NumPy that submissions, tests and lessons may import, as in `import`: "
        "`scipy`, `sklearn`. The package must be installed beside Etude; its name and version are "
        "part of the hash of each exercise. Each is imported before a submission runs, which saves "
        "time: name `scipy.optimize` if the exercises use that.",
        default=(),
    )
    grading: Literal["certified", "practice"] = _doc(
        "`certified`: pages run the visible tests alone, and the grader says whether a submission "
        "passes. `practice`, for self-study: pages also run the hidden tests, on inputs drawn for "
        "the site, and show the solution after a pass. Readers of their data can find both.",
        default="certified",
    )
