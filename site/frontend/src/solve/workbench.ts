/** The place to write, run and check code, and to see what comes of it. */

import { button, element, find, sentence } from "../dom";
import { createEditor, type Editor } from "../editor";
import { page } from "../page";
import { progress } from "../progress";
import { Interrupted, Python } from "../python";
import { askForState } from "../splice";
import { whileHere } from "../page-signal";
import { service } from "../submit/certificates";
import { Submitting } from "../submit/submit-controls";
import { hasPython, numpyNames } from "../workers";
import { conclude } from "./verdict-recording";
import { ask } from "./dialog";
import { download } from "./download";
import { Draft } from "./draft";
import { addressOf, type Exercise, fileName } from "./exercise";
import { Help } from "./help";
import { type Around, problem, showPrinted, summaryOf } from "./results";
import { ResultsCard } from "./results-card";
import { areShapes, Shapes } from "./shapes";
import { Status } from "./python-status";
import type { Fault, Printed, Verdict } from "./verdict";

const LEAVING = "editor-keys";

export class Bench {
  private readonly draft: Draft;
  private readonly editor: Editor;
  private readonly help: Help;
  private readonly results: ResultsCard;
  private readonly status = new Status(() => this.python.reset());
  private readonly python: Python;
  private readonly stop = button("Stop", () => this.python.stop(), {
    class: "button halt",
    hidden: true,
  });
  private readonly shapes = new Shapes();
  private readonly undo = element("p", { class: "undo", role: "status" });
  private readonly warning = element("p", { class: "trouble", role: "status" });
  private readonly around: Around;
  private isBusy = false;

  constructor(private readonly exercise: Exercise) {
    this.draft = new Draft(exercise.id, exercise.starter, (text) => this.editor.replace(text));
    this.help = new Help(exercise);
    this.results = new ResultsCard(invitation(exercise), "Your code has changed since these results.");
    this.python = new Python(["open_exercise"], (state) => this.status.show(state), addressOf(exercise.engine));
    this.editor = this.layOut();
    this.around = {
      feedback: exercise.feedback,
      goTo: (line) => this.editor.goTo(line),
      hint: (number) => this.help.leadTo(number),
    };
    this.status.show(this.python.state);
    this.listen();
    if (exercise.breaks) void this.offerBreaking();
    askForState(exercise.id, (code) => this.editor.replace(code));
  }

  private layOut(): Editor {
    const place = find("#starter", HTMLElement);
    place.replaceChildren();
    const editor = createEditor({
      parent: place,
      text: this.draft.read(),
      label: "Your solution",
      describedBy: LEAVING,
      keys: { "Mod-Enter": () => void this.run(), "Shift-Mod-Enter": () => void this.check() },
      onChange: (text) => this.changed(text),
      names: numpyNames,
    });
    find("#code", HTMLElement).textContent = "Your code";
    const reset = button("Start over", () => void this.reset(), { class: "link" });
    find("#bench header", HTMLElement).append(reset);
    place.after(this.foot());
    const terminal = find("#terminal", HTMLDetailsElement);
    terminal.open = false;
    terminal.classList.add("card");
    find("#bench", HTMLElement).after(this.results.card, terminal);
    return editor;
  }

