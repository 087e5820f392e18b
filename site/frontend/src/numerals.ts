/** Numbers formatted for tables; the twin of grader.reports.numerals, tested against it. */

const MAX_DECIMALS = 4;
const MIN_FIXED = 1e-3;
const MAX_FIXED = 1e5;
const ROUNDING_ERROR = 1e-9;
const MINUS_SIGN = "\u2212"; // screen readers skip a hyphen

/** Return the number of decimals for these values; null (exponents) if all are tiny or one is huge. */
export function decimalsFor(values: readonly number[]): number | null {
  const magnitudes = values.filter(Number.isFinite).map(Math.abs);
  const largest = Math.max(0, ...magnitudes);
  if (largest >= MAX_FIXED || (largest > 0 && largest < MIN_FIXED)) return null;
  for (let decimals = 1; decimals < MAX_DECIMALS; decimals += 1) {
    if (isExact(magnitudes, decimals)) return decimals;
  }
  return MAX_DECIMALS;
}

/** Return whether that many decimals drop digits of the values. */
export function isRounded(values: readonly number[], decimals: number | null): boolean {
  return decimals === null || !isExact(values.filter(Number.isFinite), decimals);
}

/** Format a number, with a real minus sign; infinity as its symbol. */
export function formatNumber(value: number, decimals: number | null): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS_SIGN}∞`;
  // Python writes an exponent of at least two digits.
  const text = decimals === null ? value.toExponential(2).replace(/e([+-])(\d)$/, "e$10$2") : toFixedHalfEven(value, decimals);
  const unsigned = Number(text) === 0 ? text.replace("-", "") : text;
  return unsigned.replaceAll("-", MINUS_SIGN);
}

/** Format an integer, with a real minus sign. */
export function formatInteger(value: number): string {
  return String(value).replace("-", MINUS_SIGN);
}

/** Parse a number from Python's JSON, in which NaN and infinity are names. */
export function parseNumber<Value extends number | boolean>(sent: Value | string): Value | number {
  return typeof sent !== "string" ? sent : sent === "inf" ? Infinity : sent === "-inf" ? -Infinity : NaN;
}

function isExact(values: readonly number[], decimals: number): boolean {
  return values.every((value) => Math.abs(value - Number(toFixedHalfEven(value, decimals))) <= ROUNDING_ERROR);
}

/** Return `toFixed`, but round ties to the even digit, as Python does. */
function toFixedHalfEven(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  if (!isHalfway(value, decimals) || Number(text.at(-1)) % 2 === 0) return text;
  return (Number(text) - Math.sign(value) * 10 ** -decimals).toFixed(decimals);
}

function isHalfway(value: number, decimals: number): boolean {
  const digits = Math.abs(value).toFixed(100).split(".")[1] ?? "";
  return /^50*$/.test(digits.slice(decimals));
}
