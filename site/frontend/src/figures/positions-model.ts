/** The dot products of one position with all others; the twin of sitegen.teaching.positions. */

import { dot } from "./attention";

const POSITIONS = 32;
const D_MODEL = 16;
const FAR = 5; // steps

export function products(position: number): number[] {
  const chosen = vector(position);
  return Array.from({ length: POSITIONS }, (_, at) => dot(vector(at), chosen));
}

export function describe(position: number, row: readonly number[]): string {
  const at = (distance: number): string => {
    const there = position + distance;
    return (row[there < row.length ? there : position - distance] ?? 0).toFixed(2);
  };
  return (
    `Position ${position}: its product with itself is ${at(0)}, one step away ${at(1)}, ` +
    `${FAR} steps away ${at(FAR)}. Move it: these numbers stay, since only the distance counts.`
  );
}

function vector(position: number): number[] {
  return Array.from({ length: D_MODEL }, (_, at) => {
    const angle = position * 10000 ** (-(at - (at % 2)) / D_MODEL);
    return at % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}
