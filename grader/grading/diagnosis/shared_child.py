"""Lends one child to programs that leave nothing behind in it, one after another."""

from contextlib import suppress
from typing import Self

from grader.errors import SandboxFault
from grader.sandbox.answers import Answer, ChildGoneError
from grader.sandbox.interface import Child, Children, Ending
from grader.sandbox.limits import Limits


class InTurn:
    """Gives the same child to every program. Use as a context manager.

    Only for programs of which `traceless` says that they leave nothing behind, and of one exercise.
    What they use is counted together, so one that meets a limit here may have met what others used:
    it has to be asked again, in a child of its own. After `renew` the next gets a new child.

    Args:
        sandbox: where children come from.
    """

    def __init__(self, sandbox: Children) -> None:
        self._sandbox = sandbox
        self._child: Child | None = None
        self.is_spent = False
        """Whether a limit on what a child uses was met, or it has ended."""

    def child(self, limits: Limits) -> Child:
        """Return the child as if it had run nothing yet; the program before it must be done."""
        if self._child is not None and (self._child.limits != limits or not self._forgot()):
            self.renew()
        if self._child is None:
            self._child = self._sandbox.child(limits)
        return _Lent(self, self._child)

    def renew(self) -> None:
        """Close the child."""
        child, self._child = self._child, None
        self.is_spent = False
        if child is not None:
            child.close()

    def _forgot(self) -> bool:
        """Have the child forget the program before; tell whether it did."""
        assert self._child is not None  # noqa: S101  for the type checker
        if self.is_spent:
            return False
        with suppress(ChildGoneError):
            self._child.forget()
            return True
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(SandboxFault):
            self.renew()


class _Lent(Child):
    """The child for one program, which cannot close it."""

    def __init__(self, lender: InTurn, child: Child) -> None:
        self._lender = lender
        self._child = child
        self._printed_before = child.printed
        self.limits = child.limits

    @property
    def printed(self) -> int:
        return self._child.printed - self._printed_before

    def output(self, begin: int, end: int) -> str:
        return self._child.output(self._printed_before + begin, self._printed_before + end)

    def start(self) -> None:
        self._child.start()

    def end(self) -> Ending:
        self._lender.is_spent = True
        return self._child.end()

    def close(self) -> None:
        self._lender.is_spent |= self._child.output_full

    def _ask(self, operation: str, *arguments: object, measure: bool = False) -> Answer:
        try:
            return self._child._ask(operation, *arguments, measure=measure)  # noqa: SLF001  a child, too
        except ChildGoneError:
            self._lender.is_spent = True
            raise
