/** The curves figure: sliders, two drawings of scores and their softmax, three measures and a sentence. */

import { findElement } from "../dom";
import { computeMeasures, decodeScores, describeMeasures, histogramHeights, isSaturated, SIZES } from "./curves-model";
import { FigureSentence, findSetting, showSetting } from "./figure";

const BASELINE = 144;
const MAX_HEIGHT = 120;
const MIN_LABELLED_SHARE = 0.15; // the bar of a smaller share has no room for its number

export function startCurves(figure: HTMLElement): void {
  const scoreSteps = decodeScores(figure.dataset.scores ?? "");
  const sentence = new FigureSentence(figure);
  const [size, temperature, scale] = [findSetting(figure, "size"), findSetting(figure, "temperature"), findSetting(figure, "scale")];
  let query = 0;

  const draw = (): void => {
    const heat = 2 ** Number(temperature.value);
    const measures = computeMeasures(scoreSteps, { size: Number(size.value), scale: scale.checked, temperature: heat });
    drawBars(figure.querySelectorAll(".curves-scores rect"), histogramHeights(measures.scores));
    const reach = 6 * Math.min(measures.spread, 32);
    figure.querySelector(".curves-spread")?.setAttribute("d", `M${192 - reach} 18v-8H${192 + reach}v8`);
    const shares = measures.weights[query] ?? [];
    drawBars(figure.querySelectorAll(".curves-shares rect"), shares.map((share) => share * MAX_HEIGHT));
    figure.querySelectorAll(".curves-shares rect + text").forEach((text, index) => {
      const share = shares[index] ?? 0;
      text.textContent = share < MIN_LABELLED_SHARE ? "" : share.toFixed(2);
      text.setAttribute("y", String(BASELINE - 6 - MAX_HEIGHT * share));
    });
    showValue("spread", measures.spread.toFixed(2));
    showValue("peak", measures.peak.toFixed(2));
    showValue("slope", measures.slope.toFixed(3));
    showSetting(size, String(SIZES[Number(size.value)]));
    showSetting(temperature, heat.toFixed(2));
    figure.querySelector(".figure-said")?.classList.toggle("saturated", isSaturated(measures));
    sentence.announce([describeMeasures(measures)]);
  };
  const showValue = (name: string, text: string): void => {
    findElement(`[data-value="${name}"]`, HTMLElement, figure).textContent = text;
  };

  for (const input of [size, temperature, scale]) input.addEventListener("input", draw);
  findElement("[data-next]", HTMLButtonElement, figure).addEventListener("click", () => {
    query = (query + 1) % 96;
    draw();
  });
}

function drawBars(bars: NodeListOf<Element>, heights: readonly number[]): void {
  bars.forEach((bar, index) => {
    const height = heights[index] ?? 0;
    bar.setAttribute("y", (BASELINE - height).toFixed(1));
    bar.setAttribute("height", height.toFixed(1));
  });
}
