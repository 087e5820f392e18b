/** A cell on the page: its code, which can be changed, its buttons, and what it shows. */

import { button, element, renderInlineCode } from "../dom";
import type { Editor } from "../editor";
import { makeHeatmapsExplorable } from "../heatmap";
import { numpyNames } from "../workers";
import { renderFigure, type MatrixFigure, type PlotFigure } from "./figures";
import type { Staleness } from "./notebook";

/** What Python gives of a cell that ran. */
export interface CellResult {
  readonly printed: string;
  readonly truncated: number; // bytes that were printed and are not in it
  readonly figures: readonly (MatrixFigure | PlotFigure)[];
  readonly problem: { readonly message: string; readonly line: number | null } | null;
}

/** What a cell asks of the page. */
export interface CellActions {
  run(): void;
  runAll(): void;
  stop(): void;
  edit(code: string): void;
  reset(): void;
}

/** What the page tells a cell. */
export interface CellStatus {
  readonly staleness: Staleness;
  readonly isEdited: boolean;
  readonly isOutOfStep: boolean; // so that it has to run with all above
  readonly isBusy: boolean; // some cell is running
}

const STALENESS_SENTENCES: Record<Staleness, string> = {
  "": "",
  edited: "You have changed the code since this was shown.",
  above: "A cell above has changed since this was shown.",
};

export class CellView {
  readonly #running = button("Stop", () => this.asked.stop(), { class: "button stop" });
  readonly #run = button("Run", () => this.asked.run(), { class: "button" });
  readonly #runAll = button("Run all above", () => this.asked.runAll(), { class: "button" });
  readonly #edit = button("Edit", () => void this.#open(), { class: "button" });
  readonly #reset = button("Reset", () => this.#putBack(), { class: "button" });
  readonly #said = element("p", { class: "cell-said", role: "status" });
  readonly #bar: HTMLElement;
  readonly #code: HTMLElement | null;
  readonly #built: readonly Node[]; // what it showed when the page was made
  #results: HTMLElement | null;
  #editor: Editor | null = null;
  #words = "";

