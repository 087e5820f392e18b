"""A loaded program, a submission or a solution: its child, its stand-ins and its values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.definitions.exercise import Exercise
from grader.errors import GraderFault, Location
from grader.grading.program.author_code import freeze
from grader.grading.program.proxies import NoValueError, Proxies
from grader.sandbox.answers import Raised, Returned, Usage
from grader.sandbox.inside.wire import MAX_BODY
from grader.sandbox.interface import Child


def is_value(exercise: Exercise, name: str) -> bool:
    """Return whether a defined name stands for a value, not for something to call."""
    return exercise.kind == "predict" or exercise.defines[name].kind == "value"


def put_files(child: Child, exercise: Exercise, *, hidden: bool = False) -> None:
    """Give a child that has run nothing yet the data files of an exercise.

    Args:
        child: the child.
        exercise: whose files.
        hidden: whether also those that a submission gets only for hidden tests.

    Raises:
        GraderFault: the sandbox cannot take them.
    """
    contents = {**exercise.data, **(exercise.hidden_data if hidden else {})}
    if contents and not isinstance(child.put_files(contents), Returned):
        raise GraderFault(f"{exercise.id} has data files, which this sandbox cannot take")


@dataclass(frozen=True, slots=True)
class LoadedProgram:
    """A program in its child, after it was loaded."""

    child: Child
    exercise: Exercise
    values: Mapping[str, Any]  # of the names that are values
    methods: set[tuple[str, str]] = field(default_factory=set)  # found so far, by class
    given: list[Any] = field(default_factory=list)  # the functions that its child was given

    def names(
        self,
        where: Location,
        *,
        keep_inputs: bool = False,
        usages: list[Usage] | None = None,
        error: Callable[[Raised], BaseException] = NoValueError,
        most: int = MAX_BODY,
        in_body: bool = False,
        masks: bool = True,
    ) -> Proxies:
        """Return the proxies for one test; see `Proxies`."""
        return Proxies(
            self.child,
            where,
            keep_inputs=keep_inputs,
            usages=usages,
            error=error,
            something_came_back=bool(self.values),
            most=most,
            in_body=in_body,
            masks=masks,
            operators=frozenset(
                each
                for definition in self.exercise.defines.values()
                for each in definition.operators
            ),
            methods=self.methods,
            given=self.given,
        )

    def bindings(self, names: Proxies) -> dict[str, Any]:
        """Return the value, or the stand-in to call, of each defined name."""
        return {
            name: freeze(self.values[name]) if name in self.values else names.function(name)
            for name in self.exercise.defines
        }

    def drawn_by(self, where: Location, statements: str, inputs: Mapping[str, Any]) -> Any:  # noqa: ANN401  checked by who asks
        """Run statements after the program and return the data of the figure that they draw.

        Raises:
            NoValueError: they raise.
        """
        answer = self.names(where).run(statements, inputs, draws=True)
        if not isinstance(answer, Returned):
            raise NoValueError(answer)
        return answer.value

    def printed_by(self, where: Location, statements: str, inputs: Mapping[str, Any]) -> str:
        """Run statements after the program and return their standard output.

        Raises:
            NoValueError: they raise.
        """
        begin = self.child.printed
        answer = self.names(where).run(statements, inputs)
        if not isinstance(answer, Returned):
            raise NoValueError(answer)
        count = answer.value if type(answer.value) is int else 0
        return self.child.output(begin, min(begin + max(count, 0), self.child.printed))
