// The search, by the table of cases that tests/sitegen/test_search.py reads too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { correctQuery, rankPages, splitWords } from "../src/search/ranking";
import cases from "./search.json";

for (const [text, expected] of cases.words) {
  test(`the words of ${JSON.stringify(text)}`, () => assert.deepEqual(splitWords(text), expected));
}

for (const [query, expected] of cases.queries) {
  test(`what ${JSON.stringify(query)} finds, best first`, () => {
    assert.deepEqual(rankPages(cases.index, query).map(({ path }) => path), expected);
  });
}

test("a hit says what it is", () => {
  const [hit] = rankPages(cases.index, "dot");
  assert.equal(hit.title, "Measure with dot products");
  assert.equal(hit.note, "Exercise 2");
});

for (const [slip, meant] of [
  ["scroe", "score"],
  ["scorre", "score"],
  ["prodct", "product"],
  ["dot prodict", "dot product"],
  ["score", undefined],
  ["dto", undefined],
  ["score zebra", undefined],
]) {
  test(`${JSON.stringify(slip)} may mean ${JSON.stringify(meant)}`, () => {
    assert.equal(correctQuery(cases.index, slip), meant);
  });
}
