/** Numbers as a table with row and column headings, in the colours of the site's heatmaps. */

import { element } from "./dom";
import { decimalsFor, formatInteger, formatNumber, isRounded } from "./numerals";
import { createShade } from "./shading";

export type MatrixRows = readonly (readonly (number | boolean)[])[];

export interface NumberTable {
  readonly rows: MatrixRows;
  readonly isVector: boolean; // it has one axis, so its only row has no heading
  readonly areIntegers: boolean; // its numbers are integers, written without a decimal point
}

export interface TableOptions {
  readonly caption: string;
  readonly note?: string; // the numbers' type and shape
  readonly shade?: (value: number) => string;
  readonly isOutlined?: (row: number, column: number) => boolean; // cells that get an outline
  readonly outlineMeaning?: string; // the outline's meaning, for screen readers
}

const MAX_NARROW_ROW = 26; // characters that fit a phone, headings included

/** Render a table of numbers under its caption, in a box that scrolls by itself. */
export function renderMatrix(numbers: NumberTable, look: TableOptions): HTMLElement {
  const values = flattenRows(numbers.rows);
  const decimals = decimalsFor(values);
  const rounded = !numbers.areIntegers && isRounded(values, decimals);
  const text = (value: number | boolean): string => formatCell(value, numbers.areIntegers, decimals);
  const rows = numbers.rows.map((row, index) =>
    element("tr", {}, !numbers.isVector && headingCell("row", index), ...renderCells(row, index, text, look)),
  );
  const table = element("table", { class: "matrix" }, renderHead(numbers), element("tbody", {}, ...rows));
  const note = [look.note, rounded && "rounded"].filter(Boolean).join(", ");
  return element(
    "figure",
    { class: "value" },
    element("figcaption", { class: "value-label" }, element("b", {}, look.caption), ` ${note}`),
    element("div", { class: "scroll", tabindex: isWide(numbers.rows, text) && 0 }, table),
  );
}

/** Return a function that shades the numbers of several tables by one scale. */
export function createCommonShade(...tables: readonly MatrixRows[]): (value: number) => string {
  return createShade(tables.flatMap(flattenRows));
}

function flattenRows(rows: MatrixRows): number[] {
  return rows.flat().map(Number);
}

function renderHead({ rows, isVector }: NumberTable): HTMLElement {
  const columns = (rows[0] ?? []).map((_, index) => headingCell("col", index));
  return element("thead", {}, element("tr", {}, !isVector && element("td"), ...columns));
}

function headingCell(scope: "row" | "col", index: number): HTMLElement {
  return element("th", { scope }, String(index));
}

function renderCells(
  row: readonly (number | boolean)[],
  index: number,
  text: (value: number | boolean) => string,
  { shade, isOutlined, outlineMeaning = "differs" }: TableOptions,
): HTMLElement[] {
  return row.map((value, column) => {
    const hasOutline = isOutlined?.(index, column) ?? false;
    const classes = [shade?.(Number(value)), hasOutline && "marked"].filter(Boolean).join(" ");
    const note = hasOutline && element("span", { class: "unseen" }, ` (${outlineMeaning})`);
    return element("td", { class: classes || null }, text(value), note);
  });
}

function formatCell(value: number | boolean, isWhole: boolean, decimals: number | null): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return isWhole ? formatInteger(value) : formatNumber(value, decimals);
}

function isWide(rows: MatrixRows, text: (value: number | boolean) => string): boolean {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(4, ...rows.map((row) => text(row[column] ?? 0).length)),
  );
  return widths.reduce((sum, width) => sum + width, 0) > MAX_NARROW_ROW;
}
