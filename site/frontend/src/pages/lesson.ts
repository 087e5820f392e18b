import { button, element } from "../dom";
import { CELLS_RAN_EVENT, LESSON_ARRAY_NAMES } from "../figures/lesson-arrays";
import { startFigures } from "../figures/start";
import { makeHeatmapsExplorable } from "../heatmap";
import { type CellResult, CellView } from "../lesson/cell";
import { Experiment } from "../lesson/experiment";
import { Notebook } from "../lesson/notebook";
import { startQuestions } from "../lesson/question";
import { page } from "../page";
import { progress } from "../progress";
import { exerciseStatuses } from "../progress/status";
import { InterruptedCall, Python, type PythonState } from "../python";
import { startLessonBreak } from "../solve/break-it";
import { navigateInPlace } from "../navigation";

class Lesson {
  readonly #notebook: Notebook;
  readonly #views: ReadonlyMap<number, CellView>;
  readonly #python = new Python(
    page.files ? ["open_lesson"] : ["open_lesson", "{}"], // without files, remove those of another lesson
    (state) => this.#handleState(state),
    page.files,
    60, // the builder's limit, since some cells train a network; the learner can stop each
  );
  readonly #resetButton = button("Reset all cells", () => this.#resetAll(), { class: "button" });
  readonly #originalNote = element(
    "aside",
    { class: "original", "aria-label": "About the text below" },
    element("p", {}, "You ran code of your own. The text below still describes what the lesson’s own code gives."),
    this.#resetButton,
  );
  readonly #experiments: readonly Experiment[];
  #waitingCell: CellView | null = null; // the cell that the learner has asked to run
  #isJudging = false; // true while a call of "Break it" is running
  #callStart = 0; // time in milliseconds
  #pythonStarts = 0; // each start forgets all runs
  #startOfLastCall = 0; // the value of #pythonStarts then

  constructor(sources: readonly string[]) {
    this.#notebook = new Notebook(sources);
    const cards = [...document.querySelectorAll<HTMLElement>("[data-cell]")];
    this.#views = new Map(cards.map((card, index) => this.#createView(card, index + 1, sources)));
    const experimentActions = {
      source: (index: number) => sources[index] ?? "",
      replaceCode: (index: number, code: string, line: number) => void this.#views.get(index)?.replaceCode(code, line),
    };
    const experiments = [...document.querySelectorAll<HTMLElement>(".experiment")];
    this.#experiments = experiments.map((card) => new Experiment(card, experimentActions));
    for (const card of document.querySelectorAll<HTMLElement>("[data-break]")) {
      startLessonBreak(card, { python: this.#python, judge: (...call) => this.#judgeBreak(call) });
    }
    this.#updateViews();
  }

  async #judgeBreak(call: readonly [data: string, program: string, call: string]): Promise<string> {
    if (this.#waitingCell || this.#isJudging) throw new Error("Python is at work: wait, or stop it.");
    this.#applyChange(() => (this.#isJudging = true));
    try {
      return await this.#callPython("judge_break", ...call);
    } finally {
      this.#applyChange(() => (this.#isJudging = false));
    }
  }

  #createView(card: HTMLElement, number: number, sources: readonly string[]): [number, CellView] {
    const index = Number(card.dataset.cell);
    const actions = {
      run: () => void this.#runCells(index, this.#notebook.cellsToRun(index)),
      runAll: () => void this.#runCells(index, this.#notebook.cellsThrough(index), { fromScratch: true }),
      stop: () => this.#python.stop(),
      edit: (code: string) => this.#applyChange(() => this.#notebook.edit(index, code)),
      reset: () => this.#applyChange(() => this.#notebook.reset(index)),
    };
    return [index, new CellView(card, `cell ${number}`, sources[index] ?? "", actions)];
  }

  #applyChange(act: () => void): void {
    act();
    this.#updateViews();
  }

  async #runCells(index: number, cells: readonly number[], { fromScratch = false } = {}): Promise<void> {
    if (this.#waitingCell || this.#isJudging) return;
    this.#waitingCell = this.#views.get(index) ?? null;
    this.#showWaiting(this.#python.state);
    this.#updateViews();
    try {
      if (fromScratch) {
        this.#notebook.forgetRuns();
        await this.#callPython("open_lesson");
      }
      await this.#runInOrder(index, cells);
      if (this.#pythonStarts === this.#startOfLastCall) await this.#tellFigures();
    } catch (error) {
      if (!(error instanceof InterruptedCall)) throw error;
      this.#waitingCell?.showFailure(error.message);
    } finally {
      this.#waitingCell = null;
      this.#updateViews();
    }
  }

  async #runInOrder(index: number, cells: readonly number[]): Promise<void> {
    let milliseconds = 0;
    for (const each of cells) {
      const result = JSON.parse(await this.#callPython("cell", this.#notebook.code(each))) as CellResult;
      milliseconds += Date.now() - this.#callStart;
      this.#notebook.recordRun(each);
      const hasRestarted = this.#pythonStarts !== this.#startOfLastCall; // Python restarts when it runs out of memory
      if (hasRestarted) this.#notebook.forgetRuns();
      const view = this.#views.get(each);
      view?.showResult(result);
      if (!result.problem) {
        for (const experiment of this.#experiments) experiment.showOutcome(each, this.#notebook.code(each));
      }
      view?.setNote(each === index ? timingSentence(milliseconds, cells.length - 1) : "");
      if ((result.problem || hasRestarted) && each !== index) {
        this.#waitingCell?.showFailure("This has not run, since a cell above ended in an error.", view);
        return;
      }
    }
  }

  /** Send the arrays that the cells have defined to the figures that can show them. */
  async #tellFigures(): Promise<void> {
    const figures = document.querySelectorAll("[data-figure=stepper]");
    if (figures.length === 0) return;
    const detail: unknown = JSON.parse(await this.#callPython("arrays", ...LESSON_ARRAY_NAMES));
    for (const figure of figures) figure.dispatchEvent(new CustomEvent(CELLS_RAN_EVENT, { detail }));
  }

  #callPython(...call: [string, ...string[]]): Promise<string> {
    return this.#python.call(...call);
  }

  #handleState(state: PythonState): void {
    if (state.kind === "starting") {
      this.#notebook.forgetRuns();
      this.#pythonStarts += 1;
    } else if (state.kind === "running") {
      this.#callStart = state.since;
      this.#startOfLastCall = this.#pythonStarts;
    }
    this.#showWaiting(state);
  }

  #showWaiting({ kind }: PythonState): void {
    this.#waitingCell?.showRunning(kind === "starting" ? "Python is starting, which takes a few seconds …" : "Running …");
  }

  #resetAll(): void {
    const changedView = this.#views.get(this.#notebook.firstChanged ?? -1);
    for (const view of this.#views.values()) view.reset();
    changedView?.focus();
  }

  /** Put a note below the first changed cell: the text below still describes the lesson's own results. */
  #placeOriginalNote(): void {
    const firstChanged = this.#notebook.firstChanged;
    const above = [...this.#views].filter(([index]) => index <= (firstChanged ?? -1)).at(-1);
    if (!above) this.#originalNote.remove();
    else above[1].insertAfter(this.#originalNote);
  }

  #updateViews(): void {
    const isBusy = this.#waitingCell !== null || this.#isJudging;
    this.#placeOriginalNote();
    this.#resetButton.disabled = isBusy;
    for (const [index, view] of this.#views) {
      if (view === this.#waitingCell) continue;
      view.update({
        staleness: this.#notebook.staleness(index),
        isEdited: this.#notebook.isEdited(index),
        isOutOfStep: this.#notebook.isOutOfStep(index),
        isBusy,
      });
    }
  }
}

function timingSentence(milliseconds: number, before: number): string {
  const time = milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
  if (before === 0) return `Ran in ${time}.`;
  return `Ran in ${time}, after the ${before === 1 ? "cell" : `${before} cells`} above.`;
}

/** Open the folded code that solves an exercise, if the learner has passed the exercise or seen its solution. */
function openSolved(): void {
  const statuses = exerciseStatuses(progress.history);
  for (const spoiler of document.querySelectorAll<HTMLDetailsElement>("[data-solves]")) {
    const state = statuses.get(spoiler.dataset.solves ?? "")?.state;
    spoiler.open = state === "passed" || state === "given up";
  }
}

navigateInPlace();
openSolved();
makeHeatmapsExplorable(document);
startQuestions();
startFigures();
if (document.querySelector("#cells, [data-break]")) {
  new Lesson(JSON.parse(document.getElementById("cells")?.textContent ?? "[]") as string[]);
}
