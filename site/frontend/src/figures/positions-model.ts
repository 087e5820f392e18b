/** The dot products of one position with all others; the twin of sitegen.teaching.positions. */

import { dot } from "./attention";

const POSITIONS = 32;
const D_MODEL = 16;
const FAR_STEPS = 5; // steps

export function dotProducts(position: number): number[] {
  const chosen = encodePosition(position);
  return Array.from({ length: POSITIONS }, (_, at) => dot(encodePosition(at), chosen));
}

export function describePosition(position: number, row: readonly number[]): string {
  const at = (distance: number): string => {
    const there = position + distance;
    return (row[there < row.length ? there : position - distance] ?? 0).toFixed(2);
  };
  return (
    `Position ${position}: its product with itself is ${at(0)}, one step away ${at(1)}, ` +
    `${FAR_STEPS} steps away ${at(FAR_STEPS)}. Move it: these numbers stay, since only the distance counts.`
  );
}

function encodePosition(position: number): number[] {
  return Array.from({ length: D_MODEL }, (_, at) => {
    const angle = position * 10000 ** (-(at - (at % 2)) / D_MODEL);
    return at % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}
