/** The numbers and sentences of the figure of scores and shares. */

import { formatNumber } from "../numerals";
import type { SentenceParts } from "./explorer-sentences";

export interface ScoredShare {
  readonly name: string;
  readonly score: number;
  readonly share: number;
}

/** A change of all scores at once. */
export type Change = "plus" | "times" | null;

export const MAX_SCORE = 6; // a slider goes from the negative of this to this

/** Format a share as `84.4%`, and a tiny one as `<0.1%`. */
export function formatShare(share: number): string {
  return share < 0.0005 ? "<0.1%" : `${formatNumber(100 * share, 1)}%`;
}

/** Change all scores; null if one would leave its slider's range. */
export function changeScores(scores: readonly number[], plus: number, times: number): number[] | null {
  const next = scores.map((score) => score * times + plus);
  return next.every((score) => Math.abs(score) <= MAX_SCORE) ? next : null;
}

export function describeShares(bars: readonly ScoredShare[], change: Change): SentenceParts {
  const news = { plus: "All scores moved alike, so no share changed. ", times: "The differences changed, and the shares with them. " };
  const begin = change ? news[change] : "";
  const [first, second] = [...bars].sort((a, b) => b.score - a.score);
  if (!first || !second) return [begin];
  if (bars.every(({ score }) => score === first.score)) return [`${begin}All scores are equal, so each share is `, formatShare(first.share), "."];
  const [one, other] = [`“${first.name}”`, `“${second.name}”`];
  const gap = first.score - second.score;
  if (gap === 0) return [begin, one, " and ", other, ` have the same score, so each gets ${formatShare(first.share)}.`];
  const times = formatNumber(Math.exp(gap), 1);
  return [begin, one, ` is ${formatNumber(gap, 2)} above ${other}, so its share is `, `${times} times`, " as large."];
}
