/** The view of a lesson's cell: its editor, its buttons and its results. */

import { button, element, renderInlineCode } from "../dom";
import type { Editor } from "../editor";
import { makeHeatmapsExplorable } from "../heatmap";
import { numpyNames } from "../workers";
import { type MatrixFigure, type PlotFigure, renderFigure } from "./figures";
import type { Staleness } from "./notebook";

/** The result that Python returns for a cell. */
export interface CellResult {
  readonly printed: string;
  readonly truncated: number; // number of printed bytes that were left out
  readonly figures: readonly (MatrixFigure | PlotFigure)[];
  readonly problem: { readonly message: string; readonly line: number | null } | null;
}

/** The page's functions that a cell's buttons call. */
export interface CellActions {
  run(): void;
  runAll(): void;
  stop(): void;
  edit(code: string): void;
  reset(): void;
}

/** A cell's status, which the page computes. */
export interface CellStatus {
  readonly staleness: Staleness;
  readonly isEdited: boolean;
  readonly isOutOfStep: boolean; // it can run only after all cells above
  readonly isBusy: boolean; // a cell of the lesson is running
}

const STALENESS_SENTENCES: Record<Staleness, string> = {
  "": "",
  edited: "You have changed the code since this was shown.",
  above: "A cell above has changed since this was shown.",
};

export class CellView {
  readonly #stopButton = button("Stop", () => this.actions.stop(), { class: "button stop" });
  readonly #runButton = button("Run", () => this.actions.run(), { class: "button" });
  readonly #runAllButton = button("Run all above", () => this.actions.runAll(), { class: "button" });
  readonly #editButton = button("Edit", () => void this.#openEditor(), { class: "button" });
  readonly #resetButton = button("Reset", () => this.#resetAndFocus(), { class: "button" });
  readonly #status = element("p", { class: "cell-said", role: "status" });
  readonly #toolbar: HTMLElement;
  readonly #code: HTMLElement | null;
  readonly #builtResults: readonly Node[]; // the lesson's own results
  #results: HTMLElement | null;
  #editor: Editor | null = null;
  #note = "";

