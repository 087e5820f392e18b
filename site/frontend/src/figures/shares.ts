/** The shares figure: sliders for scores, and bars of their softmax. */

import { findElement } from "../dom";
import { formatNumber } from "../numerals";
import { softmax } from "./attention";
import { FigureSentence } from "./figure";
import { type Change, changeScores, describeShares, formatShare } from "./shares-model";

export function startShares(figure: HTMLElement): void {
  const sentence = new FigureSentence(figure);
  const rows = [...figure.querySelectorAll<HTMLElement>(".shares-row")];
  const inputs = rows.map((row) => findElement("input", HTMLInputElement, row));
  const buttons = [...figure.querySelectorAll<HTMLButtonElement>(".shares-all button")];
  let scores = inputs.map((input) => Number(input.defaultValue));

  const scoresAfter = ({ dataset }: HTMLButtonElement): number[] | null =>
    changeScores(scores, Number(dataset.plus ?? 0), Number(dataset.times ?? 1));
  const draw = (): void => {
    const shares = softmax(scores);
    rows.forEach((row, index) => {
      const [score, share] = [formatNumber(scores[index] ?? 0, 1), formatShare(shares[index] ?? 0)];
      findElement(".figure-value", HTMLElement, row).textContent = score;
      findElement(".shares-share", HTMLElement, row).textContent = share;
      findElement("rect", SVGRectElement, row).setAttribute("width", (100 * (shares[index] ?? 0)).toFixed(2));
      inputs[index]?.setAttribute("aria-valuetext", `${score}, share ${share}`);
    });
    for (const each of buttons) each.ariaDisabled = String(scoresAfter(each) === null);
  };
  const announce = (change: Change): void => {
    const shares = softmax(scores);
    sentence.announce(describeShares(rows.map((row, index) => ({ name: row.dataset.name ?? "", score: scores[index] ?? 0, share: shares[index] ?? 0 })), change));
  };

  inputs.forEach((input, index) => {
    input.value = input.defaultValue; // some browsers restore the last value at a reload
    input.addEventListener("input", () => {
      scores = scores.map((score, to) => (to === index ? Number(input.value) : score));
      draw();
      announce(null);
    });
  });
  for (const each of buttons) {
    each.addEventListener("click", () => {
      const next = scoresAfter(each);
      if (!next) return;
      scores = next;
      inputs.forEach((input, index) => (input.value = String(next[index])));
      draw();
      announce(each.dataset.plus ? "plus" : "times");
    });
  }
  draw();
}
