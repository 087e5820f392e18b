/** The arrows figure: two arrows that sliders or dragging turn, and their dot product. */

import { findElement } from "../dom";
import { formatNumber } from "../numerals";
import { arrowProduct, describeArrows, QUERY_LENGTH } from "./arrows-model";
import { FigureSentence, findSetting, showSetting } from "./figure";

const PIXELS_PER_UNIT = 50;
const STEP_DEGREES = 5;

export function startArrows(figure: HTMLElement): void {
  const sentence = new FigureSentence(figure);
  const [query, key, length] = [findSetting(figure, "query"), findSetting(figure, "key"), findSetting(figure, "length")];
  const picture = findElement("svg", SVGSVGElement, figure);

  const draw = (): void => {
    const [q, k, long] = [Number(query.value), Number(key.value), Number(length.value)];
    drawArrow(findElement(".arrows-query", SVGGElement, figure), q, QUERY_LENGTH);
    drawArrow(findElement(".arrows-key", SVGGElement, figure), k, long);
    const value = arrowProduct(q, k, long);
    const [x, y] = tipPosition(q, value / QUERY_LENGTH);
    const [tipX, tipY] = tipPosition(k, long);
    findElement(".arrows-shadow", SVGPathElement, figure).setAttribute("d", `M0 0L${x} ${y}`);
    findElement(".arrows-fall", SVGPathElement, figure).setAttribute("d", `M${tipX} ${tipY}L${x} ${y}`);
    findElement('[data-value="product"]', HTMLElement, figure).textContent = formatNumber(value, 2);
    showSetting(query, `${formatNumber(q, 0)}°`);
    showSetting(key, `${formatNumber(k, 0)}°`);
    showSetting(length, formatNumber(long, 2));
    sentence.announce(describeArrows(q, k, long));
  };

  for (const input of [query, key, length]) {
    input.value = input.defaultValue; // some browsers restore the last value at a reload
    input.addEventListener("input", draw);
  }
  const drag = (group: string, move: (angle: number, far: number) => void): void => {
    const tip = findElement(`${group} circle`, SVGCircleElement, figure);
    tip.addEventListener("pointerdown", (event) => tip.setPointerCapture(event.pointerId));
    tip.addEventListener("pointermove", (event) => {
      if (!tip.hasPointerCapture(event.pointerId)) return;
      const { left, top, width } = picture.getBoundingClientRect();
      const [x, y] = [event.clientX - left - width / 2, top + width / 2 - event.clientY];
      move(STEP_DEGREES * Math.round((Math.atan2(y, x) * 180) / Math.PI / STEP_DEGREES), (Math.hypot(x, y) * 240) / width / PIXELS_PER_UNIT);
      draw();
    });
  };
  drag(".arrows-query", (angle) => (query.value = String(angle)));
  drag(".arrows-key", (angle, far) => {
    key.value = String(angle);
    length.value = String(far); // the slider keeps it within its limits
  });
}

function tipPosition(degrees: number, length: number): [x: string, y: string] {
  const angle = (degrees * Math.PI) / 180;
  return [(PIXELS_PER_UNIT * length * Math.cos(angle)).toFixed(1), (-PIXELS_PER_UNIT * length * Math.sin(angle)).toFixed(1)];
}

function drawArrow(arrow: SVGGElement, degrees: number, length: number): void {
  const [x, y] = tipPosition(degrees, length);
  findElement("path", SVGPathElement, arrow).setAttribute("d", `M0 0L${x} ${y}`);
  const tip = findElement("circle", SVGCircleElement, arrow);
  tip.setAttribute("cx", x);
  tip.setAttribute("cy", y);
  const name = findElement("text", SVGTextElement, arrow);
  const [nameX, nameY] = tipPosition(degrees + 12, length + 0.1);
  name.setAttribute("x", nameX);
  name.setAttribute("y", String(Number(nameY) + 5));
}
