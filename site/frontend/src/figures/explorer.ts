/** The attention explorer: a sentence, its words with arcs between them, and the table of weights. */

import { element, findElement } from "../dom";
import { createShade } from "../shading";
import { formatPercent } from "../text";
import { drawArcs, tallHeight } from "./arcs";
import { attentionWeights, isKnownWord, type Matrix, type ToyModel } from "./attention";
import { describeCell, describeRow, fitInRow, type SentenceParts } from "./explorer-sentences";
import { cellPosition, type CellPosition, FigureSentence, makeGrid, readFigureData, setTabStop, showSetting } from "./figure";

const MIN_WORDS = 2;
const MAX_WORDS = 10;
const shadeWeight = createShade([0, 1]);

interface ExplorerState {
  words: readonly string[];
  query: number;
  head: number;
  mask: boolean;
  scale: boolean;
  temperature: number;
}

class Explorer {
  readonly #toy: ToyModel;
  readonly #description: FigureSentence;
  readonly #wordList: HTMLElement;
  readonly #sentenceInput: HTMLInputElement;
  readonly #table: HTMLTableElement | null;
  readonly #initialState: ExplorerState;
  #state: ExplorerState;
  #pointedCell: CellPosition | null = null; // the cell under the pointer or with the focus
  #weights: Matrix = [];

  constructor(private readonly figure: HTMLElement) {
    this.#toy = readFigureData(figure) as ToyModel;
    this.#description = new FigureSentence(figure);
    this.#wordList = findElement(".explorer-words", HTMLElement, figure);
    this.#sentenceInput = findElement(".explorer-sentence", HTMLInputElement, figure);
    this.#table = figure.querySelector("table");
    this.#initialState = {
      words: splitSentence(this.#sentenceInput.defaultValue),
      query: [...this.#wordInputs()].findIndex(({ defaultChecked }) => defaultChecked),
      head: [...this.#headInputs()].findIndex(({ defaultChecked }) => defaultChecked),
      mask: this.#settingInput("mask")?.defaultChecked ?? false,
      scale: this.#settingInput("scale")?.defaultChecked ?? true,
      temperature: 2 ** Number(this.#settingInput("temperature")?.defaultValue ?? 0),
    };
    this.#state = { ...this.#initialState, head: Math.max(0, this.#initialState.head) };
    this.#weights = this.#computeWeights(this.#state.head);
    this.#addListeners();
    this.#addTableListeners();
  }

  #wordInputs(): NodeListOf<HTMLInputElement> {
    return this.#wordList.querySelectorAll("input");
  }

  #headInputs(): NodeListOf<HTMLInputElement> {
    return this.figure.querySelectorAll(".explorer-heads input");
  }

  #settingInput(name: string): HTMLInputElement | null {
    return this.figure.querySelector(`[data-setting="${name}"]`);
  }

