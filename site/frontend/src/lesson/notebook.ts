/**
 * The cells of a lesson, which share one namespace. Records the code of each at its last run, and so knows
 * which of the shown results are out of date.
 */

/** The reason why a result is out of date: its own cell or a cell above was edited; "" if it is current. */
export type Staleness = "" | "edited" | "above";

interface Cell {
  code: string;
  runCodes: readonly string[] | null; // the code of all cells up to this one, at its last run in this Python
  shownCodes: readonly string[] | null; // the same for the shown result; null if cells were out of step
}

export class Notebook {
  readonly #cells: Cell[];
  readonly #builtCodes: readonly string[];

  /** @param builtCodes - the lesson's own code of each cell, whose results the page shows */
  constructor(builtCodes: readonly string[]) {
    this.#builtCodes = builtCodes;
    this.#cells = builtCodes.map((code, index) => ({ code, runCodes: null, shownCodes: builtCodes.slice(0, index + 1) }));
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

  /** The first cell whose shown result is not of the lesson's own code. */
  get firstChanged(): number | undefined {
    const index = this.#cells.findIndex(({ shownCodes }, each) => !areEqual(shownCodes ?? [], this.#builtCodes.slice(0, each + 1)));
    return index < 0 ? undefined : index;
  }

  /** Restore a cell's own code and result. */
  reset(index: number): void {
    this.edit(index, this.#builtCodes[index] ?? "");
    this.#cell(index).shownCodes = this.#builtCodes.slice(0, index + 1);
  }

  /** Forget all runs, because Python has started again. */
  forgetRuns(): void {
    for (const cell of this.#cells) cell.runCodes = null;
  }

  /** Return the cells to run for one cell: those above that have not run yet, and the cell itself. */
  cellsToRun(index: number): number[] {
    return this.cellsThrough(index).filter((each) => each === index || this.#cell(each).runCodes === null);
  }

  /** Return a cell and all above it. */
  cellsThrough(index: number): number[] {
    return Array.from({ length: index + 1 }, (_, index) => index);
  }

  /** Return whether a cell above was edited since its run, so that all must run again. */
  isOutOfStep(index: number): boolean {
    return this.cellsThrough(index).some((each) => each !== index && this.#cell(each).runCodes !== null && !this.#isCurrent(each));
  }

  /** Record that a cell has run, to its end or to an error. */
  recordRun(index: number): void {
    const inStep = this.cellsThrough(index).every((each) => each === index || this.#isCurrent(each));
    const cell = this.#cell(index);
    cell.runCodes = inStep ? this.#codesTo(index) : [];
    cell.shownCodes = inStep ? this.#codesTo(index) : null;
  }

  staleness(index: number): Staleness {
    const { shownCodes } = this.#cell(index);
    if (shownCodes === null) return "above";
    if (shownCodes[index] !== this.code(index)) return "edited";
    return areEqual(shownCodes, this.#codesTo(index)) ? "" : "above";
  }

  #isCurrent(index: number): boolean {
    const { runCodes } = this.#cell(index);
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