  private foot(): HTMLElement {
    const modifier = isMac() ? "⌘" : "Ctrl";
    const label = (name: string, keys: string): DocumentFragment => {
      const made = document.createDocumentFragment();
      made.append(name, element("kbd", { "aria-hidden": "true" }, keys));
      return made;
    };
    const run = button(label("Run", `${modifier} ↵`), () => void this.run(), { class: "button" });
    const check = button(label("Check", `${modifier} ⇧ ↵`), () => void this.check(), {
      class: "button primary",
    });
    const shapes = button("Shapes", () => void this.showShapes(), { class: "button", title: "Show what each line makes" });
    const submitting = service && new Submitting(service, {
      exercise: this.exercise,
      results: this.results,
      source: () => this.editor.text,
      text: () => this.editor.text,
      judged: (source, verdict) => this.conclude(source, verdict, "Graded by the service", true),
    });
    const keys = element("p", { id: LEAVING });
    keys.append(element("kbd", {}, "Tab"), " indents. To leave the editor, press ");
    keys.append(element("kbd", {}, "Esc"), ", then ", element("kbd", {}, "Tab"), ".");
    const mark = element("summary", { class: "button", "aria-label": "Help with the editor" }, "?");
    const help = element("details", { class: "keys" }, mark, keys, element("p", {}, sentence(inRun(this.exercise))));
    return element(
      "div",
      { class: "bench-foot" },
      element("div", { class: "buttons" }, run, check, submitting?.button, shapes, this.stop, help, this.status.line),
      submitting?.line,
      this.shapes.list,
      this.undo,
      this.draft.notice,
      this.warning,
    );
  }

