// The comparison of a learner's program with the solution.
import assert from "node:assert/strict";
import test from "node:test";
import { diffPrograms } from "../src/solve/diff.ts";

const SIGNS = { same: " ", yours: "-", solution: "+" };

function drawn(yours, solution) {
  return diffPrograms(yours, solution).map(({ kind, text }) => SIGNS[kind] + text);
}

test("shared lines stand once, yours before the solution's", () => {
  assert.deepEqual(drawn("def f(x):\n    y = 2\n    return y * x\n", "def f(x):\n    return 2 * x\n"), [
    " def f(x):",
    "-    y = 2",
    "-    return y * x",
    "+    return 2 * x",
  ]);
});

test("one is a part of the other", () => {
  assert.deepEqual(drawn("a\nb\nc", "b"), ["-a", " b", "-c"]);
  assert.deepEqual(drawn("b", "a\nb\nc"), ["+a", " b", "+c"]);
});

test("spaces at the end and empty lines are no difference", () => {
  assert.deepEqual(drawn("a  \n\nb\n\n\n", "a\nb"), [" a", " b"]);
});

test("comments and docstrings are no difference; shared lines have the solution's comments", () => {
  const solution = 'def f(x):\n    """Return x.\n\n    Always."""\n    # As it is.\n    return x  # (n,)\n';
  assert.deepEqual(drawn("# mine\ndef f(x):  # of x\n    return x\n", solution), [" def f(x):", "     return x  # (n,)"]);
  assert.deepEqual(drawn(solution, "def f(x):\n    return x\n"), [" def f(x):", "     return x"]);
});

test("a text that is a value is code, and so is a # in it", () => {
  assert.deepEqual(drawn('x = "a # b"', 'x = "a # c"'), ['-x = "a # b"', '+x = "a # c"']);
  assert.deepEqual(drawn('x = [\n    "a",\n]', 'x = [\n]'), [" x = [", '-    "a",', " ]"]);
});
