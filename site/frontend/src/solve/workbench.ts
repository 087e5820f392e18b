/** The workbench of an exercise: the editor, its buttons, and the results. */

import { askInDialog } from "../confirmation";
import { button, element, findElement, renderInlineCode } from "../dom";
import { download } from "../download";
import { createEditor, type Editor } from "../editor";
import { page } from "../page";
import { pageSignal } from "../page-signal";
import { progress } from "../progress";
import { InterruptedCall, Python } from "../python";
import { requestState } from "../splice";
import { service } from "../submit/certificates";
import { SubmitControls } from "../submit/submit-controls";
import { errorMessage } from "../text";
import { hasPython, numpyNames } from "../workers";
import { Draft } from "./draft";
import { type Exercise, fileAddress, submissionName } from "./exercise";
import { Help } from "./help";
import { PythonStatusLine } from "./python-status";
import { renderProblem, renderRun, type ResultsContext, summarySentence } from "./results";
import { ResultsCard } from "./results-card";
import { areShapes, ShapeDisplay } from "./shapes";
import type { GraderFault, RunResult, Verdict } from "./verdict";
import { recordVerdict } from "./verdict-recording";

const KEYS_HELP_ID = "editor-keys";

export class Workbench {
  readonly #draft: Draft;
  readonly #editor: Editor;
  readonly #help: Help;
  readonly #results: ResultsCard;
  readonly #pythonStatus = new PythonStatusLine(() => this.#python.reset());
  readonly #python: Python;
  readonly #stopButton = button("Stop", () => this.#python.stop(), {
    class: "button halt",
    hidden: true,
  });
  readonly #shapeDisplay = new ShapeDisplay();
  readonly #undoNotice = element("p", { class: "undo", role: "status" });
  readonly #warning = element("p", { class: "trouble", role: "status" });
  readonly #context: ResultsContext;
  #isBusy = false;

  constructor(private readonly exercise: Exercise) {
    this.#draft = new Draft(exercise.id, exercise.starter, (text) => this.#editor.replace(text));
    this.#help = new Help(exercise);
    this.#results = new ResultsCard(invitationSentence(exercise), "Your code has changed since these results.");
    this.#python = new Python(["open_exercise"], (state) => this.#pythonStatus.show(state), fileAddress(exercise.engine));
    this.#editor = this.#render();
    this.#context = {
      feedback: exercise.feedback,
      goTo: (line) => this.#editor.goTo(line),
      renderHintLead: (number) => this.#help.renderHintLead(number),
    };
    this.#pythonStatus.show(this.#python.state);
    this.#addListeners();
    if (exercise.breaks) void this.#addBreakIt();
    requestState(exercise.id, (code) => this.#editor.replace(code));
  }

  #render(): Editor {
    const place = findElement("#starter", HTMLElement);
    place.replaceChildren();
    const editor = createEditor({
      parent: place,
      text: this.#draft.read(),
      label: "Your solution",
      describedBy: KEYS_HELP_ID,
      keys: { "Mod-Enter": () => void this.#run(), "Shift-Mod-Enter": () => void this.#check() },
      onChange: (text) => this.#handleChange(text),
      names: numpyNames,
    });
    findElement("#code", HTMLElement).textContent = "Your code";
    const reset = button("Start over", () => void this.#reset(), { class: "link" });
    findElement("#bench header", HTMLElement).append(reset);
    place.after(this.#renderFooter());
    const terminal = findElement("#terminal", HTMLDetailsElement);
    terminal.open = false;
    terminal.classList.add("card");
    findElement("#bench", HTMLElement).after(this.#results.card, terminal);
    return editor;
  }

  #renderFooter(): HTMLElement {
    const modifier = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";
    const label = (name: string, keys: string): DocumentFragment => {
      const fragment = document.createDocumentFragment();
      fragment.append(name, element("kbd", { "aria-hidden": "true" }, keys));
      return fragment;
    };
    const run = button(label("Run", `${modifier} ↵`), () => void this.#run(), { class: "button" });
    const check = button(label("Check", `${modifier} ⇧ ↵`), () => void this.#check(), {
      class: "button primary",
    });
    const shapes = button("Shapes", () => void this.#showShapes(), { class: "button", title: "Show what each line makes" });
    const submitting = service && new SubmitControls(service, {
      exercise: this.exercise,
      results: this.#results,
      source: () => this.#editor.text,
      text: () => this.#editor.text,
      showVerdict: (source, verdict) => this.#showVerdict(source, verdict, "Graded by the service", { isCertified: true }),
    });
    const keys = element("p", { id: KEYS_HELP_ID });
    keys.append(element("kbd", {}, "Tab"), " indents. To leave the editor, press ");
    keys.append(element("kbd", {}, "Esc"), ", then ", element("kbd", {}, "Tab"), ".");
    const mark = element("summary", { class: "button", "aria-label": "Help with the editor" }, "?");
    const help = element("details", { class: "keys" }, mark, keys, element("p", {}, renderInlineCode(runHelpSentence(this.exercise))));
    return element(
      "div",
      { class: "bench-foot" },
      element("div", { class: "buttons" }, run, check, submitting?.button, shapes, this.#stopButton, help, this.#pythonStatus.line),
      submitting?.line,
      this.#shapeDisplay.list,
      this.#undoNotice,
      this.#draft.notice,
      this.#warning,
    );
  }

  #addListeners(): void {
    const bench = findElement("#bench", HTMLElement);
    bench.addEventListener("focusin", () => this.#python.start(), { once: true });
    // Python from another host would tell that host of the visit, so it starts only when the learner begins.
    const isOwn = new URL(page.pyodide).origin === location.origin;
    if (hasPython()) this.#python.start();
    else if (isOwn) whenIdle(() => this.#python.start());
    const act = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void (event.shiftKey ? this.#check() : this.#run());
    };
    addEventListener("keydown", act, { signal: pageSignal() });
  }

  #handleChange(text: string): void {
    this.#draft.write(text);
    this.#results.markStale(text);
    this.#shapeDisplay.list.replaceChildren(); // the editor has removed its notes already
    this.#undoNotice.replaceChildren();
  }

  async #reset(): Promise<void> {
    const { starter } = this.exercise;
    const text = "The starter code replaces what you have written. You can take that back.";
    if (!(await askInDialog({ title: "Start over?", text, yes: "Replace it" }))) return;
    this.#editor.replace(starter);
    const undo = button("Undo", () => this.#editor.undo(), { class: "link" });
    this.#undoNotice.replaceChildren("This is the starter code. ", undo);
  }

  async #run(): Promise<void> {
    await this.#callPython("run", (source, answer, facts) => {
      const result = JSON.parse(answer) as RunResult;
      const content = renderRun(result, this.#context);
      const summary = result.problem ? "Your code did not run to its end." : "Your code ran.";
      this.#editor.mark(result.problem?.line ?? null);
      this.#results.show(source, result.problem ? "bad" : "plain", summary, facts, content);
    });
  }

  async #check(): Promise<void> {
    let isWrong = false;
    await this.#callPython("check", (source, answer, facts) => {
      const verdict = JSON.parse(answer) as Verdict | GraderFault;
      if (verdict.outcome === "grader fault") this.#showFault(source, verdict);
      else this.#showVerdict(source, verdict, facts, { isCertified: false });
      isWrong = verdict.outcome === "failed" || verdict.outcome === "errored";
    });
    if (isWrong) await this.#showShapes();
  }

  /** Show each line's shape and dtype in the failing test, or in the first one. */
  async #showShapes(): Promise<void> {
    if (this.#isBusy) return;
    this.#setBusy(true);
    const source = this.#editor.text;
    try {
      const shapes: unknown = JSON.parse(await this.#python.call("shapes", source));
      // A program that ran before may answer in the grader's place.
      if (this.#editor.text === source && areShapes(shapes)) this.#shapeDisplay.show(this.#editor, shapes);
    } catch (error) {
      if (!(error instanceof InterruptedCall)) throw error; // the learner stopped the program
    } finally {
      this.#setBusy(false);
    }
  }

  #showVerdict(source: string, verdict: Verdict, facts: string, { isCertified }: { isCertified: boolean }): void {
    const judgedProgram = { exercise: this.exercise, source, verdict, isCertified };
    const content = recordVerdict(judgedProgram, this.#help, this.#context);
    const hasPassed = verdict.outcome === "passed";
    const wrongLine = verdict.line ?? verdict.tests.find(({ line }) => line !== null)?.line ?? null;
    this.#editor.mark(hasPassed ? null : wrongLine);
    const tone = verdict.outcome === "not run" ? "plain" : hasPassed ? "good" : "bad";
    this.#results.show(source, tone, summarySentence(this.exercise, verdict), facts, content);
    this.#showStorageWarning();
  }

  /** Show a fault of the grader, which does not count as an attempt. */
  #showFault(source: string, { message }: GraderFault): void {
    const summary = "This could not be checked: the grader itself failed. No attempt counts.";
    this.#results.show(source, "bad", summary, "", [renderProblem(message, null, this.#context)]);
  }

  /** Call Python with the editor's text, one call at a time, and show the answer. */
  async #callPython(
    name: "run" | "check",
    show: (source: string, answer: string, facts: string) => void,
  ): Promise<void> {
    if (this.#isBusy) return;
    this.#setBusy(true);
    if (this.#python.state.kind !== "ready") this.#results.showSentence(`Your ${name} begins as soon as Python is there.`);
    const source = this.#editor.text;
    try {
      const answer = await this.#python.call(name, source);
      show(source, answer, `Took ${this.#python.seconds.toFixed(2)} s`);
    } catch (error) {
      const message = errorMessage(error);
      this.#results.show(source, "bad", message, "", []);
      if (!(error instanceof InterruptedCall)) throw error;
      if (error.reason === "not started") this.#showTerminalHelp(source, message);
    } finally {
      this.#setBusy(false);
    }
  }

  async #addBreakIt(): Promise<void> {
    const signal = pageSignal();
    const { BreakItCard } = await import("./break-it");
    if (!signal.aborted) this.#results.card.after(new BreakItCard(this.exercise, { python: this.#python, judge: (...call) => this.#judgeBreak(call) }).card);
  }

  async #judgeBreak(call: readonly [data: string, program: string, call: string]): Promise<string> {
    if (this.#isBusy) throw new Error("Python is at work: wait, or stop it.");
    this.#setBusy(true);
    try {
      return await this.#python.call("judge_break", ...call);
    } finally {
      this.#setBusy(false);
    }
  }

  #showTerminalHelp(source: string, message: string): void {
    findElement("#terminal", HTMLDetailsElement).open = true;
    const save = (): void => download(submissionName(this.exercise.id), source);
    const advice = element("p", {}, "Meanwhile you can check your file in a terminal, as said below.");
    const file = button("Download your file", save, { class: "button" });
    this.#results.show(source, "bad", message, "", [advice, element("p", {}, file)]);
  }

  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    this.#stopButton.hidden = !isBusy;
    findElement("#bench", HTMLElement).ariaBusy = String(isBusy);
  }

  #showStorageWarning(): void {
    const lossSentence = "Your browser keeps nothing for this page: what you write is lost when you leave.";
    this.#warning.textContent = progress.trouble || (this.#draft.isKept ? "" : lossSentence);
  }
}

function invitationSentence({ tests, hidden_tests: hidden }: Exercise): string {
  const visible = tests.length === 1 ? "the visible test" : `the ${tests.length} visible tests`;
  if (page.isPractice) {
    const all = hidden ? `${visible} and ${hidden === 1 ? "a hidden one" : `${hidden} hidden ones`}` : visible;
    return `“Run” shows what your code prints. “Check” runs ${all}.`;
  }
  const more = hidden ? ` Hidden tests are run by ${service ? "“Submit for grading”" : "the command line"}.` : "";
  return `“Run” shows what your code prints. “Check” runs ${visible}.${more}`;
}

/** Explain the names that only "Run" provides: lines that use them would fail in the tests. */
function runHelpSentence({ inputs }: Exercise): string {
  const names = inputs.map((name) => `\`${name}\``);
  const inputsPart = names.length > 0 ? ` and the inputs of the first test: ${names.join(", ")}` : "";
  return `“Run” also has \`heatmap(matrix)\`${inputsPart}. The tests do not: put lines that need it under \`if __name__ == "__main__":\`.`;
}

function whenIdle(act: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(act, { timeout: 3000 });
  else setTimeout(act, 1000);
}
