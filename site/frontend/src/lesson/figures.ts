/** The matrices that a cell shows, as sitegen.cell_displays and the templates lay them out; tested against these. */

import { element } from "../dom";
import { decimalsFor, numeral } from "../numerals";
import { shadeFor } from "../shading";

/** What Python gives of a matrix; a number that JSON does not have is its name. */
export interface Shown {
  readonly kind: "heatmap" | "table";
  readonly title: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly values: readonly (readonly (number | "nan" | "inf" | "-inf")[])[];
}

/** What Python gives of a plot. */
export interface ShownPlot {
  readonly kind: "plot";
  readonly title: string;
  readonly alt: string;
  readonly svg: string;
}

/** A matrix in words; an empty class has no colour. */
export interface Layout {
  readonly title: string;
  readonly columns: readonly string[];
  readonly labels: readonly string[];
  readonly cells: readonly (readonly { readonly text: string; readonly shade: string }[])[];
  readonly explore: "shares" | "values" | ""; // what a row is, if it is a heatmap's
  readonly isWide: boolean;
  readonly isDense: boolean;
}

const HEATMAP_DECIMALS = 2;
const FAINT = 0.1;
const SMALL = 1e-3;
const SHARES = 1e-6;
const NARROW_ROW = 26;
const MAX_SIDE = 12;

export function layOut(shown: Shown): Layout {
  const rows = shown.values.map((row) => row.map(toNumber));
  const isHeatmap = shown.kind === "heatmap";
  const cells = isHeatmap ? shaded(rows) : plain(rows);
  const columns = shown.columns.length > 0 ? shown.columns : numbered(rows[0]?.length ?? 0);
  const labels = shown.rows.length > 0 ? shown.rows : numbered(rows.length);
  return {
    title: shown.title,
    columns,
    labels,
    cells,
    explore: !isHeatmap ? "" : rows.every(isShares) ? "shares" : "values",
    isWide: longestRow(columns, labels, cells) > NARROW_ROW,
    isDense: columns.length > MAX_SIDE,
  };
}

export function figure(shown: Shown | ShownPlot): HTMLElement {
  if (shown.kind === "plot") return plot(shown);
  const layout = layOut(shown);
  const classes = ["matrix", !layout.explore && "ruled", layout.isDense && "dense"];
  const head = element("tr", {}, element("td"), ...layout.columns.map((column) => heading("col", column)));
  const rows = layout.cells.map((row, at) =>
    element(
      "tr",
      {},
      heading("row", layout.labels[at] ?? ""),
      ...row.map(({ text, shade }) => element("td", { class: shade || null }, text)),
    ),
  );
  const table = element(
    "table",
    { class: classes.filter(Boolean).join(" ") },
    element("thead", {}, head),
    element("tbody", {}, ...rows),
  );
  return element(
    "figure",
    { class: "figure", "data-explore": layout.explore || null },
    layout.title && element("figcaption", {}, layout.title),
    element("div", { class: "scroll", tabindex: layout.isWide && 0 }, table),
    layout.explore && element("p", { class: "explained" }),
  );
}

/** An image, in which nothing of the SVG can run. */
function plot({ title, alt, svg }: ShownPlot): HTMLElement {
  const src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  return element("figure", { class: "figure plot" }, title && element("figcaption", {}, title), element("img", { src, alt }));
}

function heading(scope: "row" | "col", label: string): HTMLElement {
  return element("th", { scope }, label);
}

function toNumber(value: number | string): number {
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : Number(value);
}

function numbered(length: number): string[] {
  return Array.from({ length }, (_, index) => String(index));
}

function shaded(rows: readonly number[][]): Layout["cells"] {
  const values = rows.flat();
  const shade = shadeFor(values);
  const text = texts(values, { most: HEATMAP_DECIMALS });
  return rows.map((row) => row.map((value) => ({ text: text(value), shade: shade(value) })));
}

/** Each column may be of another quantity, so each has as many decimals as it needs. */
function plain(rows: readonly number[][]): Layout["cells"] {
  const columns = (rows[0] ?? []).map((_, at) => rows.map((row) => row[at] ?? NaN));
  const text = columns.map((column) => texts(column, { small: SMALL }));
  return rows.map((row) => row.map((value, at) => ({ text: text[at]?.(value) ?? "", shade: "" })));
}

/** The function that writes each of these values; only what is exactly zero is "0". */
function texts(
  values: readonly number[],
  { most = Infinity, small = 0 }: { most?: number; small?: number },
): (value: number) => string {
  const finite = values.filter(Number.isFinite);
  if (finite.every(Number.isInteger)) return (value) => numeral(value, 0);
  const needed = decimalsFor(values);
  const isFaint = Math.max(...finite.map(Math.abs)) < FAINT;
  const decimals = needed === null || isFaint ? needed : Math.min(needed, most);
  return (value) => (value === 0 ? "0" : numeral(value, Math.abs(value) < small ? null : decimals));
}

function isShares(row: readonly number[]): boolean {
  const sum = row.reduce((total, value) => total + value, 0);
  return Math.min(...row) >= 0 && Math.abs(sum - 1) <= SHARES;
}

function longestRow(
  columns: readonly string[],
  labels: readonly string[],
  cells: Layout["cells"],
): number {
  const widths = columns.map((column, at) => {
    const words = [column, ...cells.map((row) => row[at]?.text ?? "")].flatMap((text) => text.split(/\s+/));
    return Math.max(4, ...words.map(length));
  });
  return Math.max(1, ...labels.map(length)) - 1 + widths.reduce((sum, width) => sum + width, 0);
}

function length(text: string): number {
  return [...text].length;
}
