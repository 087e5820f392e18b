"""Automatic differentiation of numbers: a graph of values, and a tape of steps."""

from collections.abc import Callable, Sequence

Tape = Sequence[Sequence[tuple[int, float]]]


class Value:
    """A number that remembers what it was computed from.

    Attributes:
        data: The number itself.
        grad: The slope of the last result with respect to it, after `backward`.
        inputs: What it was computed from, each with the slope of this value with respect to it.
    """

    def __init__(self, data: float, inputs: Sequence[tuple["Value", float]] = ()) -> None:
        self.data = float(data)
        self.grad = 0.0
        self.inputs = tuple(inputs)

    def __add__(self, other: "Value | float") -> "Value":
        """Return the sum, whose slope is 1 with respect to both."""
        right = _as_value(other)
        return Value(self.data + right.data, [(self, 1.0), (right, 1.0)])

    def __mul__(self, other: "Value | float") -> "Value":
        """Return the product, whose slope with respect to one is the other."""
        right = _as_value(other)
        return Value(self.data * right.data, [(self, right.data), (right, self.data)])

    __radd__ = __add__
    __rmul__ = __mul__

    def relu(self) -> "Value":
        """Return the number if it is positive, else 0; the slope at 0 counts as 0."""
        return Value(max(self.data, 0.0), [(self, float(self.data > 0))])

    def backward(self) -> None:
        """Add to the `grad` of every value below the slope of this one with respect to it."""
        slopes = {id(self): 1.0}
        for value in reversed(_inputs_first(self)):
            slope = slopes[id(value)]
            value.grad += slope
            for child, local in value.inputs:
                slopes[id(child)] = slopes.get(id(child), 0.0) + slope * local


def slopes(f: Callable[..., Value], numbers: Sequence[float]) -> list[float]:
    """Return the slope of f with respect to each of its arguments.

    Args:
        f: Takes one `Value` for each number, and returns a `Value`.
        numbers: Where the slopes are taken.

    Returns:
        A list with one slope for each number.

    Source:
        Rumelhart, Hinton and Williams (1986), doi:10.1038/323533a0: the chain rule, backwards.
    """
    values = [Value(number) for number in numbers]
    _as_value(f(*values)).backward()
    return [value.grad for value in values]


def tape_slopes(tape: Tape) -> list[float]:
    """Return the slope of the last step of a tape with respect to every step.

    Args:
        tape: For each step the pairs (earlier step, local slope) of what it was computed from.

    Returns:
        A list with one slope for each step; the last is 1.
    """
    result = [0.0] * len(tape)
    result[-1] = 1.0
    for step in reversed(range(len(tape))):
        for earlier, local in tape[step]:
            result[earlier] += result[step] * local
    return result


def _as_value(number: Value | float) -> Value:
    return number if isinstance(number, Value) else Value(number)


def _inputs_first(last: Value) -> list[Value]:
    """List the values below the last one, each after its inputs; a stack, for deep graphs."""
    order: list[Value] = []
    seen: set[int] = set()
    stack = [(last, False)]
    while stack:
        value, ready = stack.pop()
        if ready:
            order.append(value)
        elif id(value) not in seen:
            seen.add(id(value))
            stack.append((value, True))
            stack.extend((child, False) for child, _ in value.inputs)
    return order
