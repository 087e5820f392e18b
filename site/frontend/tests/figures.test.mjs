// The numbers and sentences of the figures, compared with the builder's; tests/sitegen has the other half.
import assert from "node:assert/strict";
import test from "node:test";
import { attentionWeights, isKnownWord, softmax } from "../src/figures/attention.ts";
import { arrowProduct, describeArrows } from "../src/figures/arrows-model.ts";
import { describeRow } from "../src/figures/explorer-sentences.ts";
import { changeScores, describeShares } from "../src/figures/shares-model.ts";
import { computeMeasures, decodeScores, describeMeasures, histogramHeights } from "../src/figures/curves-model.ts";
import * as positionsModel from "../src/figures/positions-model.ts";
import attention from "./attention.json";
import { computeHeadArrays } from "../src/figures/head-arrays.ts";
import curves from "./curves.json";

for (const { words, head, settings, known, weights, said } of attention.cases) {
  test(`attention as NumPy computes it: ${words.join(" ")}`, () => {
    const actual = attentionWeights(attention.toy, words, head, settings);
    actual.forEach((row, at) => row.forEach((weight, to) => assert.ok(Math.abs(weight - weights[at][to]) < 1e-6)));
    assert.deepEqual(actual.map((row, at) => describeRow(words, row, at, settings.mask)), said);
    assert.deepEqual(words.map((word) => isKnownWord(attention.toy, word)), known);
  });
}

for (const { setting, measures, weights, bars, said } of curves.cases) {
  test(`scores and their softmax as NumPy computes them: ${JSON.stringify(setting)}`, () => {
    const actual = computeMeasures(decodeScores(curves.scores), setting);
    const near = (value, expected, by = 1e-6) => assert.ok(Math.abs(value - expected) <= by, `${value} ${expected}`);
    [actual.spread, actual.peak, actual.slope].forEach((value, at) => near(value, measures[at]));
    actual.weights[5].forEach((weight, at) => near(weight, weights[at]));
    histogramHeights(actual.scores).forEach((bar, at) => near(bar, bars[at], 0.06));
    assert.equal(describeMeasures(actual), said);
  });
}

for (const { position, products, said } of curves.positions) {
  test(`products of position ${position} as NumPy computes them`, () => {
    const actual = positionsModel.dotProducts(position);
    actual.forEach((product, at) => assert.ok(Math.abs(product - products[at]) < 1e-6));
    assert.equal(positionsModel.describePosition(position, actual), said);
  });
}

const HEAD = {
  X: [[0.1, 0, 0, 0.2, 0.7], [0.9, 1, 0, 1, 0], [1, 0.5, 0.5, 0, 0]],
  W_Q: [[4, 0], [0, 0], [0, 0], [0, 0], [0, 4]],
  W_K: [[0, 1], [0, 0], [0, 0], [1, 0], [0, 0]],
  W_V: [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0]],
};

test("the reader's own head has the sums of the lesson's", () => {
  const { S, masked, A, O } = computeHeadArrays(HEAD, true);
  assert.equal(S.sum(2, 1), "4.00 · 1.00 = 4.00; the other terms are 0");
  assert.equal(S.sum(0, 0), "0.40 · 0.20 + 2.80 · 0.10 = 0.36");
  assert.match(masked.sum(0, 1), /^2\.06 \+ \(−∞\) = −∞$/);
  assert.deepEqual(A.values[0], [1, 0, 0]);
  for (const row of A.values) assert.ok(Math.abs(row.reduce((sum, share) => sum + share) - 1) < 1e-12);
  assert.deepEqual(O.values[0], [0.1, 0]);
  assert.ok(computeHeadArrays(HEAD, false).A.values[0].every((share) => share > 0));
});

test("matrices that make no head are not shown", () => {
  assert.equal(computeHeadArrays({ ...HEAD, W_K: null }, true), null);
  assert.equal(computeHeadArrays({ ...HEAD, W_K: [[1, 2]] }, true), null);
  assert.equal(computeHeadArrays({ ...HEAD, W_K: HEAD.X }, true), null);
});

test("scores are named by what one more makes of a share", () => {
  const bars = (...scores) => softmax(scores).map((share, at) => ({ name: "abc"[at], score: scores[at], share }));
  const said = (scores, change = null) => describeShares(bars(...scores), change).join("");
  assert.equal(said([2, 1, -1]), "“a” is 1.00 above “b”, so its share is 2.7 times as large.");
  assert.equal(said([0, 3, 3]), "“b” and “c” have the same score, so each gets 48.8%.");
  assert.equal(said([1, 1], "plus"), "All scores moved alike, so no share changed. All scores are equal, so each share is 50.0%.");
  assert.deepEqual(changeScores([2, -1], 0, 2), [4, -2]);
  assert.equal(changeScores([6, 0], 1, 1), null);
});

test("two arrows have the product of their lengths and the cosine between them", () => {
  assert.equal(arrowProduct(0, 90, 1.5), 0);
  assert.equal(arrowProduct(170, -170, 1).toFixed(4), (2 * Math.cos(Math.PI / 9)).toFixed(4));
  assert.equal(describeArrows(0, 180, 1).join(""), "180 degrees apart: 2 · 1.00 · cos 180° = −2.00. Opposite directions: no other gives less.");
  assert.match(describeArrows(45, -45, 1).join(""), /^90 degrees apart.* = 0\.00\. At a right angle/);
});
