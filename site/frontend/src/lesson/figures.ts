/** The figures of a cell that runs in the page; laid out like sitegen.cell_displays, and tested against it. */

import { element } from "../dom";
import { decimalsFor, formatNumber, parseNumber } from "../numerals";
import { createShade } from "../shading";

/** A matrix that Python sends. Numbers that JSON lacks are sent by name. */
export interface MatrixFigure {
  readonly kind: "heatmap" | "table";
  readonly title: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly values: readonly (readonly (number | "nan" | "inf" | "-inf")[])[];
}

/** A plot that Python sends. */
export interface PlotFigure {
  readonly kind: "plot";
  readonly title: string;
  readonly alt: string;
  readonly svg: string;
}

/** The texts and colour classes of a matrix; an empty class has no colour. */
export interface MatrixLayout {
  readonly title: string;
  readonly columns: readonly string[];
  readonly labels: readonly string[];
  readonly cells: readonly (readonly { readonly text: string; readonly shade: string }[])[];
  readonly explore: "shares" | "values" | ""; // how a heatmap's rows are described; empty for a table
  readonly isWide: boolean;
  readonly isDense: boolean;
}

const HEATMAP_DECIMALS = 2;
const SMALL_HEATMAP_VALUE = 0.1;
const SMALL_TABLE_VALUE = 1e-3;
const SHARES_TOLERANCE = 1e-6;
const MAX_NARROW_ROW = 26;
const MAX_SPACIOUS_COLUMNS = 12;

export function layOutMatrix(matrix: MatrixFigure): MatrixLayout {
  const rows = matrix.values.map((row) => row.map((value) => parseNumber<number>(value)));
  const isHeatmap = matrix.kind === "heatmap";
  const cells = isHeatmap ? heatmapCells(rows) : tableCells(rows);
  const columns = matrix.columns.length > 0 ? matrix.columns : indexLabels(rows[0]?.length ?? 0);
  const labels = matrix.rows.length > 0 ? matrix.rows : indexLabels(rows.length);
  return {
    title: matrix.title,
    columns,
    labels,
    cells,
    explore: !isHeatmap ? "" : rows.every(sumsToOne) ? "shares" : "values",
    isWide: rowLength(columns, labels, cells) > MAX_NARROW_ROW,
    isDense: columns.length > MAX_SPACIOUS_COLUMNS,
  };
}

export function renderFigure(data: MatrixFigure | PlotFigure): HTMLElement {
  if (data.kind === "plot") return renderPlot(data);
  const layout = layOutMatrix(data);
  const classes = ["matrix", !layout.explore && "ruled", layout.isDense && "dense"];
  const head = element("tr", {}, element("td"), ...layout.columns.map((column) => headingCell("col", column)));
  const rows = layout.cells.map((row, index) =>
    element(
      "tr",
      {},
      headingCell("row", layout.labels[index] ?? ""),
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

/** Render a plot as an image, in which no script of the SVG can run. */
function renderPlot({ title, alt, svg }: PlotFigure): HTMLElement {
  const src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  return element("figure", { class: "figure plot" }, title && element("figcaption", {}, title), element("img", { src, alt }));
}

function headingCell(scope: "row" | "col", label: string): HTMLElement {
  return element("th", { scope }, label);
}

function indexLabels(length: number): string[] {
  return Array.from({ length }, (_, index) => String(index));
}

function heatmapCells(rows: readonly number[][]): MatrixLayout["cells"] {
  const values = rows.flat();
  const shade = createShade(values);
  const text = valueFormatter(values, { most: HEATMAP_DECIMALS });
  return rows.map((row) => row.map((value) => ({ text: text(value), shade: shade(value) })));
}

/** Format a table's cells. Columns may hold different quantities, so each has its own decimals. */
function tableCells(rows: readonly number[][]): MatrixLayout["cells"] {
  const columns = (rows[0] ?? []).map((_, index) => rows.map((row) => row[index] ?? NaN));
  const text = columns.map((column) => valueFormatter(column, { small: SMALL_TABLE_VALUE }));
  return rows.map((row) => row.map((value, index) => ({ text: text[index]?.(value) ?? "", shade: "" })));
}

/** Return a function that formats each of these values; only an exact zero becomes "0". */
function valueFormatter(
  values: readonly number[],
  { most = Infinity, small = 0 }: { most?: number; small?: number },
): (value: number) => string {
  const finite = values.filter(Number.isFinite);
  if (finite.every(Number.isInteger)) return (value) => formatNumber(value, 0);
  const needed = decimalsFor(values);
  const isFaint = Math.max(...finite.map(Math.abs)) < SMALL_HEATMAP_VALUE;
  const decimals = needed === null || isFaint ? needed : Math.min(needed, most);
  return (value) => (value === 0 ? "0" : formatNumber(value, Math.abs(value) < small ? null : decimals));
}

function sumsToOne(row: readonly number[]): boolean {
  const sum = row.reduce((total, value) => total + value, 0);
  return Math.min(...row) >= 0 && Math.abs(sum - 1) <= SHARES_TOLERANCE;
}

function rowLength(
  columns: readonly string[],
  labels: readonly string[],
  cells: MatrixLayout["cells"],
): number {
  const widths = columns.map((column, index) => {
    const words = [column, ...cells.map((row) => row[index]?.text ?? "")].flatMap((text) => text.split(/\s+/));
    return Math.max(4, ...words.map(characterCount));
  });
  return Math.max(1, ...labels.map(characterCount)) - 1 + widths.reduce((sum, width) => sum + width, 0);
}

function characterCount(text: string): number {
  return [...text].length;
}
