/** One head step by step: where each number of a result comes from. */

import { element } from "../dom";
import { moveInTable, placeIn } from "./figure";

type Place = readonly [row: number, column: number];

class Panel {
  readonly #result: HTMLTableElement;
  readonly #operands: readonly HTMLTableElement[];
  readonly #said: HTMLElement | null;
  readonly #status = element("p", { class: "unseen", role: "status" });

  constructor(
    private readonly panel: HTMLElement,
    result: HTMLTableElement,
  ) {
    this.#result = result;
    this.#operands = [...panel.querySelectorAll<HTMLTableElement>("table:not([data-result])")];
    this.#said = panel.querySelector(".figure-said");
    this.#said?.after(this.#status);
    const last = (result.tBodies[0]?.rows.length ?? 1) - 1;
    moveInTable(result, [last, 0]);
    for (const event of ["focusin", "click"]) {
      result.addEventListener(event, ({ target }) => {
        const at = placeIn(result, target);
        if (at) this.#show(at);
      });
    }
    this.#mark([last, 0]);
  }

  #show(at: Place): void {
    const sum = this.#mark(at);
    if (this.#said) this.#said.textContent = sum;
    this.#status.textContent = sum;
  }

  /** Outline a number and what it comes from; return its sum. */
  #mark([row, column]: Place): string {
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

export function start(figure: HTMLElement): void {
  const radios = [...figure.querySelectorAll<HTMLInputElement>(".stepper-steps input")];
  const turns = [...figure.querySelectorAll<HTMLButtonElement>("[data-by]")];
  for (const panel of figure.querySelectorAll<HTMLElement>(".stepper-panel")) {
    const result = panel.querySelector<HTMLTableElement>("[data-result]");
    if (result) new Panel(panel, result);
  }
  const current = (): number => radios.findIndex(({ checked }) => checked);
  const update = (): void => {
    for (const turn of turns) turn.ariaDisabled = String(radios[current() + Number(turn.dataset.by)] === undefined);
  };
  for (const turn of turns) {
    turn.addEventListener("click", () => {
      const next = radios[current() + Number(turn.dataset.by)];
      if (next) next.checked = true;
      update();
    });
  }
  for (const radio of radios) radio.addEventListener("change", update);
  update();
}
