/** The attention explorer: a sentence, its words with arcs between them, and the table of weights. */

import { element, findElement } from "../dom";
import { createShade } from "../shading";
import { drawArcs, tallHeight } from "./arcs";
import { attentionWeights, isKnown, type Matrix, type ToyModel } from "./attention";
import { describeCell, describeRow, fitInRow, type SentenceParts, formatPercent, roundHalfUp } from "./explorer-sentences";
import { readFigureData, makeGrid, cellPosition, FigureSentence, setTabStop } from "./figure";

const FEWEST_WORDS = 2;
const MOST_WORDS = 10;
const shadeWeight = createShade([0, 1]);

interface State {
  words: readonly string[];
  ask: number;
  head: number;
  mask: boolean;
  scale: boolean;
  temperature: number;
}

type CellPosition = readonly [query: number, key: number];

class Explorer {
  readonly #toy: ToyModel;
  readonly #said: FigureSentence;
  readonly #words: HTMLElement;
  readonly #sentence: HTMLInputElement;
  readonly #table: HTMLTableElement | null;
  readonly #built: State;
  #state: State;
  #met: CellPosition | null = null; // what is pointed at
  #weights: Matrix = [];

  constructor(private readonly figure: HTMLElement) {
    this.#toy = readFigureData(figure) as ToyModel;
    this.#said = new FigureSentence(figure);
    this.#words = findElement(".explorer-words", HTMLElement, figure);
    this.#sentence = findElement(".explorer-sentence", HTMLInputElement, figure);
    this.#table = figure.querySelector("table");
    this.#built = {
      words: splitWords(this.#sentence.defaultValue),
      ask: [...this.#radios()].findIndex(({ defaultChecked }) => defaultChecked),
      head: [...this.#heads()].findIndex(({ defaultChecked }) => defaultChecked),
      mask: this.#switch("mask")?.defaultChecked ?? false,
      scale: this.#switch("scale")?.defaultChecked ?? true,
      temperature: 2 ** Number(this.#switch("temperature")?.defaultValue ?? 0),
    };
    this.#state = { ...this.#built, head: Math.max(0, this.#built.head) };
    this.#weights = this.#compute(this.#state.head);
    this.#listen();
    this.#listenToTable();
  }

  #radios(): NodeListOf<HTMLInputElement> {
    return this.#words.querySelectorAll("input");
  }

  #heads(): NodeListOf<HTMLInputElement> {
    return this.figure.querySelectorAll(".explorer-heads input");
  }

  #switch(name: string): HTMLInputElement | null {
    return this.figure.querySelector(`[data-setting="${name}"]`);
  }

