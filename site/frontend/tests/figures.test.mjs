// The figures of lessons: the numbers and sentences that the builder gives too; tests/sitegen has the other half.
import assert from "node:assert/strict";
import test from "node:test";
import { attentionWeights, isKnown } from "../src/figures/attention.ts";
import { describeRow } from "../src/figures/explorer-words.ts";
import attention from "./attention.json";

for (const { words, head, settings, known, weights, said } of attention.cases) {
  test(`attention as NumPy computes it: ${words.join(" ")}`, () => {
    const found = attentionWeights(attention.toy, words, head, settings);
    found.forEach((row, at) => row.forEach((weight, to) => assert.ok(Math.abs(weight - weights[at][to]) < 1e-6)));
    assert.deepEqual(found.map((row, at) => describeRow(words, row, at, settings.mask)), said);
    assert.deepEqual(words.map((word) => isKnown(attention.toy, word)), known);
  });
}