  constructor(
    private readonly card: HTMLElement,
    private readonly name: string,
    private readonly source: string,
    private readonly actions: CellActions,
  ) {
    this.#code = card.querySelector<HTMLElement>(".cell-code");
    this.#results = card.querySelector<HTMLElement>(".results");
    this.#builtResults = [...(this.#results?.childNodes ?? [])];
    const bar = card.querySelector<HTMLElement>(".cell-bar");
    this.#toolbar = bar ?? element("div", { class: "cell-bar", hidden: true });
    if (!bar) card.prepend(this.#toolbar);
    this.#toolbar.append(this.#runButton, this.#stopButton, this.#runAllButton, this.#editButton, this.#resetButton, this.#status);
    this.#runButton.ariaLabel = `Run ${name}`;
    this.#stopButton.ariaLabel = `Stop ${name}`;
    this.#runAllButton.ariaLabel = `Run all above ${name}, and it`;
    this.#editButton.ariaLabel = `Edit ${name}`;
    this.#resetButton.ariaLabel = `Reset ${name}`;
    this.#code?.addEventListener("click", () => void this.#openEditor());
    this.#code?.addEventListener("pointerenter", () => void import("../editor"), { once: true });
    this.#editButton.addEventListener("focus", () => void import("../editor"), { once: true });
  }

  /** Show the cell's status. */
  update({ staleness, isEdited, isOutOfStep, isBusy }: CellStatus): void {
    const isHidden = this.#code === null;
    this.card.toggleAttribute("data-stale", staleness !== "");
    this.#toolbar.hidden = isHidden && staleness === "";
    this.#runButton.hidden = isHidden;
    this.#runButton.disabled = isBusy;
    this.#runAllButton.hidden = !isOutOfStep && !(isHidden && staleness !== "");
    this.#runAllButton.disabled = isBusy;
    this.#editButton.hidden = isHidden || this.#editor !== null;
    this.#resetButton.hidden = isHidden || !isEdited;
    this.#resetButton.disabled = isBusy;
    this.#stopButton.hidden = true;
    this.card.removeAttribute("data-running");
    this.#showStatus(STALENESS_SENTENCES[staleness] || this.#note);
  }

  /** Show that the cell is running, or is waiting for Python. */
  showRunning(words: string): void {
    this.card.setAttribute("data-running", "");
    this.#toolbar.hidden = false;
    this.#runButton.hidden = true;
    this.#stopButton.hidden = false;
    this.#note = "";
    this.#showStatus(words);
  }

  /** Set the note that stands below the code while the result is current. */
  setNote(words: string): void {
    this.#note = words;
  }

  /** Replace the shown results by those of a run. */
  showResult({ printed, truncated, figures, problem }: CellResult): void {
    const nodes: Node[] = figures.map(renderFigure);
    const text = printed.replace(/\n+$/, "");
    if (text) nodes.unshift(element("p", { class: "unseen" }, "Prints:"), outputBox(text));
    if (truncated > 0) nodes.push(element("p", { class: "nothing" }, `… and ${truncated} more bytes`));
    if (problem) nodes.push(element("div", { class: "problem" }, renderInlineCode(problem.message)));
    this.#replaceResults(nodes);
    this.#editor?.mark(problem?.line ?? null);
  }

  /** Show the reason for a missing result, with a link to the cell that caused it. */
  showFailure(message: string, because?: CellView): void {
    const link = because && element("a", { href: `#${because.card.id}` }, "Show that cell");
    this.#replaceResults([element("div", { class: "problem" }, message, link && " ", link)]);
  }

  #replaceResults(nodes: readonly Node[]): void {
    if (nodes.length === 0) {
      this.#results?.remove();
      this.#results = null;
      return;
    }
    if (!this.#results) {
      this.#results = element("div", { class: "results" });
      this.card.append(this.#results);
    }
    this.#results.replaceChildren(...nodes);
    const isNew = !this.#builtResults.includes(nodes[0] as Node);
    if (isNew) makeHeatmapsExplorable(this.#results);
  }

  #resetAndFocus(): void {
    this.reset();
    this.focus();
  }

  /** Focus the button that runs the cell. */
  focus(): void {
    this.#runButton.focus();
  }

  /** Restore the lesson's own code and results. */
  reset(): void {
    this.#editor?.replace(this.source);
    this.#editor?.mark(null);
    this.#note = "";
    this.actions.reset();
    this.#replaceResults(this.#builtResults);
  }

  /** Replace the code, mark its new line, and focus the button that runs the cell. */
  async replaceCode(code: string, line: number): Promise<void> {
    const fold = this.card.querySelector("details");
    if (fold) fold.open = true;
    await this.#openEditor();
    this.#editor?.replace(code);
    this.#editor?.mark(line, "new");
    this.focus();
  }

  /** Insert a node after the cell, unless it is there already. */
  insertAfter(node: Node): void {
    if (this.card.nextSibling !== node) this.card.after(node);
  }

  async #openEditor(): Promise<void> {
    if (this.#editor || !this.#code) return;
    const { createEditor } = await import("../editor");
    if (this.#editor) return; // a second click while the editor was loading
    const place = element("div", { class: "cell-code" });
    this.#editor = createEditor({
      parent: place,
      text: this.source,
      label: `Code of ${this.name}`,
      describedBy: "editor-help",
      keys: { "Mod-Enter": () => this.actions.run() },
      onChange: (code) => this.actions.edit(code),
      names: numpyNames,
    });
    this.#code.replaceChildren(...place.childNodes);
    this.#note ||= "Esc, then Tab, leaves the editor.";
    this.actions.edit(this.source);
    this.#editor.focus();
  }

  #showStatus(words: string): void {
    if (this.#status.textContent !== words) this.#status.textContent = words;
  }
}

function outputBox(text: string): HTMLElement {
  const isWide = text.split("\n").some((line) => line.length > 34);
  return element("pre", { class: "code", tabindex: isWide && 0 }, element("code", {}, text));
}
