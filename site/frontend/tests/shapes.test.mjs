// The shapes of a program's lines: as notes in the editor, and as sentences.
import assert from "node:assert/strict";
import test from "node:test";
import { shapeSentence, toLineNotes } from "../src/solve/shapes.ts";

const shape = (line, name, kind, lengths, is_off_track = false) => ({ line, name, kind, lengths, is_off_track });

test("a line has one note, whatever it makes", () => {
  const shapes = [shape(4, "Q", "float64", [3, 2]), shape(4, "n", "int", []), shape(5, "return", "list", [2], true)];
  assert.deepEqual(toLineNotes(shapes), [
    { line: 4, text: "Q (3, 2) float64, n int", isWrong: false },
    { line: 5, text: "→ list of 2", isWrong: true },
  ]);
  assert.equal(toLineNotes([shape(1, "x", "bool", [3])])[0].text, "x (3,) bool");
});

test("it is spoken in words", () => {
  assert.equal(shapeSentence(shape(4, "scores", "float64", [3, 5])), "line 4: scores, 3 by 5, float64");
  assert.equal(shapeSentence(shape(4, "d", "int", [], true)), "line 4: d, int; no right program has this value");
});
