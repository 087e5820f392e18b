/** The scores and their softmax for each setting of the curves figure; the twin of sitegen.teaching.curves. */

import { formatPercent } from "../text";
import { type Matrix, softmax } from "./attention";

export const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

const QUERY_COUNT = 96;
const KEY_COUNT = 8;
const STEPS_PER_UNIT = 20;
const MAX_SCORE = 32;
const MAX_HEIGHT = 120;
const SATURATED_PEAK = 0.72;
const EVEN_PEAK = 1.6 / KEY_COUNT;

export interface CurveSettings {
  readonly size: number; // index into SIZES
  readonly scale: boolean;
  readonly temperature: number;
}

export interface CurveMeasures {
  readonly scores: Matrix;
  readonly weights: Matrix;
  readonly spread: number;
  readonly peak: number;
  readonly slope: number;
}

/** Decode the builder's scores: a byte each, in steps of a fraction of a standard deviation. */
export function decodeScores(text: string): Int8Array {
  return Int8Array.from(atob(text), (character) => character.charCodeAt(0));
}

export function computeMeasures(scoreSteps: Int8Array, { size, scale, temperature }: CurveSettings): CurveMeasures {
  const factor = (scale ? 1 : Math.sqrt(SIZES[size] ?? 1)) / temperature;
  const scores = Array.from({ length: QUERY_COUNT }, (_, query) => {
    const begin = (size * QUERY_COUNT + query) * KEY_COUNT;
    return Array.from(scoreSteps.subarray(begin, begin + KEY_COUNT), (step) => (step / STEPS_PER_UNIT) * factor);
  });
  const weights = scores.map(softmax);
  const all = scores.flat();
  const centre = mean(all);
  return {
    scores,
    weights,
    spread: Math.sqrt(mean(all.map((score) => (score - centre) ** 2))),
    peak: mean(weights.map((row) => Math.max(...row))),
    slope: mean(weights.flat().map((weight) => weight * (1 - weight))),
  };
}

/** Return the heights of the histogram's bars; the largest is HEIGHT. */
export function histogramHeights(scores: Matrix): number[] {
  const counts = Array.from({ length: 2 * MAX_SCORE }, () => 0);
  for (const score of scores.flat()) {
    const index = score === MAX_SCORE ? 2 * MAX_SCORE - 1 : Math.floor(score) + MAX_SCORE;
    if (index >= 0 && index < counts.length) counts[index] = (counts[index] ?? 0) + 1;
  }
  const largest = Math.max(1, ...counts);
  return counts.map((count) => (count / largest) * MAX_HEIGHT);
}

export function isSaturated({ peak }: CurveMeasures): boolean {
  return peak >= SATURATED_PEAK;
}

export function describeMeasures(measures: CurveMeasures): string {
  const [spread, slope] = [measures.spread.toFixed(1), measures.slope.toFixed(3)];
  const peak = formatPercent(measures.peak);
  const numbers = `the scores spread by ${spread}, the largest share is ${peak} on average`;
  if (isSaturated(measures)) {
    return `Saturated: ${numbers}, and the slope is only ${slope}. Little can be learned.`;
  }
  if (measures.peak < EVEN_PEAK) return `Nearly even: ${numbers}. No key is told from another.`;
  return `In between: ${numbers}, and the slope is ${slope}. Training can move the weights.`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
