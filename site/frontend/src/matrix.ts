/** Numbers as a table with a heading to each row and column, in the colours of the site's heatmaps. */

import { element } from "./dom";
import { decimalsFor, isRounded, numeral, whole } from "./numerals";
import { shadeFor } from "./shading";

export type Rows = readonly (readonly (number | boolean)[])[];

export interface Numbers {
  readonly rows: Rows;
  readonly isVector: boolean; // one axis: its only row has no heading
  readonly isWhole: boolean; // integers, which are written without a decimal point
}

export interface Look {
  readonly caption: string;
  readonly note?: string; // what the numbers are: their type and shape
  readonly shade?: (value: number) => string;
  readonly marked?: (row: number, column: number) => boolean; // cells that get an outline
  readonly mark?: string; // what is said of these cells to whoever cannot see it
}

const NARROW_ROW = 26; // characters that fit a phone, headings included

/** A table of numbers under its caption, in a box that scrolls by itself. */
export function matrix(numbers: Numbers, look: Look): HTMLElement {
  const values = flat(numbers.rows);
  const decimals = decimalsFor(values);
  const rounded = !numbers.isWhole && isRounded(values, decimals);
  const text = (value: number | boolean): string => write(value, numbers.isWhole, decimals);
  const rows = numbers.rows.map((row, at) =>
    element("tr", {}, !numbers.isVector && heading("row", at), ...cells(row, at, text, look)),
  );
  const table = element("table", { class: "matrix" }, head(numbers), element("tbody", {}, ...rows));
  const note = [look.note, rounded && "rounded"].filter(Boolean).join(", ");
  return element(
    "figure",
    { class: "value" },
    element("figcaption", { class: "value-label" }, element("b", {}, look.caption), ` ${note}`),
    element("div", { class: "scroll", tabindex: isWide(numbers.rows, text) && 0 }, table),
  );
}

/** The function that shades the numbers of several tables alike, so that they can be compared. */
export function commonShade(...tables: readonly Rows[]): (value: number) => string {
  return shadeFor(tables.flatMap(flat));
}

function flat(rows: Rows): number[] {
  return rows.flat().map(Number);
}

function head({ rows, isVector }: Numbers): HTMLElement {
  const columns = (rows[0] ?? []).map((_, at) => heading("col", at));
  return element("thead", {}, element("tr", {}, !isVector && element("td"), ...columns));
}

function heading(scope: "row" | "col", index: number): HTMLElement {
  return element("th", { scope }, String(index));
}

function cells(
  row: readonly (number | boolean)[],
  at: number,
  text: (value: number | boolean) => string,
  { shade, marked, mark = "differs" }: Look,
): HTMLElement[] {
  return row.map((value, column) => {
    const isMarked = marked?.(at, column) ?? false;
    const classes = [shade?.(Number(value)), isMarked && "marked"].filter(Boolean).join(" ");
    const said = isMarked && element("span", { class: "unseen" }, ` (${mark})`);
    return element("td", { class: classes || null }, text(value), said);
  });
}

function write(value: number | boolean, isWhole: boolean, decimals: number | null): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return isWhole ? whole(value) : numeral(value, decimals);
}

function isWide(rows: Rows, text: (value: number | boolean) => string): boolean {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(4, ...rows.map((row) => text(row[column] ?? 0).length)),
  );
  return widths.reduce((sum, width) => sum + width, 0) > NARROW_ROW;
}
