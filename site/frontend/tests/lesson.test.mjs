// The cells, matrices, heatmap sentences and questions of a lesson.
import assert from "node:assert/strict";
import test from "node:test";
import { describeHeatmapRow } from "../src/heatmap-sentences.ts";
import { layOutMatrix } from "../src/lesson/figures.ts";
import { Notebook } from "../src/lesson/notebook.ts";
import { parseNumbers } from "../src/lesson/question.ts";
import figures from "./figures.json";

for (const { name, shown, layout } of figures) {
  test(`laid out as the builder does: ${name}`, () => {
    const cells = layout.cells.map((row) => row.map(([text, shade]) => ({ text, shade })));
    assert.deepEqual(layOutMatrix(shown), { ...layout, cells });
  });
}

const BUILT = ["a = 1", "b = a", "print(b)"];

/** Run cells as a page does, in this order. */
function ran(...cells) {
  const notebook = new Notebook(BUILT);
  cells.forEach((at) => notebook.recordRun(at));
  return notebook;
}

function staleness(notebook) {
  return BUILT.map((_, at) => notebook.staleness(at));
}

test("what the page was built with is up to date", () => {
  assert.deepEqual(staleness(new Notebook(BUILT)), ["", "", ""]);
});

test("a change makes its own output stale, and those below", () => {
  const notebook = new Notebook(BUILT);
  notebook.edit(1, "b = 2");
  assert.deepEqual(staleness(notebook), ["", "edited", "above"]);
  assert.deepEqual([0, 1, 2].map((at) => notebook.isEdited(at)), [false, true, false]);
  notebook.edit(1, "b = a");
  assert.deepEqual(staleness(notebook), ["", "", ""]);
});

test("a cell brings with it what has not run above it, once", () => {
  assert.deepEqual(new Notebook(BUILT).cellsToRun(2), [0, 1, 2]);
  assert.deepEqual(ran(0, 1).cellsToRun(2), [2]);
  assert.deepEqual(ran(0, 1, 2).cellsToRun(1), [1]);
});

test("a new Python has run nothing", () => {
  const notebook = ran(0, 1, 2);
  notebook.forgetRuns();
  assert.deepEqual(notebook.cellsToRun(2), [0, 1, 2]);
  assert.deepEqual(staleness(notebook), ["", "", ""]);
});

test("a cell that ran again is up to date, and those below are not until they run", () => {
  const notebook = ran(0, 1, 2);
  notebook.edit(0, "a = 5");
  assert.equal(notebook.isOutOfStep(2), true);
  notebook.recordRun(0);
  assert.deepEqual(staleness(notebook), ["", "above", "above"]);
  assert.equal(notebook.isOutOfStep(1), false);
  notebook.recordRun(1);
  assert.deepEqual(staleness(notebook), ["", "", "above"]);
  notebook.recordRun(2);
  assert.deepEqual(staleness(notebook), ["", "", ""]);
});

test("what ran past a cell that is out of step stays stale until all above ran", () => {
  const notebook = ran(0, 1, 2);
  notebook.edit(0, "a = 5");
  notebook.recordRun(2);
  assert.equal(notebook.staleness(2), "above");
  notebook.forgetRuns();
  notebook.cellsThrough(2).forEach((at) => notebook.recordRun(at));
  assert.deepEqual(staleness(notebook), ["", "", ""]);
  assert.equal(notebook.isOutOfStep(2), false);
});

test("a reset brings the built output back", () => {
  const notebook = ran(0, 1, 2);
  notebook.edit(1, "b = 7");
  notebook.recordRun(1);
  notebook.reset(1);
  assert.equal(notebook.code(1), "b = a");
  assert.deepEqual(staleness(notebook), ["", "", ""]);
  assert.equal(notebook.isOutOfStep(2), true); // Python still has b = 7
});

const WORDS = ["the", "cat", "sat", "the"];

/** The sentence for the row of these texts; words at both sides unless said otherwise. */
function said(texts, { at = 1, isShares = true, labels = WORDS, columns = WORDS } = {}) {
  return describeHeatmapRow({ index: at, texts: texts.split(" "), columns, labels, isShares });
}

test("a row of weights says what it looks at, the largest first", () => {
  assert.equal(said("0.10 0.30 0.44 0.16"), "“cat” looks most at “sat” (44%) and itself (30%).");
  assert.equal(said("0 1.00 0 0"), "“cat” looks only at itself.");
  assert.equal(said("0.35 0.05 0.26 0.34"), "“cat” looks most at the first “the” (35%), the second “the” (34%) and “sat” (26%).");
  assert.equal(said("0.25 0.25 0.25 0.25"), "“cat” looks at all 4 alike, 25% each.");
  assert.equal(said("0.70 0.10 0.10 0.10", { at: 3 }), "The second “the” looks most at the first “the” (70%).");
});

test("weights on other things, and on mere numbers, are put there", () => {
  const columns = ["x", "y"];
  assert.equal(said("0.90 0.10", { labels: ["T = 1", "T = 2"], columns }), "“T = 2” puts most on “x” (90%).");
  assert.equal(said("0.90 0.10", { labels: ["0", "1"], columns: ["0", "1"] }), "Row 1 puts most on column 0 (90%).");
  assert.equal(said("1.00 0", { labels: ["0", "1"], columns: ["0", "1"] }), "Row 1 puts everything on column 0.");
  assert.equal(said("0.50 0.50", { labels: ["0", "1"], columns: ["0", "1"] }), "Row 1 treats both alike, 50% each.");
});

test("a row of other numbers says where they are largest and smallest", () => {
  const isShares = false;
  assert.equal(
    said("2.31 −1.20 0 0.50", { isShares, columns: ["a", "b", "c", "d"] }),
    "“cat”: largest at “a” (2.31), smallest at “b” (−1.20).",
  );
  assert.equal(said("0 0 −∞ −∞", { isShares }), "“cat”: 2 are 0, 2 are −∞.");
  assert.equal(said("1.50 nan 0 ∞", { isShares }), "“cat”: largest at the first “the” (1.50), smallest at “sat” (0); 1 is nan, 1 is ∞.");
  assert.equal(said("0 0 0 0", { isShares }), "“cat”: all are 0.");
  assert.equal(said("nan nan nan nan", { isShares }), "“cat”: all are nan.");
  assert.equal(said("0.5", { isShares, labels: ["a", "b"], columns: ["x"] }), "“b”: 0.5 at “x”.");
});

for (const text of ["2", "2.0", "2,0", " 8/4", "8 / 4", "+2", "2.", "2e0", "1,0/0,5", "-4/-2"]) {
  test(`a number may be written like ${text}`, () => assert.deepEqual(parseNumbers(text), [2]));
}

test("a comma may stand between thousands", () => {
  assert.deepEqual(parseNumbers("65,536"), [65.536, 65536]);
  assert.deepEqual(parseNumbers("1,048,576"), [1048576]);
  assert.deepEqual(parseNumbers("−0,5"), [-0.5]);
});

for (const text of ["", "two", "1/2/3", "8/0", "1.2.3", "/", "0x10"]) {
  test(`no number: "${text}"`, () => assert.deepEqual(parseNumbers(text), []));
}
