/** What the attention explorer says; the twin of sitegen.teaching.explorer. */

/** A sentence in parts: every second one is emphasised. */
export type Parts = readonly string[];

const ALIKE = 0.02;
const NEARLY_ALL = 0.9;

export function describeRow(words: readonly string[], row: readonly number[], ask: number, mask: boolean): Parts {
  const asking = `“${words[ask]}”`;
  const seen = mask ? row.slice(0, ask + 1) : row;
  if (seen.length === 1) return ["", asking, " sees only itself: the mask hides what comes later."];
  const weight = (place: number): number => seen[place] ?? 0;
  // Weights that differ by a rounding error are equal: then the earlier word is named first.
  const rounded = (place: number): number => whole(weight(place), 1_000_000);
  const order = seen.map((_, place) => place).sort((a, b) => rounded(b) - rounded(a));
  const [first = 0, second = 0] = order;
  const name = (place: number): string => (place === ask ? "itself" : `“${words[place]}”`);
  if (weight(first) - Math.min(...seen) < ALIKE) {
    const which = mask ? "all words that it sees" : "all words";
    return ["", asking, ` looks at ${which} alike, ${percent(weight(first))} each.`];
  }
  if (weight(first) >= NEARLY_ALL) {
    return ["", asking, " looks almost only at ", name(first), ` (${percent(weight(first))}).`];
  }
  const then = ` (${percent(weight(first))}), then at `;
  return ["", asking, " looks most at ", name(first), then, name(second), ` (${percent(weight(second))}).`];
}

/** What one cell says: a query that meets a key. */
export function describeCell(words: readonly string[], weight: number, query: number, key: number, mask: boolean): Parts {
  const [asking, asked] = [`“${words[query]}”`, `“${words[key]}”`];
  if (mask && key > query) return ["", asking, " does not see ", asked, ": the mask hides what comes later."];
  const share = `: it gets ${percent(weight)} of the attention.`;
  if (query === key) return ["The query of ", asking, ` meets its own key${share}`];
  return ["The query of ", asking, " meets the key of ", asked, share];
}

/** `64%`; what is not 0 is never shown as 0. */
export function percent(weight: number): string {
  return weight > 0 && weight < 0.005 ? "<1%" : `${whole(weight)}%`;
}

export function whole(weight: number, parts = 100): number {
  return Math.floor(parts * weight + 0.5);
}

/** Whether words fit beside one another in columns of the same width. */
export function fits(words: readonly string[]): boolean {
  return words.length * (0.6 * Math.max(...words.map((word) => word.length)) + 1) <= 37;
}
