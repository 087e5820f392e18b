// How a learner's program is laid beside the solution.
import assert from "node:assert/strict";
import test from "node:test";
import { diff } from "../src/solve/diff.ts";

const SIGNS = { same: " ", yours: "-", solution: "+" };

function drawn(yours, solution) {
  return diff(yours, solution).map(({ kind, text }) => SIGNS[kind] + text);
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

test("spaces and empty lines at the end are no difference", () => {
  assert.deepEqual(drawn("a  \nb\n\n\n", "a\nb"), [" a", " b"]);
});
