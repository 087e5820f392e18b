/**
 * The cells of a lesson, which share one namespace: what each was when it ran, and so what of the
 * shown is out of date.
 */

/** Why an output is not what the code on the page gives: its own cell has changed, or one above. */
export type Staleness = "" | "edited" | "above";

interface Cell {
  code: string;
  runCodes: readonly string[] | null; // the code of all cells to this one when it ran in this Python
  shownCodes: readonly string[] | null; // the same of what it shows; null where cells were out of step
}

export class Notebook {
  readonly #cells: Cell[];
  readonly #builtCodes: readonly string[];

  /** @param builtCodes - the code of each cell when the page was made, with what it shows */
  constructor(builtCodes: readonly string[]) {
    this.#builtCodes = builtCodes;
    this.#cells = builtCodes.map((code, at) => ({ code, runCodes: null, shownCodes: builtCodes.slice(0, at + 1) }));
  }

  get length(): number {
    return this.#cells.length;
  }

  code(at: number): string {
    return this.#cell(at).code;
  }

  edit(at: number, code: string): void {
    this.#cell(at).code = code;
  }

  isEdited(at: number): boolean {
    return this.code(at) !== this.#builtCodes[at];
  }

  /** The first cell that shows what other code than the lesson's own has given, if there is one. */
  get firstChanged(): number | undefined {
    const at = this.#cells.findIndex(({ shownCodes }, each) => !areEqual(shownCodes ?? [], this.#builtCodes.slice(0, each + 1)));
    return at < 0 ? undefined : at;
  }

  /** Give a cell the code that it was built with, and what it showed then. */
  reset(at: number): void {
    this.edit(at, this.#builtCodes[at] ?? "");
    this.#cell(at).shownCodes = this.#builtCodes.slice(0, at + 1);
  }

  /** Python is a new one, in which nothing has run. */
  forgetRuns(): void {
    for (const cell of this.#cells) cell.runCodes = null;
  }

  /** The cells to run for one: those above that have not run yet, and itself. */
  cellsToRun(at: number): number[] {
    return this.cellsThrough(at).filter((each) => each === at || this.#cell(each).runCodes === null);
  }

  /** A cell and all above it. */
  cellsThrough(at: number): number[] {
    return Array.from({ length: at + 1 }, (_, index) => index);
  }

  /** Whether a cell above ran as another code than what is there now, so that all must run anew. */
  isOutOfStep(at: number): boolean {
    return this.cellsThrough(at).some((each) => each !== at && this.#cell(each).runCodes !== null && !this.#isCurrent(each));
  }

  /** A cell has run to its end, or to its error. */
  recordRun(at: number): void {
    const inStep = this.cellsThrough(at).every((each) => each === at || this.#isCurrent(each));
    const cell = this.#cell(at);
    cell.runCodes = inStep ? this.#codesTo(at) : [];
    cell.shownCodes = inStep ? this.#codesTo(at) : null;
  }

  staleness(at: number): Staleness {
    const { shownCodes: shownCodes } = this.#cell(at);
    if (shownCodes === null) return "above";
    if (shownCodes[at] !== this.code(at)) return "edited";
    return areEqual(shownCodes, this.#codesTo(at)) ? "" : "above";
  }

  #isCurrent(at: number): boolean {
    const { runCodes: runCodes } = this.#cell(at);
    return runCodes !== null && areEqual(runCodes, this.#codesTo(at));
  }

  #codesTo(at: number): string[] {
    return this.cellsThrough(at).map((each) => this.code(each));
  }

  #cell(at: number): Cell {
    const cell = this.#cells[at];
    if (!cell) throw new Error(`there is no cell ${at}`);
    return cell;
  }
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((code, at) => code === other[at]);
}
