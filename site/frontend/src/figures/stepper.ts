/** The stepper figure: one attention head step by step, with the origin of each number. */

import { button, element } from "../dom";
import { createShade } from "../shading";
import { cellPosition, type CellPosition, makeGrid, setTabStop } from "./figure";
import { type ComputedArray, computeHeadArrays, formatValue } from "./head-arrays";
import { CELLS_RAN_EVENT, type LessonArrays } from "./lesson-arrays";

class StepPanel {
  readonly #result: HTMLTableElement;
  readonly #operands: readonly HTMLTableElement[];
  readonly #description: HTMLElement | null;
  readonly #status = element("p", { class: "unseen", role: "status" });

  constructor(
    private readonly panel: HTMLElement,
    result: HTMLTableElement,
  ) {
    this.#result = result;
    this.#operands = [...panel.querySelectorAll<HTMLTableElement>("table:not([data-result])")];
    this.#description = panel.querySelector(".figure-said");
    this.#description?.after(this.#status);
    const last = (result.tBodies[0]?.rows.length ?? 1) - 1;
    makeGrid(result, [last, 0]);
    for (const event of ["focusin", "click"]) {
      result.addEventListener(event, ({ target }) => {
        const at = cellPosition(result, target);
        if (at) this.#show(at);
      });
    }
    this.#mark([last, 0]);
  }

  /** Select the last row's first number again, after the tables have got other numbers. */
  refresh(): void {
    const last = (this.#result.tBodies[0]?.rows.length ?? 1) - 1;
    setTabStop(this.#result, [last, 0]);
    const sum = this.#mark([last, 0]);
    if (this.#description) this.#description.textContent = sum;
  }

  #show(position: CellPosition): void {
    const sum = this.#mark(position);
    if (this.#description) this.#description.textContent = sum;
    this.#status.textContent = sum;
  }

  /** Outline a number and its operands; return the sum as text. */
  #mark([row, column]: CellPosition): string {
    for (const cell of this.panel.querySelectorAll(".from, .chosen")) cell.classList.remove("from", "chosen");
    const cell = cellAt(this.#result, row, column);
    cell?.classList.add("chosen");
    const how = this.panel.dataset.how;
    this.#operands.forEach((table, index) => {
      for (const [at, each] of [...(table.tBodies[0]?.rows ?? [])].entries()) {
        [...each.querySelectorAll("td")].forEach((number, to) => {
          const isIn = how === "product" ? (index === 0 ? at === row : to === column) : at === row;
          number.classList.toggle("from", isIn && (how !== "cell" || to === column));
        });
      }
    });
    return cell?.dataset.sum ?? "";
  }
}

function cellAt(table: HTMLTableElement, row: number, column: number): HTMLTableCellElement | undefined {
  return table.tBodies[0]?.rows[row]?.querySelectorAll("td")[column];
}

/** Shows the arrays of the reader's own last run in place of the lesson's. */
class LearnersArrays {
  readonly #tables: readonly HTMLTableElement[];
  readonly #lessonContent: ReadonlyMap<Element, readonly Node[]>; // the built nodes, for switching back
  readonly #switchButton = button("", () => this.#show(!this.#isShown), { class: "button" });
  readonly #switchLine = element("p", { class: "stepper-own", hidden: true }, this.#switchButton);
  #arrays: Record<string, ComputedArray> | null = null;
  #isShown = false;

  constructor(
    private readonly figure: HTMLElement,
    private readonly refresh: () => void,
  ) {
    this.#tables = [...figure.querySelectorAll<HTMLTableElement>("table[data-array]")];
    const parts = [...figure.querySelectorAll("table[data-array], .stepper-shape, [data-scale]")];
    this.#lessonContent = new Map(parts.map((part) => [part, [...part.childNodes]]));
    figure.querySelector("figcaption")?.after(this.#switchLine);
    const hasMask = this.#tables.some(({ dataset }) => dataset.array === "M");
    figure.addEventListener(CELLS_RAN_EVENT, (event) => {
      this.#arrays = computeHeadArrays((event as CustomEvent<LessonArrays>).detail, hasMask);
      this.#switchLine.hidden = this.#arrays === null;
      this.#show(this.#isShown && this.#arrays !== null);
    });
  }

  #show(isOwn: boolean): void {
    const isOther = isOwn || this.#isShown;
    this.#isShown = isOwn;
    this.#switchButton.textContent = isOwn ? "Show the lesson’s numbers" : "Show the numbers of your last run";
    if (!isOther) return;
    for (const [part, nodes] of this.#lessonContent) part.replaceChildren(...nodes);
    if (isOwn && this.#arrays) this.#fill(this.#arrays);
    this.refresh();
  }

  #fill(arrays: Record<string, ComputedArray>): void {
    for (const panel of this.figure.querySelectorAll(".stepper-panel")) {
      const tables = this.#tables.filter((table) => panel.contains(table));
      const steps = tables.map((table) => arrays[table.dataset.array ?? ""]);
      const shade = createShade(steps.flatMap((step) => step?.values.flat() ?? [])); // one scale for the whole panel
      tables.forEach((table, index) => steps[index] && fillTable(table, steps[index], shade));
    }
    const d = arrays["W_Q"]?.values[0]?.length ?? 0;
    const scale = this.figure.querySelector("[data-scale]");
    if (scale) scale.textContent = `A query has ${d} ${d === 1 ? "feature" : "features"}, so each score is divided by √${d}.`;
  }
}

/** Fill a table with a reader's numbers. Rows and columns are numbered, as their meaning is unknown. */
function fillTable(table: HTMLTableElement, { values, sum }: ComputedArray, shade: (value: number) => string): void {
  const heads = (values[0] ?? []).map((_, index) => element("th", { scope: "col" }, String(index)));
  const rows = values.map((row, i) => {
    const cells = row.map((value, j) => {
      const description = "result" in table.dataset && `row ${i}, column ${j}: ${sum(i, j)}`;
      return element("td", { class: shade(value), "data-sum": description || null }, formatValue(value));
    });
    return element("tr", {}, element("th", { scope: "row" }, String(i)), ...cells);
  });
  table.replaceChildren(element("thead", {}, element("tr", {}, element("td"), ...heads)), element("tbody", {}, ...rows));
  const shape = table.parentElement?.querySelector(".stepper-shape");
  if (shape) shape.textContent = `(${values.length}, ${values[0]?.length ?? 0})`;
}

export function startStepper(figure: HTMLElement): void {
  const radios = [...figure.querySelectorAll<HTMLInputElement>(".stepper-steps input")];
  const stepButtons = [...figure.querySelectorAll<HTMLButtonElement>("[data-by]")];
  const panels: StepPanel[] = [];
  for (const panel of figure.querySelectorAll<HTMLElement>(".stepper-panel")) {
    const result = panel.querySelector<HTMLTableElement>("[data-result]");
    if (result) panels.push(new StepPanel(panel, result));
  }
  new LearnersArrays(figure, () => panels.forEach((panel) => panel.refresh()));
  const current = (): number => radios.findIndex(({ checked }) => checked);
  const update = (): void => {
    for (const turn of stepButtons) turn.ariaDisabled = String(radios[current() + Number(turn.dataset.by)] === undefined);
  };
  for (const turn of stepButtons) {
    turn.addEventListener("click", () => {
      const next = radios[current() + Number(turn.dataset.by)];
      if (next) next.checked = true;
      update();
    });
  }
  for (const radio of radios) radio.addEventListener("change", update);
  update();
}
