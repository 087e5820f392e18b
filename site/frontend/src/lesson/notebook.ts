/**
 * The cells of a lesson, which share one namespace: what each was when it ran, and so what of the
 * shown is out of date.
 */

/** Why an output is not what the code on the page gives: its own cell has changed, or one above. */
export type Staleness = "" | "edited" | "above";

interface Cell {
  code: string;
  ran: readonly string[] | null; // the code of all cells to this one when it ran in this Python
  shown: readonly string[] | null; // the same of what it shows; null where cells were out of step
}

export class Notebook {
  readonly #cells: Cell[];
  readonly #built: readonly string[];

  /** @param built - the code of each cell when the page was made, with what it shows */
  constructor(built: readonly string[]) {
    this.#built = built;
    this.#cells = built.map((code, at) => ({ code, ran: null, shown: built.slice(0, at + 1) }));
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
    return this.code(at) !== this.#built[at];
  }

  /** The first cell that shows what other code than the lesson's own has given, if there is one. */
  get firstChanged(): number | undefined {
    const at = this.#cells.findIndex(({ shown }, each) => !areEqual(shown ?? [], this.#built.slice(0, each + 1)));
    return at < 0 ? undefined : at;
  }

  /** Give a cell the code that it was built with, and what it showed then. */
  reset(at: number): void {
    this.edit(at, this.#built[at] ?? "");
    this.#cell(at).shown = this.#built.slice(0, at + 1);
  }

  /** Python is a new one, in which nothing has run. */
  forget(): void {
    for (const cell of this.#cells) cell.ran = null;
  }

  /** The cells to run for one: those above that have not run yet, and itself. */
  toRun(at: number): number[] {
    return this.allTo(at).filter((each) => each === at || this.#cell(each).ran === null);
  }

  /** A cell and all above it. */
  allTo(at: number): number[] {
    return Array.from({ length: at + 1 }, (_, index) => index);
  }

  /** Whether a cell above ran as another code than what is there now, so that all must run anew. */
  isOutOfStep(at: number): boolean {
    return this.allTo(at).some((each) => each !== at && this.#cell(each).ran !== null && !this.#isCurrent(each));
  }

  /** A cell has run to its end, or to its error. */
  finish(at: number): void {
    const inStep = this.allTo(at).every((each) => each === at || this.#isCurrent(each));
    const cell = this.#cell(at);
    cell.ran = inStep ? this.#codesTo(at) : [];
    cell.shown = inStep ? this.#codesTo(at) : null;
  }

  staleness(at: number): Staleness {
    const { shown } = this.#cell(at);
    if (shown === null) return "above";
    if (shown[at] !== this.code(at)) return "edited";
    return areEqual(shown, this.#codesTo(at)) ? "" : "above";
  }

  #isCurrent(at: number): boolean {
    const { ran } = this.#cell(at);
    return ran !== null && areEqual(ran, this.#codesTo(at));
  }

  #codesTo(at: number): string[] {
    return this.allTo(at).map((each) => this.code(each));
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
