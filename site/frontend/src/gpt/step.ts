/** What a small GPT says of each letter that it writes. */

export interface Step {
  readonly letter: string;
  readonly choices: readonly (readonly [letter: string, probability: number])[];
  readonly heads: readonly string[]; // a digit in base 36 for each letter before, the start of the text first
}

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
