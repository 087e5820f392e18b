import { button, element } from "../dom";
import { LESSON_ARRAY_NAMES, CELLS_RAN_EVENT } from "../figures/head-arrays";
import { startFigures } from "../figures/start";
import { makeHeatmapsExplorable } from "../heatmap";
import { CellView, type CellResult } from "../lesson/cell";
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
    page.files ? ["open_lesson"] : ["open_lesson", "{}"], // another lesson's worker has its files
    (state) => this.#hear(state),
    page.files,
    60, // as when the site was built: some cells train a network, and each can be stopped
  );
  readonly #back = button("Reset all cells", () => this.#resetAll(), { class: "button" });
  readonly #original = element(
    "aside",
    { class: "original", "aria-label": "About the text below" },
    element("p", {}, "You ran code of your own. The text below still describes what the lesson’s own code gives."),
    this.#back,
  );
  readonly #experiments: readonly Experiment[];
  #asking: CellView | null = null; // the cell that waits for its result
  #isJudging = false; // a call that shall break a program
  #began = 0; // when Python began with the last call
  #starts = 0; // of Python; a new one knows nothing
  #ranIn = 0; // the one of the last call

  constructor(sources: readonly string[]) {
    this.#notebook = new Notebook(sources);
    const cards = [...document.querySelectorAll<HTMLElement>("[data-cell]")];
    this.#views = new Map(cards.map((card, at) => this.#view(card, at + 1, sources)));
    const asked = {
      source: (at: number) => sources[at] ?? "",
      put: (at: number, code: string, line: number) => void this.#views.get(at)?.put(code, line),
    };
    const experiments = [...document.querySelectorAll<HTMLElement>(".experiment")];
    this.#experiments = experiments.map((card) => new Experiment(card, asked));
    for (const card of document.querySelectorAll<HTMLElement>("[data-break]")) {
      startLessonBreak(card, { python: this.#python, judge: (...call) => this.#judge(call) });
    }
    this.#update();
  }

  async #judge(call: readonly [data: string, program: string, call: string]): Promise<string> {
    if (this.#asking || this.#isJudging) throw new Error("Python is at work: wait, or stop it.");
    this.#change(() => (this.#isJudging = true));
    try {
      return await this.#ask("judge_break", ...call);
    } finally {
      this.#change(() => (this.#isJudging = false));
    }
  }

  #view(card: HTMLElement, number: number, sources: readonly string[]): [number, CellView] {
    const at = Number(card.dataset.cell);
    const asked = {
      run: () => void this.#run(at, this.#notebook.toRun(at)),
      runAll: () => void this.#run(at, this.#notebook.allTo(at), { anew: true }),
      stop: () => this.#python.stop(),
      edit: (code: string) => this.#change(() => this.#notebook.edit(at, code)),
      reset: () => this.#change(() => this.#notebook.reset(at)),
    };
    return [at, new CellView(card, `cell ${number}`, sources[at] ?? "", asked)];
  }

  #change(act: () => void): void {
    act();
    this.#update();
  }

  async #run(at: number, cells: readonly number[], { anew = false } = {}): Promise<void> {
    if (this.#asking || this.#isJudging) return;
    this.#asking = this.#views.get(at) ?? null;
    this.#showWaiting(this.#python.state);
    this.#update();
    try {
      if (anew) {
        this.#notebook.forget();
        await this.#ask("open_lesson");
      }
      await this.#runAll(at, cells);
      if (this.#starts === this.#ranIn) await this.#tellFigures();
    } catch (error) {
      if (!(error instanceof InterruptedCall)) throw error;
      this.#asking?.fail(error.message);
    } finally {
      this.#asking = null;
      this.#update();
    }
  }

  async #runAll(at: number, cells: readonly number[]): Promise<void> {
    let milliseconds = 0;
    for (const each of cells) {
      const result = JSON.parse(await this.#ask("cell", this.#notebook.code(each))) as CellResult;
      milliseconds += Date.now() - this.#began;
      this.#notebook.finish(each);
      const isGone = this.#starts !== this.#ranIn; // for want of memory
      if (isGone) this.#notebook.forget();
      const view = this.#views.get(each);
      view?.show(result);
      if (!result.problem) this.#tell(each);
      view?.note(each === at ? timing(milliseconds, cells.length - 1) : "");
      if ((result.problem || isGone) && each !== at) {
        this.#asking?.fail("This has not run, since a cell above ended in an error.", view);
        return;
      }
    }
  }

  /** A change that a lesson suggests may have been made here. */
  #tell(at: number): void {
    for (const experiment of this.#experiments) experiment.ran(at, this.#notebook.code(at));
  }

  /** Some figures can show what the cells have made. */
  async #tellFigures(): Promise<void> {
    const figures = document.querySelectorAll("[data-figure=stepper]");
    if (figures.length === 0) return;
    const detail: unknown = JSON.parse(await this.#ask("arrays", ...LESSON_ARRAY_NAMES));
    for (const figure of figures) figure.dispatchEvent(new CustomEvent(CELLS_RAN_EVENT, { detail }));
  }

  #ask(...call: [string, ...string[]]): Promise<string> {
    return this.#python.call(...call);
  }

  #hear(state: PythonState): void {
    if (state.kind === "starting") {
      this.#notebook.forget();
      this.#starts += 1;
    } else if (state.kind === "running") {
      this.#began = state.since;
      this.#ranIn = this.#starts;
    }
    this.#showWaiting(state);
  }

  #showWaiting({ kind }: PythonState): void {
    this.#asking?.wait(kind === "starting" ? "Python is starting, which takes a few seconds …" : "Running …");
  }

  #resetAll(): void {
    const changed = this.#views.get(this.#notebook.firstChanged ?? -1);
    for (const view of this.#views.values()) view.reset();
    changed?.focus();
  }

  /** Numbers in the text were computed from the lesson's own code: say so below the first other. */
  #tellOriginal(): void {
    const changed = this.#notebook.firstChanged;
    const above = [...this.#views].filter(([at]) => at <= (changed ?? -1)).at(-1);
    if (!above) this.#original.remove();
    else above[1].after(this.#original);
  }

  #update(): void {
    const isBusy = this.#asking !== null || this.#isJudging;
    this.#tellOriginal();
    this.#back.disabled = isBusy;
    for (const [at, view] of this.#views) {
      if (view === this.#asking) continue;
      view.update({
        staleness: this.#notebook.staleness(at),
        isEdited: this.#notebook.isEdited(at),
        isOutOfStep: this.#notebook.isOutOfStep(at),
        isBusy,
      });
    }
  }
}

function timing(milliseconds: number, before: number): string {
  const time = milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
  if (before === 0) return `Ran in ${time}.`;
  return `Ran in ${time}, after the ${before === 1 ? "cell" : `${before} cells`} above.`;
}

/** Code that solves an exercise is no secret to who has passed it. */
function openSolved(): void {
  const known = exerciseStatuses(progress.history);
  for (const spoiler of document.querySelectorAll<HTMLDetailsElement>("[data-solves]")) {
    const state = known.get(spoiler.dataset.solves ?? "")?.state;
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