  #listen(): void {
    this.#words.addEventListener("change", ({ target }) => {
      this.#change({ ask: [...this.#radios()].indexOf(target as HTMLInputElement) });
    });
    this.#words.addEventListener("pointerover", ({ target, pointerType }) => {
      const label = (target as Element).closest("label");
      if (label && pointerType === "mouse") this.#point([this.#state.ask, [...this.#words.children].indexOf(label)]);
    });
    this.#words.addEventListener("pointerleave", () => this.#point(null));
    this.#heads().forEach((input, head) => input.addEventListener("change", () => this.#change({ head })));
    for (const name of ["mask", "scale"] as const) {
      const input = this.#switch(name);
      input?.addEventListener("change", () => this.#change({ [name]: input.checked }));
    }
    const slider = this.#switch("temperature");
    slider?.addEventListener("input", () => this.#change({ temperature: 2 ** Number(slider.value) }));
    this.#sentence.addEventListener("input", () => this.#read(this.#sentence.value));
    for (const button of this.figure.querySelectorAll<HTMLButtonElement>("[data-sentence]")) {
      button.addEventListener("click", () => this.#write(button.dataset.sentence ?? ""));
    }
    this.figure.querySelector("[data-reset]")?.addEventListener("click", () => this.#reset());
  }

  #listenToTable(): void {
    const table = this.#table;
    if (!table) return;
    makeGrid(table, [this.#state.ask, 0]);
    const cellAt = ({ target }: Event): CellPosition | null => cellPosition(table, target);
    table.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse") this.#point(cellAt(event));
    });
    table.addEventListener("pointerleave", () => this.#point(null));
    table.addEventListener("focusin", (event) => this.#point(cellAt(event)));
    table.addEventListener("focusout", () => this.#point(null));
    table.addEventListener("click", (event) => {
      const met = cellAt(event);
      if (met) this.#choose(met[0]);
    });
    table.addEventListener("keydown", (event) => {
      const met = event.key === "Enter" || event.key === " " ? cellAt(event) : null;
      if (!met) return;
      event.preventDefault();
      this.#choose(met[0]);
    });
  }

  /** Let the word of a row ask. */
  #choose(ask: number): void {
    const radio = this.#radios()[ask];
    if (radio) radio.checked = true;
    this.#change({ ask });
  }

  #read(text: string): void {
    const words = splitWords(text);
    if (words.length < FEWEST_WORDS) return;
    const ask = Math.min(this.#state.ask, words.length - 1);
    this.#build(words, ask);
    this.#change({ words, ask });
  }

  #write(text: string): void {
    this.#sentence.value = text;
    this.#read(text);
    const same = this.#state.words.indexOf(this.#built.words[this.#built.ask] ?? "");
    this.#choose(text === this.#sentence.defaultValue ? this.#built.ask : Math.max(same, 1));
  }

  #reset(): void {
    this.#sentence.value = this.#sentence.defaultValue;
    for (const input of this.figure.querySelectorAll("input")) {
      if (input.type === "range") input.value = input.defaultValue;
      else input.checked = input.defaultChecked;
    }
    this.#build(this.#built.words, this.#built.ask);
    this.#change({ ...this.#built, head: Math.max(0, this.#built.head) });
  }

  #change(changed: Partial<State>): void {
    this.#state = { ...this.#state, ...changed };
    this.#met = null;
    this.#weights = this.#compute(this.#state.head);
    this.#paint();
    this.#said.say(this.#sentenceOf(null));
  }

  #point(met: CellPosition | null): void {
    if (met === null && this.#met === null) return;
    this.#met = met;
    this.#paint();
    this.#said.show(this.#sentenceOf(met));
  }

  #compute(head: number): Matrix {
    return attentionWeights(this.#toy, this.#state.words, head, this.#state);
  }

  #sentenceOf(met: CellPosition | null): SentenceParts {
    const { words, ask, mask } = this.#state;
    if (met === null) return describeRow(words, this.#weights[ask] ?? [], ask, mask);
    return describeCell(words, this.#weights[met[0]]?.[met[1]] ?? 0, met[0], met[1], mask);
  }

  /** Make the words, the table and the small pictures for another sentence; `#paint` fills them. */
  #build(words: readonly string[], ask: number): void {
    const name = `${this.figure.id}-ask`;
    this.figure.classList.toggle("tall", !fitInRow(words));
    this.#words.replaceChildren(
      ...words.map((word, at) =>
        element(
          "label",
          { class: `explorer-word${isKnown(this.#toy, word) ? "" : " guessed"}` },
          element("input", { type: "radio", name, value: at, checked: at === ask }),
          element("span", { class: "explorer-chip" }, word),
          " ",
          element("span", { class: "explorer-share" }),
        ),
      ),
    );
    const picture = (): Node[] => words.map(() => element("span", {}, ...words.map(() => element("i"))));
    for (const each of this.figure.querySelectorAll(".explorer-picture")) each.replaceChildren(...picture());
    const table = this.#table;
    if (!table) return;
    table.tHead?.rows[0]?.replaceChildren(
      element("td"),
      ...words.map((word) => element("th", { scope: "col" }, element("span", {}, word))),
    );
    table.tBodies[0]?.replaceChildren(
      ...words.map((word) =>
        element("tr", {}, element("th", { scope: "row" }, word), ...words.map(() => element("td"))),
      ),
    );
    setTabStop(table, [ask, 0]);
  }

  #paint(): void {
    const { ask, mask } = this.#state;
    const query = this.#met?.[0] ?? ask;
    const key = this.#met?.[1] ?? null;
    this.#paintWords(this.#weights[query] ?? [], key);
    for (const isTall of [false, true]) {
      const drawing = findElement(isTall ? ".explorer-tall" : ".explorer-wide", SVGSVGElement, this.figure);
      if (isTall) drawing.setAttribute("viewBox", `0 0 130 ${tallHeight(this.#weights.length)}`);
      replaceArcs(drawing, drawArcs(this.#weights, query, key, isTall));
    }
    this.figure.querySelectorAll(".explorer-picture").forEach((picture, head) => {
      const weights = this.#compute(head);
      picture.querySelectorAll("i").forEach((cell, at) => {
        cell.className = shadeWeight(weights[Math.floor(at / weights.length)]?.[at % weights.length] ?? 0);
      });
    });
    [...(this.#table?.tBodies[0]?.rows ?? [])].forEach((row, at) => {
      row.classList.toggle("asked", at === query);
      [...row.cells].slice(1).forEach((cell, to) => {
        const isShut = mask && to > at;
        const weight = this.#weights[at]?.[to] ?? 0;
        cell.className = isShut ? "shut" : shadeWeight(weight);
        cell.classList.toggle("met", at === query && to === key);
        cell.replaceChildren(isShut ? element("span", { class: "unseen" }, "masked") : String(roundHalfUp(weight)));
      });
    });
    this.#table?.tHead?.querySelectorAll("th").forEach((head, at) => head.classList.toggle("met", at === key));
    const value = this.figure.querySelector(".figure-value");
    const temperature = this.#state.temperature.toFixed(2);
    if (value) value.textContent = temperature;
    this.#switch("temperature")?.setAttribute("aria-valuetext", temperature);
  }

  #paintWords(row: readonly number[], met: number | null): void {
    const top = row.indexOf(Math.max(...row));
    [...this.#words.children].forEach((label, at) => {
      const weight = row[at] ?? 0;
      const [chip, share] = [label.querySelector(".explorer-chip"), label.querySelector(".explorer-share")];
      if (chip) chip.className = `explorer-chip ${shadeWeight(weight)}`;
      if (share) share.textContent = formatPercent(weight);
      label.classList.toggle("top", at === top);
      label.classList.toggle("met", at === met);
    });
  }
}

/** Put arcs in the place of others; where as many are drawn, each moves to its new place. */
function replaceArcs(drawing: SVGSVGElement, arcs: readonly SVGElement[]): void {
  if (drawing.children.length !== arcs.length) {
    drawing.replaceChildren(...arcs);
    return;
  }
  arcs.forEach((arc, at) => {
    for (const { name, value } of arc.attributes) drawing.children[at]?.setAttribute(name, value);
  });
}

function splitWords(text: string): string[] {
  return text.trim().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
}

export function startExplorer(figure: HTMLElement): void {
  new Explorer(figure);
}
