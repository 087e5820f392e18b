/** The ranking of pages for a query, by the index of `sitegen.search`. */

export interface SearchIndex {
  readonly schema: string;
  readonly pages: readonly (readonly [title: string, path: string, note: string])[];
  readonly words: readonly string[];
  readonly found: readonly (readonly number[])[];
}

export interface SearchHit {
  readonly title: string;
  readonly path: string;
  readonly note: string;
  readonly score: number;
}

const COMBINING = /\p{M}/gu;
const WORD = /[\p{L}\p{N}]+/gu;
const WHOLE_WORD_WEIGHT = 1;
const PREFIX_WEIGHT = 0.45; // weight of a prefix relative to a whole word
const WHOLE_TITLE_FACTOR = 2;
const ONE_SLIP_LENGTH = 4; // shorter words are not corrected
const TWO_SLIPS_LENGTH = 8; // longer words may have two slips

/** Split a text into words as the index does: letters and digits, in lower case and without accents. */
export function splitWords(text: string): string[] {
  return text.toLowerCase().normalize("NFKD").replace(COMBINING, "").match(WORD) ?? [];
}

/** Return the pages on which every word of a query begins a word. */
export function rankPages(index: SearchIndex, query: string): SearchHit[] {
  const queryWords = [...new Set(splitWords(query))];
  if (queryWords.length === 0) return [];
  const scores = queryWords.map((word) => prefixScores(index, word));
  const [first, ...others] = scores as [Map<number, number>, ...Map<number, number>[]];
  const hits: SearchHit[] = [];
  for (const [number, score] of first) {
    const more = others.map((each) => each.get(number));
    if (more.includes(undefined)) continue;
    const total = more.reduce<number>((sum, each) => sum + (each ?? 0), score);
    const [title, path, note] = index.pages[number]!;
    const isMeant = splitWords(title).every((word) => queryWords.includes(word));
    hits.push({ title, path, note, score: isMeant ? total * WHOLE_TITLE_FACTOR : total });
  }
  return hits.sort((one, other) => other.score - one.score); // stable: ties stay in the site's order
}

/**
 * Return a query in which each word without matches is replaced by the most similar word of the index;
 * undefined if a word has no similar one, or nothing needs a replacement.
 */
export function correctQuery(index: SearchIndex, query: string): string | undefined {
  const queryWords = splitWords(query);
  const corrections = queryWords.map((word) => {
    const isKnown = index.words[lowerBound(index.words, word)]?.startsWith(word);
    return isKnown ? word : nearestWord(index, word);
  });
  if (corrections.includes(undefined) || corrections.every((word, index) => word === queryWords[index])) return undefined;
  return corrections.join(" ");
}

/** Return the index's word with the fewest slips; of equals, the one on the most pages. */
function nearestWord(index: SearchIndex, word: string): string | undefined {
  const maxSlips = word.length < ONE_SLIP_LENGTH ? 0 : word.length < TWO_SLIPS_LENGTH ? 1 : 2;
  let best: { slips: number; pages: number; word: string } | undefined;
  index.words.forEach((other, at) => {
    if (Math.abs(other.length - word.length) > maxSlips) return;
    const slips = editDistance(word, other);
    const pages = index.found[at]!.length;
    if (slips > maxSlips || (best && (slips > best.slips || (slips === best.slips && pages <= best.pages)))) return;
    best = { slips, pages, word: other };
  });
  return best?.word;
}

/** Count the letters that are wrong, missing, extra, or swapped with the next (Damerau-Levenshtein). */
function editDistance(one: string, other: string): number {
  let [previousRow, row]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      const areSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (areSwapped) next[j] = Math.min(next[j]!, previousRow[j - 2]! + 1);
    }
    [previousRow, row] = [row, next];
  }
  return row[other.length]!;
}

/** Return the score of each page for words with a prefix: its best word's, rare words scoring higher. */
function prefixScores(index: SearchIndex, prefix: string): Map<number, number> {
  const scores = new Map<number, number>();
  for (let at = lowerBound(index.words, prefix); index.words[at]?.startsWith(prefix); at++) {
    const pairs = index.found[at]!;
    const rarity = Math.log(1 + (2 * index.pages.length) / pairs.length);
    const share = index.words[at] === prefix ? WHOLE_WORD_WEIGHT : PREFIX_WEIGHT;
    let number = 0;
    for (let pair = 0; pair < pairs.length; pair += 2) {
      number += pairs[pair]!;
      const score = pairs[pair + 1]! * rarity * share;
      scores.set(number, Math.max(score, scores.get(number) ?? 0));
    }
  }
  return scores;
}

/** Return the index of the first word, in sorted words, that is not before another one. */
function lowerBound(sorted: readonly string[], word: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
