/** A slider for a position, and its dot products with all others as bars. */

import { find } from "../dom";
import { Said } from "./figure";
import { describe, products } from "./positions-model";

const BASE = 150;
const UNIT = 16;

export function start(figure: HTMLElement): void {
  const said = new Said(figure);
  const slider = find("input", HTMLInputElement, figure);
  slider.addEventListener("input", () => {
    const position = Number(slider.value);
    const row = products(position);
    find(".figure-value", HTMLElement, figure).textContent = slider.value;
    figure.querySelectorAll("rect").forEach((bar, at) => {
      const height = UNIT * (row[at] ?? 0);
      bar.setAttribute("y", (BASE - Math.max(height, 0)).toFixed(1));
      bar.setAttribute("height", Math.abs(height).toFixed(1));
      bar.classList.toggle("here", at === position);
    });
    said.say([describe(position, row)]);
  });
}