  private listen(): void {
    const bench = find("#bench", HTMLElement);
    bench.addEventListener("focusin", () => this.python.start(), { once: true });
    // A copy of Python on the site itself tells nobody else that somebody is here.
    const isOwn = new URL(page.pyodide).origin === location.origin;
    if (hasPython()) this.python.start();
    else if (isOwn) whenIdle(() => this.python.start());
    const act = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void (event.shiftKey ? this.check() : this.run());
    };
    addEventListener("keydown", act, { signal: whileHere() });
  }

  private changed(text: string): void {
    this.draft.write(text);
    this.results.compare(text);
    this.shapes.list.replaceChildren(); // the editor drops its own
    this.undo.replaceChildren();
  }

  private async reset(): Promise<void> {
    const { starter } = this.exercise;
    const text = "The starter code replaces what you have written. You can take that back.";
    if (!(await ask({ title: "Start over?", text, yes: "Replace it" }))) return;
    this.editor.replace(starter);
    const undo = button("Undo", () => this.editor.undo(), { class: "link" });
    this.undo.replaceChildren("This is the starter code. ", undo);
  }

  private async run(): Promise<void> {
    await this.ask("run", (source, answer, facts) => {
      const printed = JSON.parse(answer) as Printed;
      const inside = showPrinted(printed, this.around);
      const summary = printed.problem ? "Your code did not run to its end." : "Your code ran.";
      this.editor.mark(printed.problem?.line ?? null);
      this.results.show(source, printed.problem ? "bad" : "plain", summary, facts, inside);
    });
  }

  private async check(): Promise<void> {
    let isWrong = false;
    await this.ask("check", (source, answer, facts) => {
      const verdict = JSON.parse(answer) as Verdict | Fault;
      if (verdict.outcome === "grader fault") this.explain(source, verdict);
      else this.conclude(source, verdict, facts, false);
      isWrong = verdict.outcome === "failed" || verdict.outcome === "errored";
    });
    if (isWrong) await this.showShapes();
  }

  /** Show the shape and dtype that each line makes in the test that failed, or in the first one. */
  private async showShapes(): Promise<void> {
    if (this.isBusy) return;
    this.setBusy(true);
    const source = this.editor.text;
    try {
      const shapes: unknown = JSON.parse(await this.python.call("shapes", source));
      // A program that ran may answer in the grader's place.
      if (this.editor.text === source && areShapes(shapes)) this.shapes.show(this.editor, shapes);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error; // a program that is stopped has no shapes
    } finally {
      this.setBusy(false);
    }
  }

  private conclude(source: string, verdict: Verdict, facts: string, isCertified: boolean): void {
    const judged = { exercise: this.exercise, source, verdict, isCertified };
    const inside = conclude(judged, this.help, this.around);
    const hasPassed = verdict.outcome === "passed";
    const told = verdict.line ?? verdict.tests.find(({ line }) => line !== null)?.line ?? null;
    this.editor.mark(hasPassed ? null : told);
    const tone = verdict.outcome === "not run" ? "plain" : hasPassed ? "good" : "bad";
    this.results.show(source, tone, summaryOf(this.exercise, verdict), facts, inside);
    this.warn();
  }

  /** A fault of the grader judges nothing, so it is no attempt either. */
  private explain(source: string, { message }: Fault): void {
    const said = "This could not be checked: the grader itself failed. No attempt counts.";
    this.results.show(source, "bad", said, "", [problem(message, null, this.around)]);
  }

  /** Call Python with what is in the editor; one call at a time. */
  private async ask(
    name: "run" | "check",
    show: (source: string, answer: string, facts: string) => void,
  ): Promise<void> {
    if (this.isBusy) return;
    this.setBusy(true);
    if (this.python.state.kind !== "ready") this.results.say(`Your ${name} begins as soon as Python is there.`);
    const source = this.editor.text;
    try {
      const answer = await this.python.call(name, source);
      show(source, answer, `Took ${this.python.seconds.toFixed(2)} s`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.results.show(source, "bad", message, "", []);
      if (!(error instanceof Interrupted)) throw error;
      if (error.why === "not started") this.pointToTerminal(source, message);
    } finally {
      this.setBusy(false);
    }
  }

  private async offerBreaking(): Promise<void> {
    const here = whileHere();
    const { Breaking } = await import("./break-it");
    if (!here.aborted) this.results.card.after(new Breaking(this.exercise, { python: this.python, judge: (...call) => this.judgeBreak(call) }).card);
  }

  private async judgeBreak(call: readonly [data: string, program: string, call: string]): Promise<string> {
    if (this.isBusy) throw new Error("Python is at work: wait, or stop it.");
    this.setBusy(true);
    try {
      return await this.python.call("judge_break", ...call);
    } finally {
      this.setBusy(false);
    }
  }

  private pointToTerminal(source: string, message: string): void {
    find("#terminal", HTMLDetailsElement).open = true;
    const save = (): void => download(fileName(this.exercise.id), source);
    const said = element("p", {}, "Meanwhile you can check your file in a terminal, as said below.");
    const file = button("Download your file", save, { class: "button" });
    this.results.show(source, "bad", message, "", [said, element("p", {}, file)]);
  }

  private setBusy(isBusy: boolean): void {
    this.isBusy = isBusy;
    this.stop.hidden = !isBusy;
    find("#bench", HTMLElement).ariaBusy = String(isBusy);
  }

  private warn(): void {
    const lost = "Your browser keeps nothing for this page: what you write is lost when you leave.";
    this.warning.textContent = progress.trouble || (this.draft.isKept ? "" : lost);
  }
}

function invitation({ tests, hidden_tests: hidden }: Exercise): string {
  const visible = tests.length === 1 ? "the visible test" : `the ${tests.length} visible tests`;
  if (page.isPractice) {
    const all = hidden ? `${visible} and ${hidden === 1 ? "a hidden one" : `${hidden} hidden ones`}` : visible;
    return `“Run” shows what your code prints. “Check” runs ${all}.`;
  }
  const more = hidden ? ` Hidden tests are run by ${service ? "“Submit for grading”" : "the command line"}.` : "";
  return `“Run” shows what your code prints. “Check” runs ${visible}.${more}`;
}

/** What only "Run" has: the lines that use it would fail in the tests. */
function inRun({ inputs }: Exercise): string {
  const names = inputs.map((name) => `\`${name}\``);
  const given = names.length > 0 ? ` and the inputs of the first test: ${names.join(", ")}` : "";
  return `“Run” also has \`heatmap(matrix)\`${given}. The tests do not: put lines that need it under \`if __name__ == "__main__":\`.`;
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

function whenIdle(act: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(act, { timeout: 3000 });
  else setTimeout(act, 1000);
}
