/** The sentences of the attention explorer; the twin of sitegen.teaching.explorer. */

import { formatPercent } from "../text";

/** A sentence in parts; every second part is emphasised. */
export type SentenceParts = readonly string[];

const EQUAL_WEIGHTS = 0.02;
const NEARLY_ALL_WEIGHT = 0.9;

export function describeRow(words: readonly string[], row: readonly number[], query: number, mask: boolean): SentenceParts {
  const queryWord = `“${words[query]}”`;
  const visibleWeights = mask ? row.slice(0, query + 1) : row;
  if (visibleWeights.length === 1) return ["", queryWord, " sees only itself: the mask hides what comes later."];
  const weight = (place: number): number => visibleWeights[place] ?? 0;
  // Weights that differ by a rounding error count as equal, and the earlier word is named first.
  const rounded = (place: number): number => Math.round(1_000_000 * weight(place));
  const order = visibleWeights.map((_, place) => place).sort((a, b) => rounded(b) - rounded(a));
  const [first = 0, second = 0] = order;
  const name = (place: number): string => (place === query ? "itself" : `“${words[place]}”`);
  if (weight(first) - Math.min(...visibleWeights) < EQUAL_WEIGHTS) {
    const which = mask ? "all words that it sees" : "all words";
    return ["", queryWord, ` looks at ${which} alike, ${formatPercent(weight(first))} each.`];
  }
  if (weight(first) >= NEARLY_ALL_WEIGHT) {
    return ["", queryWord, " looks almost only at ", name(first), ` (${formatPercent(weight(first))}).`];
  }
  const then = ` (${formatPercent(weight(first))}), then at `;
  return ["", queryWord, " looks most at ", name(first), then, name(second), ` (${formatPercent(weight(second))}).`];
}

/** Describe one cell: the weight of a query on a key. */
export function describeCell(words: readonly string[], weight: number, query: number, key: number, mask: boolean): SentenceParts {
  const [queryWord, keyWord] = [`“${words[query]}”`, `“${words[key]}”`];
  if (mask && key > query) return ["", queryWord, " does not see ", keyWord, ": the mask hides what comes later."];
  const share = `: it gets ${formatPercent(weight)} of the attention.`;
  if (query === key) return ["The query of ", queryWord, ` meets its own key${share}`];
  return ["The query of ", queryWord, " meets the key of ", keyWord, share];
}

/** Return whether the words fit in a row of columns of equal width. */
export function fitInRow(words: readonly string[]): boolean {
  return words.length * (0.6 * Math.max(...words.map((word) => word.length)) + 1) <= 37;
}
