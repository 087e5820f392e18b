"""The values of an exercise's own solution, computed in a sandbox child."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TypeVar

from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError, GraderFault, Location
from grader.grading.jobs import find_limits
from grader.grading.program.loaded_program import LoadedProgram, put_files
from grader.grading.program.proxies import NoValueError, RunningProgram
from grader.grading.program.requests import Requests
from grader.grading.program.value_copies import freeze_arrays
from grader.sandbox.answers import Cause, ChildGoneError, Returned, Unsupported
from grader.sandbox.interface import ChildFactory

T = TypeVar("T")


@contextlib.contextmanager
def loaded_solution(exercise: Exercise, sandbox: ChildFactory) -> Iterator[LoadedProgram]:
    """Load the solution into a child of its own.

    Raises:
        DefinitionError: The exercise has no solution, or it does not load.
    """
    if not exercise.solution:
        message = "a test compares with the solution, which this edition does not have"
        raise DefinitionError.at(exercise.where, message)
    with sandbox.child(find_limits(exercise)) as child:
        put_files(child, {**exercise.data, **exercise.hidden_data}, exercise.id)

        def load() -> LoadedProgram:
            answer = child.load(exercise.solution, list(exercise.defines))
            if not isinstance(answer, Returned):
                raise NoValueError(answer)
            requests = Requests(RunningProgram(child), exercise.where)
            values = {
                name: freeze_arrays(requests.current(name))
                for name, definition in exercise.defines.items()
                if definition.kind == "value"
            }
            return LoadedProgram(child, exercise, values)

        yield ask_solution(exercise.where, "solution", load)


def ask_solution(where: Location, description: str, action: Callable[[], T]) -> T:
    """Return the result of an action on the solution.

    Raises:
        DefinitionError: The solution raises an error, ends, or gives an unsupported value.
    """
    try:
        return action()
    except NoValueError as error:
        answer = error.answer
        if isinstance(answer, Unsupported):
            reason = f"gives {answer.kind}, which cannot be compared"
        else:
            line = f" (line {answer.frames[-1][0]} of it)" if answer.frames else ""
            reason = f"raises {answer.type}{answer.message and f': {answer.message}'}{line}"
        raise DefinitionError.at(where, f"{description}: the solution {reason}") from error
    except ChildGoneError as error:
        if error.cause is Cause.KILLED:  # possibly by a host that ran out of memory
            raise GraderFault(f"the sandbox of the solution was killed: {error}") from error
        raise DefinitionError.at(where, f"{description}: the solution ended ({error})") from error
