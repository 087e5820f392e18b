/** Small texts that several pages need. */

/** Return a number with its noun: `1 test`, `2 tests`. */
export function pluralize(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Format a share as `64%`, and a tiny one as `<1%`. */
export function formatPercent(share: number): string {
  return share > 0 && share < 0.005 ? "<1%" : `${Math.round(100 * share)}%`;
}

/** Join names: `a, b and c`. */
export function joinNames(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");
}

/** Return the message of a thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
