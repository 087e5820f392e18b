/** What a row of a heatmap says, in a sentence. */

export interface Row {
  readonly at: number; // which of them
  readonly texts: readonly string[]; // as the cells show them
  readonly columns: readonly string[];
  readonly labels: readonly string[]; // of all rows
  readonly isShares: boolean; // whether each row divides up 1, as attention weights do
}

interface Entry {
  readonly name: string;
  readonly text: string;
  readonly value: number;
}

const MOST = 3; // as many shares as a sentence can carry
const ALIKE = 0.005;
const LOOKS = { all: "looks at", only: "looks only at", most: "looks most at" };
const PUTS = { all: "treats", only: "puts everything on", most: "puts most on" };
const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

export function explain(row: Row): string {
  const entries = row.texts.map((text, at) => ({ name: columnName(row, at), text, value: valueOf(text) }));
  const finite = entries.filter(({ value }) => Number.isFinite(value));
  return `${capitalized(row.isShares ? shares(row, finite) : extremes(row, entries, finite))}.`;
}

function shares(row: Row, entries: readonly Entry[]): string {
  const sorted = [...entries].sort((a, b) => b.value - a.value);
  const [largest = 0, smallest = 0] = [sorted[0]?.value, sorted.at(-1)?.value];
  const verbs = looksAtItsOwn(row) ? LOOKS : PUTS;
  const subject = rowName(row);
  if (entries.length > 1 && largest - smallest < ALIKE) {
    const all = entries.length === 2 ? "both" : `all ${entries.length}`;
    return `${subject} ${verbs.all} ${all} alike, ${percent(largest)} each`;
  }
  if (largest > 1 - ALIKE) return `${subject} ${verbs.only} ${sorted[0]?.name}`;
  const most = sorted.filter(({ value }) => value >= largest / 2).slice(0, MOST);
  const named = most.map(({ name, value }) => `${name} (${percent(value)})`);
  return `${subject} ${verbs.most} ${listed(named)}`;
}

function extremes(row: Row, entries: readonly Entry[], finite: readonly Entry[]): string {
  const sorted = [...finite].sort((a, b) => b.value - a.value);
  const [largest, smallest] = [sorted[0], sorted.at(-1)];
  const subject = rowName(row);
  if (entries.length === 1) return `${subject}: ${entries[0]?.text} at ${entries[0]?.name}`;
  if (!largest || !smallest || largest.value === smallest.value) return `${subject}: ${counted(entries)}`;
  const ends = `largest at ${largest.name} (${largest.text}), smallest at ${smallest.name} (${smallest.text})`;
  const others = entries.filter((entry) => !finite.includes(entry));
  return [`${subject}: ${ends}`, ...(others.length > 0 ? [counted(others)] : [])].join("; ");
}

/** `2 are 0, 1 is nan`. */
function counted(entries: readonly Entry[]): string {
  const texts = entries.map(({ text }) => text);
  const kinds = [...new Set(texts)].map((kind) => {
    const number = texts.filter((text) => text === kind).length;
    return `${number === texts.length ? "all" : number} ${number === 1 ? "is" : "are"} ${kind}`;
  });
  return kinds.join(", ");
}

function looksAtItsOwn({ labels, columns }: Row): boolean {
  return labels.join("\n") === columns.join("\n") && !areNumbers(labels);
}

function rowName(row: Row): string {
  return areNumbers(row.labels) ? `row ${row.at}` : named(row.labels, row.at);
}

function columnName(row: Row, at: number): string {
  if (areNumbers(row.columns)) return `column ${row.columns[at] ?? at}`;
  if (looksAtItsOwn(row) && at === row.at) return "itself";
  return named(row.columns, at);
}

/** A label in quotes; one that stands there more than once says which it is. */
function named(labels: readonly string[], at: number): string {
  const label = labels[at] ?? "";
  const before = labels.slice(0, at).filter((each) => each === label).length;
  const isOnly = labels.filter((each) => each === label).length === 1;
  return isOnly ? `“${label}”` : `the ${ORDINALS[before] ?? `${before + 1}th`} “${label}”`;
}

/** Whether labels are mere numbers of rows or columns. */
function areNumbers(labels: readonly string[]): boolean {
  return labels.every((label, at) => label === String(at));
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function valueOf(text: string): number {
  const plain = text.replaceAll("−", "-");
  return plain.endsWith("∞") ? Number(plain.replace("∞", "Infinity")) : Number(plain);
}
