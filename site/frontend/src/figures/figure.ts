/** Shared parts of the figures: their data, the sentence below them, and arrow keys in a table. */

import { element, findElement } from "../dom";
import type { SentenceParts } from "./explorer-sentences";

const ANNOUNCE_DELAY_MS = 500; // waits until a slider rests

/** The sentence below a figure. Changes are announced to screen readers after a pause. */
export class FigureSentence {
  readonly #place: HTMLElement;
  readonly #status = element("p", { class: "unseen", role: "status" });
  #timer = 0;

  constructor(figure: HTMLElement) {
    this.#place = figure.querySelector<HTMLElement>(".figure-said") ?? element("p");
    this.#place.after(this.#status);
  }

  /** Show a sentence without announcing it, such as while the pointer moves. */
  show(parts: SentenceParts): void {
    this.#place.replaceChildren(...parts.map((part, index) => (index % 2 ? element("b", {}, part) : part)));
  }

  /** Show a sentence and announce it. */
  announce(parts: SentenceParts): void {
    this.show(parts);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#status.textContent = parts.join("")), ANNOUNCE_DELAY_MS);
  }
}

/** Read the JSON that the builder wrote into a figure. */
export function readFigureData(figure: HTMLElement): unknown {
  const script = figure.querySelector<HTMLScriptElement>('script[type="application/json"]');
  return JSON.parse(script?.text ?? "null");
}

const KEY_STEPS: Readonly<Record<string, CellPosition>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

/** Find the input of a figure's setting. */
export function findSetting(figure: HTMLElement, name: string): HTMLInputElement {
  return findElement(`[data-setting="${name}"]`, HTMLInputElement, figure);
}

/** Show the value of a setting beside its input, and to screen readers. */
export function showSetting(input: HTMLInputElement, text: string): void {
  const output = input.parentElement?.querySelector(".figure-value");
  if (output) output.textContent = text;
  input.setAttribute("aria-valuetext", text);
}

/** The place of a cell in the body of a table. */
export type CellPosition = readonly [row: number, column: number];

/** Make a table a grid: one stop of the Tab key, in which arrow keys move from cell to cell. */
export function makeGrid(table: HTMLTableElement, start: CellPosition): void {
  table.setAttribute("role", "grid");
  setTabStop(table, start);
  table.addEventListener("focusin", ({ target }) => {
    const at = cellPosition(table, target);
    if (at) setTabStop(table, at);
  });
  table.addEventListener("keydown", (event) => {
    const [step, at] = [KEY_STEPS[event.key], cellPosition(table, event.target)];
    if (!step || !at || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const rows = bodyCells(table);
    const row = rows[clamp(at[0] + step[0], rows.length)] ?? [];
    row[clamp(at[1] + step[1], row.length)]?.focus();
  });
}

/** Make one cell the table's only stop of the Tab key. */
export function setTabStop(table: HTMLTableElement, [row, column]: CellPosition): void {
  bodyCells(table).forEach((cells, index) =>
    cells.forEach((cell, to) => (cell.tabIndex = index === row && to === column ? 0 : -1)),
  );
}

/** Return the row and column of an event's target in the body of a table, or null. */
export function cellPosition(table: HTMLTableElement, target: EventTarget | null): CellPosition | null {
  const cell = target instanceof Element ? target.closest("td") : null;
  const index = cell ? bodyCells(table).findIndex((cells) => cells.includes(cell)) : -1;
  return cell && index >= 0 ? [index, bodyCells(table)[index]?.indexOf(cell) ?? 0] : null;
}

function bodyCells(table: HTMLTableElement): HTMLTableCellElement[][] {
  return [...(table.tBodies[0]?.rows ?? [])].map((row) => [...row.querySelectorAll("td")]);
}

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}
