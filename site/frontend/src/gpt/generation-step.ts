/** The data of each letter that a small GPT writes, and the sentences on it. */

import { formatPercent } from "../text";

export interface GenerationStep {
  readonly letter: string;
  readonly choices: readonly (readonly [letter: string, probability: number])[];
  readonly heads: readonly string[]; // each head's weights on the earlier letters, oldest first, as digits in base 36
  readonly counts?: DraftCounts;
}

/** The drafts and accepted drafts of a text so far, and how often the model ran. */
export type DraftCounts = readonly [accepted: number, drafts: number, runs: number];

/** A text that the model wrote when the site was built. */
export interface RecordedText {
  readonly prompt: string;
  readonly steps: readonly GenerationStep[];
}

export interface AttentionLink {
  readonly head: number;
  readonly index: number; // the index of a letter of the text
  readonly weight: number;
}

export const END_OF_TEXT = "\n";
export const HEADS_PER_BLOCK = 4;

const FULL_WEIGHT_DIGIT = 35; // stands for a weight of 1

/** Return the letters that the heads looked at when they chose letter `number`, by descending weight. */
export function attentionLinks({ heads }: GenerationStep, number: number, minWeight = 0): AttentionLink[] {
  const links = heads.flatMap((digits, head) => {
    const first = number - digits.length; // below 0 for the start token; above if the model's context is shorter than the text
    return [...digits].map((digit, place) => ({ head, index: first + place, weight: parseInt(digit, 36) / FULL_WEIGHT_DIGIT }));
  });
  return links.filter(({ index, weight }) => index >= 0 && weight > minWeight).sort((a, b) => b.weight - a.weight);
}

/** Name a letter; a space and the end of the text are invisible. */
export function letterName(letter: string): string {
  return letter === " " ? "space" : letter === END_OF_TEXT ? "end" : letter;
}

/** The sentence on the effect of each switch, from the measurements of `set_up` in the page's program. */
export const SWITCH_SENTENCES: Readonly<Record<string, (facts: readonly number[]) => string>> = {
  "key-value-cache": ([speed = 0, before = 0, gap = 0]) =>
    `${formatRounded(speed)} letters a second, ${formatRounded(before)} without. ${gap < 1e-6 ? "The probabilities are the same." : `Probabilities differ by up to ${gap.toFixed(2)}.`}`,
  "int8-quantization": ([before = 0, size = 0, loss = 0, after = 0]) =>
    `${formatRounded(size / 1000)} KB of weights instead of ${formatRounded(before / 1000)} KB. Loss on new tales: ${after.toFixed(3)} instead of ${loss.toFixed(3)}.`,
  "speculative-decoding": ([drafted = 0, drawn = 0]) =>
    `Shares of 1,000 letters at one place: ${(100 * drafted).toFixed(1)}% off the model’s probabilities; without drafts ${(100 * drawn).toFixed(1)}%.`,
};

export function draftSentence([accepted, drafts, runs]: DraftCounts, letters: number): string {
  return drafts ? `${formatPercent(accepted / drafts)} of ${drafts} drafts accepted: ${(letters / runs).toFixed(1)} letters in a run.` : "";
}

function formatRounded(value: number): string {
  return Math.round(value).toLocaleString("en");
}
