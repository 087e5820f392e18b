/** The arcs of the attention explorer. sitegen.teaching.explorer draws the first ones in the same way. */

import { createSvg } from "../dom";
import type { Matrix } from "./attention";

const [WIDTH, HEIGHT] = [800, 150];
const [ROW_HEIGHT, TALL_WIDTH] = [44, 130];
const MIN_WEIGHT = 0.004;
const MIN_SHARES_OF_OTHERS = 1.5; // smallest weight with an arc, as a multiple of an equal share

/** Draw an arc for each large weight, over words in a row or beside words in a column. */
export function drawArcs(weights: Matrix, selectedQuery: number, selectedKey: number | null, isTall: boolean): SVGElement[] {
  const arcs: { path: SVGElement; isAsked: boolean }[] = [];
  weights.forEach((row, query) =>
    row.forEach((weight, key) => {
      const isAsked = query === selectedQuery;
      if (weight < (isAsked ? MIN_WEIGHT : MIN_SHARES_OF_OTHERS / row.length) || (!isAsked && query === key)) return;
      const isFaded = isAsked && selectedKey !== null && selectedKey !== key;
      const opacity = isFaded ? 0.12 : 0.22 + 0.78 * Math.sqrt(weight);
      const path = createSvg("path", {
        class: isAsked ? "arc" : "arc others",
        pathLength: 1,
        d: (isTall ? tallArc : wideArc)(query, key, weights.length),
        "stroke-width": (isAsked ? 1 + 11 * weight : 1 + 2 * weight).toFixed(1),
        "stroke-opacity": (selectedKey !== null && !isAsked ? opacity / 3 : opacity).toFixed(2),
      });
      arcs.push({ path, isAsked });
    }),
  );
  return arcs.sort((a, b) => Number(a.isAsked) - Number(b.isAsked)).map(({ path }) => path);
}

export function tallHeight(count: number): number {
  return ROW_HEIGHT * count;
}

function relativeHeight(query: number, key: number, count: number): number {
  return 0.3 + (0.98 * Math.abs(query - key)) / Math.max(1, count - 1);
}

function wideArc(query: number, key: number, count: number): string {
  const [start, end] = [query, key].map((place) => Math.round((WIDTH / count) * (place + 0.5))) as [number, number];
  if (query === key) {
    return `M${start - 10} ${HEIGHT}C${start - 26} ${HEIGHT - 52} ${start + 26} ${HEIGHT - 52} ${start + 10} ${HEIGHT}`;
  }
  const top = Math.round(HEIGHT - HEIGHT * relativeHeight(query, key, count));
  return `M${start} ${HEIGHT}C${start} ${top} ${end} ${top} ${end} ${HEIGHT}`;
}

function tallArc(query: number, key: number, count: number): string {
  const [top, bottom] = [ROW_HEIGHT * (query + 0.5), ROW_HEIGHT * (key + 0.5)];
  if (query === key) return `M0 ${top - 6}C40 ${top - 20} 40 ${top + 20} 0 ${top + 6}`;
  const bulge = Math.round(TALL_WIDTH * relativeHeight(query, key, count));
  return `M0 ${top}C${bulge} ${top} ${bulge} ${bottom} 0 ${bottom}`;
}
