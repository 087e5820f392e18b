/** The positions figure: a slider for a position, and its dot products with all others as bars. */

import { findElement } from "../dom";
import { FigureSentence } from "./figure";
import { describePosition, dotProducts } from "./positions-model";

const BASELINE = 150;
const PIXELS_PER_UNIT = 16;

export function startPositions(figure: HTMLElement): void {
  const sentence = new FigureSentence(figure);
  const slider = findElement("input", HTMLInputElement, figure);
  slider.addEventListener("input", () => {
    const position = Number(slider.value);
    const row = dotProducts(position);
    findElement(".figure-value", HTMLElement, figure).textContent = slider.value;
    figure.querySelectorAll("rect").forEach((bar, index) => {
      const height = PIXELS_PER_UNIT * (row[index] ?? 0);
      bar.setAttribute("y", (BASELINE - Math.max(height, 0)).toFixed(1));
      bar.setAttribute("height", Math.abs(height).toFixed(1));
      bar.classList.toggle("here", index === position);
    });
    sentence.announce([describePosition(position, row)]);
  });
}
