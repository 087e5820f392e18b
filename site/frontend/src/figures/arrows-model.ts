/** The numbers and sentences of the figure of two arrows. */

import { formatNumber } from "../numerals";
import type { SentenceParts } from "./explorer-sentences";

export const QUERY_LENGTH = 2;

/** Return the angle between two directions, from 0 to 180 degrees. */
export function angleBetween(query: number, key: number): number {
  const turn = Math.abs(query - key) % 360;
  return Math.min(turn, 360 - turn);
}

export function arrowProduct(query: number, key: number, length: number): number {
  return QUERY_LENGTH * length * cosine(angleBetween(query, key));
}

export function describeArrows(query: number, key: number, length: number): SentenceParts {
  const angle = angleBetween(query, key);
  const result = formatNumber(arrowProduct(query, key, length), 2);
  const meaning =
    angle === 90
      ? "At a right angle the two have nothing in common."
      : angle === 0
        ? "The same direction: no other gives more."
        : angle === 180
          ? "Opposite directions: no other gives less."
          : angle < 90
            ? "They point more or less the same way."
            : "They point away from each other.";
  const sum = `${angle} degrees apart: ${QUERY_LENGTH} · ${formatNumber(length, 2)} · cos ${angle}° = `;
  return [sum, result, `. ${meaning}`];
}

function cosine(degrees: number): number {
  return degrees === 90 ? 0 : Math.cos((degrees * Math.PI) / 180);
}
