/** Two arrows that are turned by sliders or by their tips, and their dot product. */

import { find } from "../dom";
import { numeral } from "../numerals";
import { describeArrows, product, QUERY } from "./arrows-model";
import { Said } from "./figure";

const UNIT = 50; // of the drawing, for a length of 1
const STEP = 5; // degrees

export function start(figure: HTMLElement): void {
  const said = new Said(figure);
  const setting = (name: string): HTMLInputElement => find(`[data-setting="${name}"]`, HTMLInputElement, figure);
  const [query, key, length] = [setting("query"), setting("key"), setting("length")];
  const picture = find("svg", SVGSVGElement, figure);

  const draw = (): void => {
    const [q, k, long] = [Number(query.value), Number(key.value), Number(length.value)];
    point(find(".arrows-query", SVGGElement, figure), q, QUERY);
    point(find(".arrows-key", SVGGElement, figure), k, long);
    const value = product(q, k, long);
    const [x, y] = at(q, value / QUERY);
    const [tipX, tipY] = at(k, long);
    find(".arrows-shadow", SVGPathElement, figure).setAttribute("d", `M0 0L${x} ${y}`);
    find(".arrows-fall", SVGPathElement, figure).setAttribute("d", `M${tipX} ${tipY}L${x} ${y}`);
    find('[data-value="product"]', HTMLElement, figure).textContent = numeral(value, 2);
    tell(query, `${numeral(q, 0)}°`);
    tell(key, `${numeral(k, 0)}°`);
    tell(length, numeral(long, 2));
    said.say(describeArrows(q, k, long));
  };

  for (const input of [query, key, length]) {
    input.value = input.defaultValue; // some browsers restore the last value at a reload
    input.addEventListener("input", draw);
  }
  const drag = (group: string, move: (angle: number, far: number) => void): void => {
    const tip = find(`${group} circle`, SVGCircleElement, figure);
    tip.addEventListener("pointerdown", (event) => tip.setPointerCapture(event.pointerId));
    tip.addEventListener("pointermove", (event) => {
      if (!tip.hasPointerCapture(event.pointerId)) return;
      const { left, top, width } = picture.getBoundingClientRect();
      const [x, y] = [event.clientX - left - width / 2, top + width / 2 - event.clientY];
      move(STEP * Math.round((Math.atan2(y, x) * 180) / Math.PI / STEP), (Math.hypot(x, y) * 240) / width / UNIT);
      draw();
    });
  };
  drag(".arrows-query", (angle) => (query.value = String(angle)));
  drag(".arrows-key", (angle, far) => {
    key.value = String(angle);
    length.value = String(far); // the slider keeps it within its limits
  });
}

function at(degrees: number, length: number): [x: string, y: string] {
  const angle = (degrees * Math.PI) / 180;
  return [(UNIT * length * Math.cos(angle)).toFixed(1), (-UNIT * length * Math.sin(angle)).toFixed(1)];
}

function point(arrow: SVGGElement, degrees: number, length: number): void {
  const [x, y] = at(degrees, length);
  find("path", SVGPathElement, arrow).setAttribute("d", `M0 0L${x} ${y}`);
  const tip = find("circle", SVGCircleElement, arrow);
  tip.setAttribute("cx", x);
  tip.setAttribute("cy", y);
  const name = find("text", SVGTextElement, arrow);
  const [nameX, nameY] = at(degrees + 12, length + 0.1);
  name.setAttribute("x", nameX);
  name.setAttribute("y", String(Number(nameY) + 5));
}

function tell(input: HTMLInputElement, text: string): void {
  const shown = input.parentElement?.querySelector(".figure-value");
  if (shown) shown.textContent = text;
  input.setAttribute("aria-valuetext", text);
}
