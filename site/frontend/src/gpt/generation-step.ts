/** What a small GPT says of each letter that it writes. */

export interface Step {
  readonly letter: string;
  readonly choices: readonly (readonly [letter: string, probability: number])[];
  readonly heads: readonly string[]; // a digit in base 36 for each letter before, the start of the text first
  readonly counts?: Counts;
}

/** What was drafted and accepted in a text so far, and how often the model ran. */
export type Counts = readonly [accepted: number, drafts: number, runs: number];

/** What the model wrote when the site was built. */
export interface Writing {
  readonly prompt: string;
  readonly steps: readonly Step[];
}

export interface Look {
  readonly head: number;
  readonly at: number; // a letter of the text
  readonly weight: number;
}

export const END = "\n"; // of a tale
export const HEADS = 4; // of each block

const ONE = 35; // the digit of a whole

/** The letters that the heads looked at when the letter of a number was chosen, the largest weights first. */
export function looks({ heads }: Step, number: number, least = 0): Look[] {
  const found = heads.flatMap((digits, head) => {
    const first = number - digits.length; // the text begins behind its start, and the model may see its end only
    return [...digits].map((digit, at) => ({ head, at: first + at, weight: parseInt(digit, 36) / ONE }));
  });
  return found.filter(({ at, weight }) => at >= 0 && weight > least).sort((a, b) => b.weight - a.weight);
}

/** A letter as it is read: a space and the end have no shape. */
export function shown(letter: string): string {
  return letter === " " ? "space" : letter === END ? "end" : letter;
}

export function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}

/** What a switch brings, in a sentence; see `set_up` of the page's program. */
export const MEASURED: Readonly<Record<string, (facts: readonly number[]) => string>> = {
  "key-value-cache": ([speed = 0, before = 0, gap = 0]) =>
    `${whole(speed)} letters a second, ${whole(before)} without. ${gap < 1e-6 ? "The probabilities are the same." : `Probabilities differ by up to ${gap.toFixed(2)}.`}`,
  "int8-quantization": ([before = 0, size = 0, loss = 0, after = 0]) =>
    `${whole(size / 1000)} KB of weights instead of ${whole(before / 1000)} KB. Loss on new tales: ${after.toFixed(3)} instead of ${loss.toFixed(3)}.`,
  "speculative-decoding": ([drafted = 0, drawn = 0]) =>
    `Shares of 1,000 letters at one place: ${(100 * drafted).toFixed(1)}% off the model’s probabilities; without drafts ${(100 * drawn).toFixed(1)}%.`,
};

export function counted([accepted, drafts, runs]: Counts, letters: number): string {
  return drafts ? `${percent(accepted / drafts)} of ${drafts} drafts accepted: ${(letters / runs).toFixed(1)} letters in a run.` : "";
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
