/** The dot products of one position's encoding with all others; the twin of sitegen.teaching.position_products. */

import { dotProduct } from "./attention";

const POSITIONS = 32;
const D_MODEL = 16;
const FAR_STEPS = 5;

export function dotProducts(position: number): number[] {
  const encoding = encodePosition(position);
  return Array.from({ length: POSITIONS }, (_, index) => dotProduct(encodePosition(index), encoding));
}

export function describePosition(position: number, row: readonly number[]): string {
  const productAt = (distance: number): string => {
    const other = position + distance;
    return (row[other < row.length ? other : position - distance] ?? 0).toFixed(2);
  };
  return (
    `Position ${position}: its product with itself is ${productAt(0)}, one step away ${productAt(1)}, ` +
    `${FAR_STEPS} steps away ${productAt(FAR_STEPS)}. Move it: these numbers stay, since only the distance counts.`
  );
}

function encodePosition(position: number): number[] {
  return Array.from({ length: D_MODEL }, (_, index) => {
    const angle = position * 10000 ** (-(index - (index % 2)) / D_MODEL);
    return index % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}
