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
    this.#cells = builtCodes.map((code, index) => ({ code, runCodes: null, shownCodes: builtCodes.slice(0, index + 1) }));
  }

  get length(): number {
    return this.#cells.length;
  }

  code(index: number): string {
    return this.#cell(index).code;
  }

  edit(index: number, code: string): void {
    this.#cell(index).code = code;
  }

  isEdited(index: number): boolean {
    return this.code(index) !== this.#builtCodes[index];
  }

  /** The first cell that shows what other code than the lesson's own has given, if there is one. */
  get firstChanged(): number | undefined {
    const index = this.#cells.findIndex(({ shownCodes }, each) => !areEqual(shownCodes ?? [], this.#builtCodes.slice(0, each + 1)));
    return index < 0 ? undefined : index;
  }

  /** Give a cell the code that it was built with, and what it showed then. */
  reset(index: number): void {
    this.edit(index, this.#builtCodes[index] ?? "");
    this.#cell(index).shownCodes = this.#builtCodes.slice(0, index + 1);
  }

  /** Python is a new one, in which nothing has run. */
  forgetRuns(): void {
    for (const cell of this.#cells) cell.runCodes = null;
  }

  /** The cells to run for one: those above that have not run yet, and itself. */
  cellsToRun(index: number): number[] {
    return this.cellsThrough(index).filter((each) => each === index || this.#cell(each).runCodes === null);
  }

  /** A cell and all above it. */
  cellsThrough(index: number): number[] {
    return Array.from({ length: index + 1 }, (_, index) => index);
  }

  /** Whether a cell above ran as another code than what is there now, so that all must run anew. */
  isOutOfStep(index: number): boolean {
    return this.cellsThrough(index).some((each) => each !== index && this.#cell(each).runCodes !== null && !this.#isCurrent(each));
  }

  /** A cell has run to its end, or to its error. */
  recordRun(index: number): void {
    const inStep = this.cellsThrough(index).every((each) => each === index || this.#isCurrent(each));
    const cell = this.#cell(index);
    cell.runCodes = inStep ? this.#codesTo(index) : [];
    cell.shownCodes = inStep ? this.#codesTo(index) : null;
  }

  staleness(index: number): Staleness {
    const { shownCodes: shownCodes } = this.#cell(index);
    if (shownCodes === null) return "above";
    if (shownCodes[index] !== this.code(index)) return "edited";
    return areEqual(shownCodes, this.#codesTo(index)) ? "" : "above";
  }

  #isCurrent(index: number): boolean {
    const { runCodes: runCodes } = this.#cell(index);
    return runCodes !== null && areEqual(runCodes, this.#codesTo(index));
  }

  #codesTo(index: number): string[] {
    return this.cellsThrough(index).map((each) => this.code(each));
  }

  #cell(index: number): Cell {
    const cell = this.#cells[index];
    if (!cell) throw new Error(`there is no cell ${index}`);
    return cell;
  }
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((code, index) => code === other[index]);
}
