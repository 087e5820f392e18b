/** Rendering of a failing test's values: arrays as tables, others as text. */

import { element } from "../dom";
import { createCommonShade, type MatrixRows, type NumberTable, renderMatrix } from "../matrix";
import { createDivergingShade } from "../shading";
import { type TestResult, toNumberTable, type ValueDisplay } from "./verdict";

const MAX_OUTLINED_SHARE = 0.4; // share of the cells with an outline; more would not help
const MAX_INLINE = 48;

/** Render a value under its name. */
export function renderValue(name: string, value: ValueDisplay): HTMLElement {
  const numbers = toNumberTable(value);
  return numbers ? renderMatrix(numbers, { caption: name, note: value.summary }) : renderText(name, value);
}

/** Render the expected value beside the actual one: as tables with their difference, or as text. */
export function renderComparison(test: TestResult, caption = "Yours"): HTMLElement | null {
  const { expected, got } = test;
  if (!expected && !got) return null;
  const container = element("div", { class: "comparison" });
  const [left, right] = [toNumberTable(expected), toNumberTable(got)];
  if (expected && got && left && right) {
    container.append(...renderTables(expected, got, left, right, test.worst ?? null, caption));
  } else if (expected && got && expected.summary === "printed text") {
    container.append(renderPrinted("Expected", expected, null), renderPrinted(caption, got, expected));
  } else {
    if (expected && left) container.append(renderTable("Expected", expected, left));
    else if (expected) container.append(renderValue("Expected", expected));
    if (got) container.append(renderValue(caption, got));
  }
  return container;
}

function renderTable(caption: string, value: ValueDisplay, numbers: NumberTable): HTMLElement {
  const shade = numbers.areIntegers ? {} : { shade: createCommonShade(numbers.rows) };
  return renderMatrix(numbers, { caption, note: value.summary, ...shade });
}

function renderTables(
  expected: ValueDisplay,
  got: ValueDisplay,
  left: NumberTable,
  right: NumberTable,
  worst: readonly number[] | null,
  caption: string,
): Node[] {
  const isShaded = !(left.areIntegers && right.areIntegers);
  const shade = isShaded ? { shade: createCommonShade(left.rows, right.rows) } : {};
  const marks = chooseOutline(left.rows, right.rows, worst);
  const expectedTable = renderMatrix(left, { caption: "Expected", note: expected.summary, ...shade });
  const gotTable = renderMatrix(right, { caption, note: got.summary, ...shade, ...marks });
  const difference = subtractTables(left, right);
  const differenceTable = difference && renderMatrix(difference, {
    caption: `${caption} − expected`,
    shade: createDivergingShade(difference.rows.flat().map(Number)),
    ...marks,
  });
  const note = marks && element("p", { class: "quiet" }, marks.explanation);
  return [expectedTable, gotTable, differenceTable, note].filter((each) => each !== null);
}

/** Return the difference of two tables; null if the shapes differ, or for truth values. */
function subtractTables(left: NumberTable, right: NumberTable): NumberTable | null {
  if (!haveSameShape(left.rows, right.rows)) return null;
  if ([left, right].some(({ rows }) => typeof rows[0]?.[0] === "boolean")) return null;
  const rows = right.rows.map((row, index) =>
    row.map((value, column) => subtract(Number(value), numberAt(left.rows, index, column))),
  );
  return { rows, isVector: left.isVector, areIntegers: left.areIntegers && right.areIntegers };
}

/** Subtract two numbers; equal infinities and two NaNs have difference 0. */
function subtract(got: number, expected: number): number {
  return Object.is(got, expected) ? 0 : got - expected;
}

interface Outline {
  readonly isOutlined: (row: number, column: number) => boolean;
  readonly outlineMeaning: string;
  readonly explanation: string;
}

/** Choose the cells to outline: those that differ, or the worst of them if there are many. */
function chooseOutline(left: MatrixRows, right: MatrixRows, worst: readonly number[] | null): Outline | null {
  if (!haveSameShape(left, right)) return null;
  const differs = (row: number, column: number): boolean =>
    !isClose(numberAt(right, row, column), numberAt(left, row, column));
  const places = right.flatMap((row, index) => row.map((_, column) => [index, column] as const));
  const different = places.filter(([row, column]) => differs(row, column));
  if (different.length <= Math.max(1, MAX_OUTLINED_SHARE * places.length)) {
    return { isOutlined: differs, outlineMeaning: "differs", explanation: "What differs is outlined." };
  }
  const [worstRow, worstColumn] = cellOfIndex(worst) ?? furthestCell(left, right, different);
  return {
    isOutlined: (row, column) => row === worstRow && column === worstColumn,
    outlineMeaning: "furthest off",
    explanation: "Many values differ; the one that is furthest off is outlined.",
  };
}

type TableCell = readonly [row: number, column: number];

/** Return the cell of an index; the index of an array with one axis is a column. */
function cellOfIndex(index: readonly number[] | null): TableCell | null {
  const [first, second] = index ?? [];
  if (first === undefined) return null;
  return second === undefined ? [0, first] : [first, second];
}

function furthestCell(left: MatrixRows, right: MatrixRows, places: readonly TableCell[]): TableCell {
  const distance = ([row, column]: TableCell): number => {
    const off = Math.abs(numberAt(right, row, column) - numberAt(left, row, column));
    return Number.isNaN(off) ? Infinity : off;
  };
  return places.reduce((worst, each) => (distance(each) > distance(worst) ? each : worst));
}

function numberAt(rows: MatrixRows, row: number, column: number): number {
  return Number(rows[row]?.[column]);
}

function haveSameShape(left: MatrixRows, right: MatrixRows): boolean {
  return left.length === right.length && left[0]?.length === right[0]?.length;
}

/** Compare as `numpy.isclose` does by default, but with NaN equal to itself. */
function isClose(got: number, expected: number): boolean {
  if (Object.is(got, expected) || got === expected) return true;
  return Math.abs(got - expected) <= 1e-8 + 1e-5 * Math.abs(expected);
}

function renderText(name: string, value: ValueDisplay): HTMLElement {
  if (value.text.length <= MAX_INLINE && !value.text.includes("\n")) {
    const code = element("code", {}, value.text || "(nothing)");
    return element("p", { class: "value" }, element("b", {}, name), " ", code);
  }
  return renderBlock(name, value.summary, value.text);
}

/** Render printed lines; those that differ from the other text's are highlighted. */
function renderPrinted(name: string, value: ValueDisplay, other: ValueDisplay | null): HTMLElement {
  const otherLines = other?.text.split("\n");
  const lines = value.text.split("\n").map((line, index) => {
    const text = index ? `\n${line}` : line;
    return otherLines && otherLines[index]?.trimEnd() !== line.trimEnd() ? element("mark", {}, text) : text;
  });
  return renderBlock(name, value.text ? "" : "nothing", ...lines);
}

function renderBlock(name: string, note: string, ...content: (Node | string)[]): HTMLElement {
  return element(
    "figure",
    { class: "value" },
    element("figcaption", { class: "value-label" }, element("b", {}, name), ` ${note}`),
    renderTextBox(...content),
  );
}

/** Render printed text in a box that scrolls by itself. */
export function renderTextBox(...content: (Node | string)[]): HTMLElement {
  return element("pre", { class: "code", tabindex: 0 }, element("code", {}, ...content));
}