  #addListeners(): void {
    this.#wordList.addEventListener("change", ({ target }) => {
      this.#change({ query: [...this.#wordInputs()].indexOf(target as HTMLInputElement) });
    });
    this.#wordList.addEventListener("pointerover", ({ target, pointerType }) => {
      const label = (target as Element).closest("label");
      if (label && pointerType === "mouse") this.#pointAt([this.#state.query, [...this.#wordList.children].indexOf(label)]);
    });
    this.#wordList.addEventListener("pointerleave", () => this.#pointAt(null));
    this.#headInputs().forEach((input, head) => input.addEventListener("change", () => this.#change({ head })));
    for (const name of ["mask", "scale"] as const) {
      const input = this.#settingInput(name);
      input?.addEventListener("change", () => this.#change({ [name]: input.checked }));
    }
    const slider = this.#settingInput("temperature");
    slider?.addEventListener("input", () => this.#change({ temperature: 2 ** Number(slider.value) }));
    this.#sentenceInput.addEventListener("input", () => this.#readSentence(this.#sentenceInput.value));
    for (const button of this.figure.querySelectorAll<HTMLButtonElement>("[data-sentence]")) {
      button.addEventListener("click", () => this.#writeSentence(button.dataset.sentence ?? ""));
    }
    this.figure.querySelector("[data-reset]")?.addEventListener("click", () => this.#reset());
  }

  #addTableListeners(): void {
    const table = this.#table;
    if (!table) return;
    makeGrid(table, [this.#state.query, 0]);
    const cellAt = ({ target }: Event): CellPosition | null => cellPosition(table, target);
    table.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse") this.#pointAt(cellAt(event));
    });
    table.addEventListener("pointerleave", () => this.#pointAt(null));
    table.addEventListener("focusin", (event) => this.#pointAt(cellAt(event)));
    table.addEventListener("focusout", () => this.#pointAt(null));
    table.addEventListener("click", (event) => {
      const cell = cellAt(event);
      if (cell) this.#selectQuery(cell[0]);
    });
    table.addEventListener("keydown", (event) => {
      const cell = event.key === "Enter" || event.key === " " ? cellAt(event) : null;
      if (!cell) return;
      event.preventDefault();
      this.#selectQuery(cell[0]);
    });
  }

  /** Select a word as the query. */
  #selectQuery(query: number): void {
    const radio = this.#wordInputs()[query];
    if (radio) radio.checked = true;
    this.#change({ query });
  }

  #readSentence(text: string): void {
    const words = splitSentence(text);
    if (words.length < MIN_WORDS) return;
    const query = Math.min(this.#state.query, words.length - 1);
    this.#buildWords(words, query);
    this.#change({ words, query });
  }

  #writeSentence(text: string): void {
    this.#sentenceInput.value = text;
    this.#readSentence(text);
    const same = this.#state.words.indexOf(this.#initialState.words[this.#initialState.query] ?? "");
    this.#selectQuery(text === this.#sentenceInput.defaultValue ? this.#initialState.query : Math.max(same, 1));
  }

  #reset(): void {
    this.#sentenceInput.value = this.#sentenceInput.defaultValue;
    for (const input of this.figure.querySelectorAll("input")) {
      if (input.type === "range") input.value = input.defaultValue;
      else input.checked = input.defaultChecked;
    }
    this.#buildWords(this.#initialState.words, this.#initialState.query);
    this.#change({ ...this.#initialState, head: Math.max(0, this.#initialState.head) });
  }

  #change(changes: Partial<ExplorerState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#pointedCell = null;
    this.#weights = this.#computeWeights(this.#state.head);
    this.#paint();
    this.#description.announce(this.#describe(null));
  }

  #pointAt(cell: CellPosition | null): void {
    if (cell === null && this.#pointedCell === null) return;
    this.#pointedCell = cell;
    this.#paint();
    this.#description.show(this.#describe(cell));
  }

  #computeWeights(head: number): Matrix {
    return attentionWeights(this.#toy, this.#state.words, head, this.#state);
  }

  #describe(cell: CellPosition | null): SentenceParts {
    const { words, query, mask } = this.#state;
    if (cell === null) return describeRow(words, this.#weights[query] ?? [], query, mask);
    return describeCell(words, this.#weights[cell[0]]?.[cell[1]] ?? 0, cell[0], cell[1], mask);
  }

  /** Build the words, the table and the small pictures for a sentence; `#paint` fills them. */
  #buildWords(words: readonly string[], query: number): void {
    const name = `${this.figure.id}-ask`;
    this.figure.classList.toggle("tall", !fitInRow(words));
    this.#wordList.replaceChildren(
      ...words.map((word, index) =>
        element(
          "label",
          { class: `explorer-word${isKnownWord(this.#toy, word) ? "" : " guessed"}` },
          element("input", { type: "radio", name, value: index, checked: index === query }),
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
    setTabStop(table, [query, 0]);
  }

  #paint(): void {
    const { query, mask } = this.#state;
    const activeQuery = this.#pointedCell?.[0] ?? query;
    const key = this.#pointedCell?.[1] ?? null;
    this.#paintWords(this.#weights[activeQuery] ?? [], key);
    for (const isTall of [false, true]) {
      const drawing = findElement(isTall ? ".explorer-tall" : ".explorer-wide", SVGSVGElement, this.figure);
      if (isTall) drawing.setAttribute("viewBox", `0 0 130 ${tallHeight(this.#weights.length)}`);
      replaceArcs(drawing, drawArcs(this.#weights, activeQuery, key, isTall));
    }
    this.figure.querySelectorAll(".explorer-picture").forEach((picture, head) => {
      const weights = this.#computeWeights(head);
      picture.querySelectorAll("i").forEach((cell, index) => {
        cell.className = shadeWeight(weights[Math.floor(index / weights.length)]?.[index % weights.length] ?? 0);
      });
    });
    [...(this.#table?.tBodies[0]?.rows ?? [])].forEach((row, index) => {
      row.classList.toggle("asked", index === activeQuery);
      [...row.cells].slice(1).forEach((cell, to) => {
        const isShut = mask && to > index;
        const weight = this.#weights[index]?.[to] ?? 0;
        cell.className = isShut ? "shut" : shadeWeight(weight);
        cell.classList.toggle("met", index === activeQuery && to === key);
        cell.replaceChildren(isShut ? element("span", { class: "unseen" }, "masked") : String(Math.round(100 * weight)));
      });
    });
    this.#table?.tHead?.querySelectorAll("th").forEach((head, index) => head.classList.toggle("met", index === key));
    const temperature = this.#settingInput("temperature");
    if (temperature) showSetting(temperature, this.#state.temperature.toFixed(2));
  }

  #paintWords(row: readonly number[], pointedKey: number | null): void {
    const top = row.indexOf(Math.max(...row));
    [...this.#wordList.children].forEach((label, index) => {
      const weight = row[index] ?? 0;
      const [chip, share] = [label.querySelector(".explorer-chip"), label.querySelector(".explorer-share")];
      if (chip) chip.className = `explorer-chip ${shadeWeight(weight)}`;
      if (share) share.textContent = formatPercent(weight);
      label.classList.toggle("top", index === top);
      label.classList.toggle("met", index === pointedKey);
    });
  }
}

/** Replace the arcs. If their number stays, update them in place, so that they move. */
function replaceArcs(drawing: SVGSVGElement, arcs: readonly SVGElement[]): void {
  if (drawing.children.length !== arcs.length) {
    drawing.replaceChildren(...arcs);
    return;
  }
  arcs.forEach((arc, index) => {
    for (const { name, value } of arc.attributes) drawing.children[index]?.setAttribute(name, value);
  });
}

function splitSentence(text: string): string[] {
  return text.trim().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
}

export function startExplorer(figure: HTMLElement): void {
  new Explorer(figure);
}
