/** The values behind a failure: an array as a table, anything else as text. */

import { element } from "../dom";
import { commonShade, matrix, type Numbers, type Rows } from "../matrix";
import { diverging } from "../shading";
import { numbersOf, type ShownValue, type TestResult } from "./verdict";

const MANY = 0.4; // of the cells: outlining more of them would point nowhere
const LONGEST_INLINE = 48;

/** One value under its name. */
export function named(name: string, value: ShownValue): HTMLElement {
  const numbers = numbersOf(value);
  return numbers ? matrix(numbers, { caption: name, note: value.summary }) : text(name, value);
}

/** What was expected beside what came, under the name `of`: as tables with their difference, or as text. */
export function comparison(test: TestResult, of = "Yours"): HTMLElement | null {
  const { expected, got } = test;
  if (!expected && !got) return null;
  const made = element("div", { class: "comparison" });
  const [left, right] = [numbersOf(expected), numbersOf(got)];
  if (expected && got && left && right) {
    made.append(...tables(expected, got, left, right, test.worst ?? null, of));
  } else if (expected && got && isPrinted(expected)) {
    made.append(printed("Expected", expected, null), printed(of, got, expected));
  } else {
    if (expected && left) made.append(table("Expected", expected, left));
    else if (expected) made.append(named("Expected", expected));
    if (got) made.append(named(of, got));
  }
  return made;
}

function table(caption: string, value: ShownValue, numbers: Numbers): HTMLElement {
  const shade = numbers.isWhole ? {} : { shade: commonShade(numbers.rows) };
  return matrix(numbers, { caption, note: value.summary, ...shade });
}

function tables(
  expected: ShownValue,
  got: ShownValue,
  left: Numbers,
  right: Numbers,
  worst: readonly number[] | null,
  of: string,
): Node[] {
  const isShaded = !(left.isWhole && right.isWhole);
  const shade = isShaded ? { shade: commonShade(left.rows, right.rows) } : {};
  const marks = outline(left.rows, right.rows, worst);
  const before = matrix(left, { caption: "Expected", note: expected.summary, ...shade });
  const after = matrix(right, { caption: of, note: got.summary, ...shade, ...marks });
  const off = difference(left, right);
  const between = off && matrix(off, { ...differenceLook(off, of), ...marks });
  const said = marks && element("p", { class: "quiet" }, marks.explained);
  return [before, after, between, said].filter((each) => each !== null);
}

function differenceLook(off: Numbers, of: string): { caption: string; shade: (value: number) => string } {
  return { caption: `${of} − expected`, shade: diverging(off.rows.flat().map(Number)) };
}

/** Nothing where the two have different shapes, or hold truth values. */
function difference(left: Numbers, right: Numbers): Numbers | null {
  if (!sameShape(left.rows, right.rows)) return null;
  if ([left, right].some(({ rows }) => typeof rows[0]?.[0] === "boolean")) return null;
  const rows = right.rows.map((row, at) =>
    row.map((value, column) => minus(Number(value), numberAt(left.rows, at, column))),
  );
  return { rows, isVector: left.isVector, isWhole: left.isWhole && right.isWhole };
}

/** Equal infinities do not differ, and neither do two values that are no number. */
function minus(got: number, expected: number): number {
  return Object.is(got, expected) ? 0 : got - expected;
}

interface Outline {
  readonly marked: (row: number, column: number) => boolean;
  readonly mark: string;
  readonly explained: string;
}

/** Which cells get an outline: those that differ, or the worst of them where there are many. */
function outline(left: Rows, right: Rows, worst: readonly number[] | null): Outline | null {
  if (!sameShape(left, right)) return null;
  const differs = (row: number, column: number): boolean =>
    !isClose(numberAt(right, row, column), numberAt(left, row, column));
  const places = right.flatMap((row, at) => row.map((_, column) => [at, column] as const));
  const different = places.filter(([row, column]) => differs(row, column));
  if (different.length <= Math.max(1, MANY * places.length)) {
    return { marked: differs, mark: "differs", explained: "What differs is outlined." };
  }
  const [worstRow, worstColumn] = placeOf(worst) ?? furthest(left, right, different);
  return {
    marked: (row, column) => row === worstRow && column === worstColumn,
    mark: "furthest off",
    explained: "Many values differ; the one that is furthest off is outlined.",
  };
}

type Place = readonly [row: number, column: number];

/** The index of an array with one axis is that of a column. */
function placeOf(index: readonly number[] | null): Place | null {
  const [first, second] = index ?? [];
  if (first === undefined) return null;
  return second === undefined ? [0, first] : [first, second];
}

function furthest(left: Rows, right: Rows, places: readonly Place[]): Place {
  const distance = ([row, column]: Place): number => {
    const off = Math.abs(numberAt(right, row, column) - numberAt(left, row, column));
    return Number.isNaN(off) ? Infinity : off;
  };
  return places.reduce((worst, each) => (distance(each) > distance(worst) ? each : worst));
}

function numberAt(rows: Rows, row: number, column: number): number {
  return Number(rows[row]?.[column]);
}

function sameShape(left: Rows, right: Rows): boolean {
  return left.length === right.length && left[0]?.length === right[0]?.length;
}

/** As `numpy.isclose` by default, with NaN equal to itself. */
function isClose(got: number, expected: number): boolean {
  if (Object.is(got, expected) || got === expected) return true;
  return Math.abs(got - expected) <= 1e-8 + 1e-5 * Math.abs(expected);
}

function isPrinted(value: ShownValue): boolean {
  return value.summary === "printed text";
}

function text(name: string, value: ShownValue): HTMLElement {
  if (value.text.length <= LONGEST_INLINE && !value.text.includes("\n")) {
    const shown = element("code", {}, value.text || "(nothing)");
    return element("p", { class: "value" }, element("b", {}, name), " ", shown);
  }
  return block(name, value.summary, value.text);
}

/** Printed lines; those that are not what the other text has in their place stand out. */
function printed(name: string, value: ShownValue, other: ShownValue | null): HTMLElement {
  const wanted = other?.text.split("\n");
  const lines = value.text.split("\n").map((line, at) => {
    const shown = at ? `\n${line}` : line;
    return wanted && wanted[at]?.trimEnd() !== line.trimEnd() ? element("mark", {}, shown) : shown;
  });
  return block(name, value.text ? "" : "nothing", ...lines);
}

function block(name: string, note: string, ...inside: (Node | string)[]): HTMLElement {
  return element(
    "figure",
    { class: "value" },
    element("figcaption", { class: "value-label" }, element("b", {}, name), ` ${note}`),
    output(...inside),
  );
}

/** Text as it was printed, in a box that scrolls by itself. */
export function output(...inside: (Node | string)[]): HTMLElement {
  return element("pre", { class: "code", tabindex: 0 }, element("code", {}, ...inside));
}
