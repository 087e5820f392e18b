/** Sentences that describe a row of a heatmap. */

import { formatPercent, joinNames } from "./text";

export interface HeatmapRow {
  readonly index: number; // the row's index
  readonly texts: readonly string[]; // the cells' texts
  readonly columns: readonly string[];
  readonly labels: readonly string[]; // the labels of all rows
  readonly isShares: boolean; // whether each row sums to 1, as attention weights do
}

interface Entry {
  readonly name: string;
  readonly text: string;
  readonly value: number;
}

const MAX_NAMED_SHARES = 3; // more would make the sentence too long
const EQUAL_SHARES = 0.005;
const ATTENTION_VERBS = { all: "looks at", only: "looks only at", most: "looks most at" };
const SHARE_VERBS = { all: "treats", only: "puts everything on", most: "puts most on" };
const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

export function describeHeatmapRow(row: HeatmapRow): string {
  const entries = row.texts.map((text, index) => ({ name: columnName(row, index), text, value: parseCell(text) }));
  const finite = entries.filter(({ value }) => Number.isFinite(value));
  return `${capitalize(row.isShares ? describeShareRow(row, finite) : describeValueRow(row, entries, finite))}.`;
}

function describeShareRow(row: HeatmapRow, entries: readonly Entry[]): string {
  const sorted = [...entries].sort((a, b) => b.value - a.value);
  const [largest = 0, smallest = 0] = [sorted[0]?.value, sorted.at(-1)?.value];
  const verbs = isSelfAttention(row) ? ATTENTION_VERBS : SHARE_VERBS;
  const subject = rowName(row);
  if (entries.length > 1 && largest - smallest < EQUAL_SHARES) {
    const all = entries.length === 2 ? "both" : `all ${entries.length}`;
    return `${subject} ${verbs.all} ${all} alike, ${formatPercent(largest)} each`;
  }
  if (largest > 1 - EQUAL_SHARES) return `${subject} ${verbs.only} ${sorted[0]?.name}`;
  const largestEntries = sorted.filter(({ value }) => value >= largest / 2).slice(0, MAX_NAMED_SHARES);
  const names = largestEntries.map(({ name, value }) => `${name} (${formatPercent(value)})`);
  return `${subject} ${verbs.most} ${joinNames(names)}`;
}

function describeValueRow(row: HeatmapRow, entries: readonly Entry[], finite: readonly Entry[]): string {
  const sorted = [...finite].sort((a, b) => b.value - a.value);
  const [largest, smallest] = [sorted[0], sorted.at(-1)];
  const subject = rowName(row);
  if (entries.length === 1) return `${subject}: ${entries[0]?.text} at ${entries[0]?.name}`;
  if (!largest || !smallest || largest.value === smallest.value) return `${subject}: ${countTexts(entries)}`;
  const ends = `largest at ${largest.name} (${largest.text}), smallest at ${smallest.name} (${smallest.text})`;
  const others = entries.filter((entry) => !finite.includes(entry));
  return [`${subject}: ${ends}`, ...(others.length > 0 ? [countTexts(others)] : [])].join("; ");
}

/** Count equal texts: `2 are 0, 1 is nan`. */
function countTexts(entries: readonly Entry[]): string {
  const texts = entries.map(({ text }) => text);
  const kinds = [...new Set(texts)].map((kind) => {
    const number = texts.filter((text) => text === kind).length;
    return `${number === texts.length ? "all" : number} ${number === 1 ? "is" : "are"} ${kind}`;
  });
  return kinds.join(", ");
}

function isSelfAttention({ labels, columns }: HeatmapRow): boolean {
  return labels.join("\n") === columns.join("\n") && !areIndices(labels);
}

function rowName(row: HeatmapRow): string {
  return areIndices(row.labels) ? `row ${row.index}` : quoteLabel(row.labels, row.index);
}

function columnName(row: HeatmapRow, index: number): string {
  if (areIndices(row.columns)) return `column ${row.columns[index] ?? index}`;
  if (isSelfAttention(row) && index === row.index) return "itself";
  return quoteLabel(row.columns, index);
}

/** Quote a label; if several are equal, say which of them it is. */
function quoteLabel(labels: readonly string[], index: number): string {
  const label = labels[index] ?? "";
  const before = labels.slice(0, index).filter((each) => each === label).length;
  const isOnly = labels.filter((each) => each === label).length === 1;
  return isOnly ? `“${label}”` : `the ${ORDINALS[before] ?? `${before + 1}th`} “${label}”`;
}

/** Return whether the labels are only the indices of rows or columns. */
function areIndices(labels: readonly string[]): boolean {
  return labels.every((label, index) => label === String(index));
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function parseCell(text: string): number {
  const plain = text.replaceAll("−", "-");
  return plain.endsWith("∞") ? Number(plain.replace("∞", "Infinity")) : Number(plain);
}
