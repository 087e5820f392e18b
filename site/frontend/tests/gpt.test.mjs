// The attention links and the sentences of the small GPT.
import assert from "node:assert/strict";
import test from "node:test";
import { attentionLinks, draftSentence, SWITCH_SENTENCES } from "../src/gpt/generation-step.ts";

const step = (...heads) => ({ letter: "x", choices: [], heads });

test("the first digit is the start of the text, which is no letter of it", () => {
  assert.deepEqual(attentionLinks(step("z00"), 2), []);
  assert.deepEqual(attentionLinks(step("0z0"), 2), [{ head: 0, index: 0, weight: 1 }]);
});

test("a model that saw only the end of the text looked at its last letters", () => {
  assert.deepEqual(attentionLinks(step("0z"), 50), [{ head: 0, index: 49, weight: 1 }]);
});

test("the largest weight of all heads comes first", () => {
  const actual = attentionLinks(step("007", "0e0"), 2);
  assert.deepEqual(actual.map(({ head, index }) => [head, index]), [[1, 0], [0, 1]]);
});

test("what switches bring is a sentence, and drafts are counted once there are some", () => {
  assert.equal(SWITCH_SENTENCES["key-value-cache"]([1234.5, 99.6, 1e-12]), "1,235 letters a second, 100 without. The probabilities are the same.");
  assert.match(SWITCH_SENTENCES["key-value-cache"]([9, 9, 0.5]), /differ by up to 0.50\.$/);
  assert.equal(draftSentence([3, 4, 2], 5), "75% of 4 drafts accepted: 2.5 letters in a run.");
  assert.equal(draftSentence([0, 0, 7], 7), "");
});
