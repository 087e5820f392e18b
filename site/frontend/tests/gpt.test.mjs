// What the heads of a small GPT looked at: digits that end before the letter that they belong to.
import assert from "node:assert/strict";
import test from "node:test";
import { looks } from "../src/gpt/step.ts";

const step = (...heads) => ({ letter: "x", choices: [], heads });

test("the first digit is the start of the text, which is no letter of it", () => {
  assert.deepEqual(looks(step("z00"), 2), []);
  assert.deepEqual(looks(step("0z0"), 2), [{ head: 0, at: 0, weight: 1 }]);
});

test("a model that saw only the end of the text looked at its last letters", () => {
  assert.deepEqual(looks(step("0z"), 50), [{ head: 0, at: 49, weight: 1 }]);
});

test("the largest weight of all heads comes first", () => {
  const found = looks(step("007", "0e0"), 2);
  assert.deepEqual(found.map(({ head, at }) => [head, at]), [[1, 0], [0, 1]]);
});
