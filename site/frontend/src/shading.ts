/** The CSS classes of the colour ramps; the twin of sitegen.shading, tested against it. */

const RAMP_STEPS = 21;
const RAMP_MIDDLE = 10;
const NOT_FINITE = "not-finite";

/**
 * Return the function that maps each of these values to its CSS class.
 *
 * Values from 0 to 1 are weights and get the sequential ramp; any others get the diverging one,
 * whose middle is 0 and whose ends are the largest magnitude present.
 */
export function createShade(values: readonly number[]): (value: number) => string {
  const finite = values.filter(Number.isFinite);
  if (finite.every((value) => value >= 0 && value <= 1)) {
    return withNotFinite((value) => `seq-${roundHalfToEven(value * (RAMP_STEPS - 1))}`);
  }
  return createDivergingShade(values);
}

/** The diverging ramp whatever the values are: for differences, where zero is the middle. */
export function createDivergingShade(values: readonly number[]): (value: number) => string {
  const largest = Math.max(...values.filter(Number.isFinite).map(Math.abs)) || 1;
  return withNotFinite((value) => `div-${RAMP_MIDDLE + roundHalfToEven((value / largest) * RAMP_MIDDLE)}`);
}

function withNotFinite(shade: (value: number) => string): (value: number) => string {
  return (value) => (Number.isFinite(value) ? shade(value) : NOT_FINITE);
}

function roundHalfToEven(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
