/** Attention weights of the toy model for any sentence and setting; the twin of sitegen.teaching.toy. */

type MatrixEntry = readonly [row: number, column: number, value: number];

export interface ToyModel {
  readonly topics: number;
  readonly kinds: number;
  readonly d_k: number;
  readonly periods: readonly number[];
  readonly endings: readonly (readonly [kind: number, pattern: string])[];
  readonly words: Readonly<Record<string, readonly number[]>>; // the word's kind, then its topics
  readonly heads: readonly { readonly name: string; readonly q: readonly MatrixEntry[]; readonly k: readonly MatrixEntry[] }[];
}

export interface AttentionSettings {
  readonly mask: boolean;
  readonly scale: boolean;
  readonly temperature: number;
}

export type Matrix = readonly (readonly number[])[];

export function isKnownWord(toy: ToyModel, word: string): boolean {
  return Object.hasOwn(toy.words, normalizeWord(word));
}

/** Return the weights of one head: a row for each query, a column for each key. */
export function attentionWeights(toy: ToyModel, words: readonly string[], head: number, settings: AttentionSettings): Matrix {
  const { q, k } = toy.heads[head] ?? { q: [], k: [] };
  const rows = words.map((word, place) => wordFeatures(toy, normalizeWord(word), place));
  const queries = rows.map((row) => projectFeatures(row, q, toy.d_k));
  const keys = rows.map((row) => projectFeatures(row, k, toy.d_k));
  const divisor = settings.temperature * (settings.scale ? Math.sqrt(toy.d_k) : 1);
  return queries.map((query, index) =>
    softmax(keys.map((key, to) => (settings.mask && to > index ? -Infinity : dotProduct(query, key) / divisor))),
  );
}

export function softmax(scores: readonly number[]): number[] {
  const largest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - largest));
  const sum = exponentials.reduce((total, each) => total + each, 0);
  return exponentials.map((each) => each / sum);
}

export function dotProduct(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

function normalizeWord(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}'-]/gu, "");
}

function wordFeatures(toy: ToyModel, word: string, place: number): number[] {
  const [kind, ...topics] = (Object.hasOwn(toy.words, word) && toy.words[word]) || [guessKind(toy, word)];
  const row = Array.from({ length: toy.topics + toy.kinds }, (_, index) => topics[index] ?? 0);
  row[toy.topics + (kind ?? 0)] = 1;
  for (const period of toy.periods) {
    const angle = (2 * Math.PI * place) / period;
    row.push(Math.cos(angle), Math.sin(angle));
  }
  return row;
}

function guessKind(toy: ToyModel, word: string): number {
  return toy.endings.find(([, pattern]) => new RegExp(pattern).test(word))?.[0] ?? 0;
}

function projectFeatures(row: readonly number[], entries: readonly MatrixEntry[], columns: number): number[] {
  const projected = Array.from({ length: columns }, () => 0);
  for (const [from, into, value] of entries) projected[into] = (projected[into] ?? 0) + (row[from] ?? 0) * value;
  return projected;
}