  constructor(
    private readonly card: HTMLElement,
    private readonly name: string,
    private readonly source: string,
    private readonly asked: CellActions,
  ) {
    this.#code = card.querySelector<HTMLElement>(".cell-code");
    this.#results = card.querySelector<HTMLElement>(".results");
    this.#built = [...(this.#results?.childNodes ?? [])];
    const bar = card.querySelector<HTMLElement>(".cell-bar");
    this.#bar = bar ?? element("div", { class: "cell-bar", hidden: true });
    if (!bar) card.prepend(this.#bar);
    this.#bar.append(this.#run, this.#running, this.#runAll, this.#edit, this.#reset, this.#said);
    this.#run.ariaLabel = `Run ${name}`;
    this.#running.ariaLabel = `Stop ${name}`;
    this.#runAll.ariaLabel = `Run all above ${name}, and it`;
    this.#edit.ariaLabel = `Edit ${name}`;
    this.#reset.ariaLabel = `Reset ${name}`;
    this.#code?.addEventListener("click", () => void this.#open());
    this.#code?.addEventListener("pointerenter", () => void import("../editor"), { once: true });
    this.#edit.addEventListener("focus", () => void import("../editor"), { once: true });
  }

  /** Show how the cell stands among the others. */
  update({ staleness, isEdited, isOutOfStep, isBusy }: CellStatus): void {
    const isHidden = this.#code === null;
    this.card.toggleAttribute("data-stale", staleness !== "");
    this.#bar.hidden = isHidden && staleness === "";
    this.#run.hidden = isHidden;
    this.#run.disabled = isBusy;
    this.#runAll.hidden = !isOutOfStep && !(isHidden && staleness !== "");
    this.#runAll.disabled = isBusy;
    this.#edit.hidden = isHidden || this.#editor !== null;
    this.#reset.hidden = isHidden || !isEdited;
    this.#reset.disabled = isBusy;
    this.#running.hidden = true;
    this.card.removeAttribute("data-running");
    this.#say(STALENESS_SENTENCES[staleness] || this.#words);
  }

  /** Show that it runs, or waits for Python. */
  wait(words: string): void {
    this.card.setAttribute("data-running", "");
    this.#bar.hidden = false;
    this.#run.hidden = true;
    this.#running.hidden = false;
    this.#words = "";
    this.#say(words);
  }

  /** Remember what to say below the code as long as nothing is out of date. */
  note(words: string): void {
    this.#words = words;
  }

  /** Put what came of a run in the place of what was shown. */
  show({ printed, truncated, figures, problem }: CellResult): void {
    const shown: Node[] = figures.map(renderFigure);
    const text = printed.replace(/\n+$/, "");
    if (text) shown.unshift(element("p", { class: "unseen" }, "Prints:"), outputBox(text));
    if (truncated > 0) shown.push(element("p", { class: "nothing" }, `… and ${truncated} more bytes`));
    if (problem) shown.push(element("div", { class: "problem" }, renderInlineCode(problem.message)));
    this.#replace(shown);
    this.#editor?.mark(problem?.line ?? null);
  }

  /** Say why there is nothing to show; the reason may lie in another cell. */
  fail(message: string, because?: CellView): void {
    const there = because && element("a", { href: `#${because.card.id}` }, "Show that cell");
    this.#replace([element("div", { class: "problem" }, message, there && " ", there)]);
  }

  #replace(shown: readonly Node[]): void {
    if (shown.length === 0) {
      this.#results?.remove();
      this.#results = null;
      return;
    }
    if (!this.#results) {
      this.#results = element("div", { class: "results" });
      this.card.append(this.#results);
    }
    this.#results.replaceChildren(...shown);
    const isNew = !this.#built.includes(shown[0] as Node);
    if (isNew) makeHeatmapsExplorable(this.#results);
  }

  #putBack(): void {
    this.reset();
    this.focus();
  }

  /** Go to the button that runs it. */
  focus(): void {
    this.#run.focus();
  }

  /** Give it the lesson's own code, and what that shows. */
  reset(): void {
    this.#editor?.replace(this.source);
    this.#editor?.mark(null);
    this.#words = "";
    this.asked.reset();
    this.#replace(this.#built);
  }

  /** Put other code into the editor, mark the line that is new, and go to the button that runs it. */
  async put(code: string, line: number): Promise<void> {
    const fold = this.card.querySelector("details");
    if (fold) fold.open = true;
    await this.#open();
    this.#editor?.replace(code);
    this.#editor?.mark(line, "new");
    this.focus();
  }

  /** Put something behind it, unless it is there. */
  after(node: Node): void {
    if (this.card.nextSibling !== node) this.card.after(node);
  }

  async #open(): Promise<void> {
    if (this.#editor || !this.#code) return;
    const { createEditor } = await import("../editor");
    if (this.#editor) return; // asked twice
    const place = element("div", { class: "cell-code" });
    this.#editor = createEditor({
      parent: place,
      text: this.source,
      label: `Code of ${this.name}`,
      describedBy: "editor-help",
      keys: { "Mod-Enter": () => this.asked.run() },
      onChange: (code) => this.asked.edit(code),
      names: numpyNames,
    });
    this.#code.replaceChildren(...place.childNodes);
    this.#words ||= "Esc, then Tab, leaves the editor.";
    this.asked.edit(this.source);
    this.#editor.focus();
  }

  #say(words: string): void {
    if (this.#said.textContent !== words) this.#said.textContent = words;
  }
}

function outputBox(text: string): HTMLElement {
  const isWide = text.split("\n").some((line) => line.length > 34);
  return element("pre", { class: "code", tabindex: isWide && 0 }, element("code", {}, text));
}
