"""The evidence of a run for a proof: its resources, and written values that are untrue."""

from dataclasses import asdict, dataclass
from typing import Any

from grader.definitions.exercise import TestId


@dataclass(frozen=True, slots=True)
class Untrue:
    """An expected value that its author wrote out and that is not what comes out."""

    test: TestId
    message: str  # "[0, 1]: the definition says 0.211, the reference gives 0.2246"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The resources of a run, and the written values that it shows to be wrong."""

    cpu_seconds: float
    wall_seconds: float
    peak_kib: int  # of the whole process, Python and NumPy with it
    printed: int  # bytes
    untrue: tuple[Untrue, ...] = ()
    varied: tuple[TestId, ...] = ()  # tests that expect an array of floats that are not all alike

    # With `Probe.beside`, the tests that the submission, or the wrong program, ended otherwise
    # when both were graded again, and those whose inputs are others when they are drawn again.
    changed: tuple[TestId, ...] = ()
    changed_beside: tuple[TestId, ...] = ()
    redrawn: tuple[TestId, ...] = ()

    def data(self) -> dict[str, Any]:
        """Return it as an object of JSON types."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Evidence":
        """Return the evidence that an object of JSON types describes.

        Raises:
            KeyError, TypeError, ValueError: it describes none.
        """
        return cls(
            float(data["cpu_seconds"]),
            float(data["wall_seconds"]),
            int(data["peak_kib"]),
            int(data["printed"]),
            tuple(Untrue(TestId(each["test"]), str(each["message"])) for each in data["untrue"]),
            *(
                tuple(TestId(str(each)) for each in data[name])
                for name in ("varied", "changed", "changed_beside", "redrawn")
            ),
        )
