/** "Break it": the learner finds a call on which a wrong program gives a wrong result. */

import { button, element, renderInlineCode } from "../dom";
import { progress } from "../progress";
import { DIAGNOSIS_SEPARATOR } from "../progress/history";
import type { Python } from "../python";
import { errorMessage } from "../text";
import { type Exercise, fileAddress } from "./exercise";
import { renderComparison } from "./values";
import type { SmallExample } from "./verdict";

const MAX_PROGRAMS = 3; // worth one XP each, as in grader.progress.breaks

interface BreakFile {
  readonly programs: readonly { readonly id: string; readonly code: string }[]; // HTML that the builder made, the simplest program first
  readonly engine: string;
}

interface BreakAnswer {
  readonly example: SmallExample | null;
  readonly message: string | null;
}

/** A wrong program of an exercise. */
interface WrongProgram {
  readonly id: string; // the id of its misconception
  readonly exercise: string;
  readonly defines: readonly string[]; // the functions that a call may use
}

/** The means by which a form runs Python. */
export interface BreakJudge {
  readonly python: Python;
  judge(data: string, program: string, call: string): Promise<string>;
}

/** The card with the programs, hidden until the exercise is passed. */
export class BreakItCard {
  readonly card: HTMLElement;
  readonly #content = element("div", { class: "results-inside" });

  constructor(
    private readonly exercise: Exercise,
    private readonly judge: BreakJudge,
  ) {
    const head = element("header", {}, element("h2", { id: "break-it" }, "Break it"), element("p", { class: "facts" }, "1 XP each"));
    this.card = element("section", { class: "card outcome-card", "aria-labelledby": "break-it", hidden: true }, head, this.#content);
    const open = button("Show the programs", () => void this.#openPrograms(), { class: "button" });
    const introduction = "You passed. Here are programs with a mistake: for each, find a call on which its result is wrong.";
    this.#content.append(element("p", {}, introduction), open);
    const paint = (): void => void (this.card.hidden = progress.status(exercise.id).state !== "passed");
    progress.subscribe(paint);
    paint();
  }

  async #openPrograms(): Promise<void> {
    try {
      this.#showPrograms(await loadBreaks(fileAddress(this.exercise.breaks ?? "")));
    } catch (error) {
      this.#content.append(element("p", { class: "problem", role: "alert" }, errorMessage(error)));
    }
  }

  #showPrograms({ programs, engine }: BreakFile): void {
    const mistakes = ownMistakes(this.exercise.id);
    const offered = programs.filter(({ id }) => !mistakes.has(id)).slice(0, MAX_PROGRAMS);
    const none = element("p", {}, "Every wrong program here was your own once, so there is none left to break.");
    this.#content.replaceChildren(...(offered.length > 0 ? offered.map((each, index) => this.#renderProgram(each, index, engine)) : [none]));
    this.#content.querySelector("summary")?.focus();
  }

  #renderProgram({ id, code }: BreakFile["programs"][number], index: number, engine: string): HTMLElement {
    const state = element("span", { class: "quiet" });
    const program = element("div");
    program.innerHTML = code; // made by the builder, as the page itself was
    const { id: exercise, defines } = this.exercise;
    const form = createCallForm({ id, exercise, defines }, `call-${index + 1}`, this.judge, state, () => Promise.resolve(engine));
    const summary = element("summary", {}, `Program ${index + 1}: `, state);
    return element("details", { class: "to-break", open: index === 0 }, summary, program, ...form);
  }
}

/** Add the form to a wrong program that a lesson shows. */
export function startLessonBreak(card: HTMLElement, judge: BreakJudge): void {
  const { break: address = "", exercise = "", program: id = "", defines = "" } = card.dataset;
  const [place, state] = [card.querySelector(".quiz-body"), card.querySelector<HTMLElement>(".break-state")];
  if (!place || !state) return;
  const load = async (): Promise<string> => (await loadBreaks(new URL(address, document.baseURI).href)).engine;
  place.append(...createCallForm({ id, exercise, defines: defines.split(" ") }, `call-${exercise}-${id}`, judge, state, load));
}

/** Create the form for a call, with Python's reply and both results. */
function createCallForm(program: WrongProgram, name: string, { python, judge }: BreakJudge, state: HTMLElement, load: () => Promise<string>): HTMLElement[] {
  const input = element("input", { id: name, type: "text", spellcheck: "false", autocapitalize: "off", autocomplete: "off", required: true });
  const send = element("button", { class: "button primary" }, "Try");
  const stop = button("Stop", () => python.stop(), { class: "button halt", hidden: true });
  const status = element("div", { role: "status" });
  const values = element("div");
  const names = program.defines.map((each) => `\`${each}\``).join(" or ");
  const form = element(
    "form",
    { class: "call" },
    element("label", { for: name }, renderInlineCode(`A call of ${names} on which its result is wrong`)),
    element("div", { class: "buttons" }, input, send, stop),
  );
  const setBusy = (isBusy: boolean): void => {
    send.disabled = isBusy;
    stop.hidden = !isBusy;
  };
  const answer = async (): Promise<void> => {
    if (send.disabled) return;
    setBusy(true);
    status.replaceChildren(python.state.kind === "ready" ? "Python runs both programs …" : "Python starts, and then runs both programs …");
    values.replaceChildren();
    const { example, message } = JSON.parse(await judge(await load(), program.id, input.value)) as BreakAnswer;
    const { isBroken, earns } = programStatus(program);
    if (example && earns && !isBroken) progress.recordBreak(program.exercise, program.id, input.value);
    const title = example ? `Broken${earns ? ": +1 XP" : ""}. ` : "Not broken. ";
    status.replaceChildren(element("b", {}, title), renderInlineCode(message ?? example?.result.message ?? ""));
    const compared = example && renderComparison(example.result, "Wrong");
    if (compared) values.replaceChildren(compared);
    state.textContent = programStatus(program).words;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    answer()
      .catch((error: unknown) => status.replaceChildren(errorMessage(error)))
      .finally(() => setBusy(false));
  });
  state.textContent = programStatus(program).words;
  return [form, status, values];
}

/** Return a program's status for this learner. One that was broken, or was the learner's own, earns nothing. */
function programStatus({ id, exercise }: WrongProgram): { isBroken: boolean; earns: boolean; words: string } {
  const broken = progress.history.broken.filter((each) => each.exercise === exercise);
  const isBroken = broken.some(({ misconception }) => misconception === id);
  const mayEarn = !isBroken && broken.length < MAX_PROGRAMS && !ownMistakes(exercise).has(id);
  const earns = mayEarn && progress.status(exercise).state === "passed";
  const words = isBroken ? "broken" : earns ? "to break, 1 XP" : mayEarn ? "1 XP once you have passed the exercise" : "to break";
  return { isBroken, earns, words };
}

/** Return the misconceptions that were diagnosed in the learner's own attempts. */
function ownMistakes(exercise: string): ReadonlySet<string> {
  const mine = progress.history.attempts.filter((each) => each.exercise === exercise);
  return new Set(mine.flatMap(({ diagnosis }) => diagnosis.split(DIAGNOSIS_SEPARATOR)));
}

async function loadBreaks(address: string): Promise<BreakFile> {
  const response = await fetch(address).catch(() => undefined);
  if (!response?.ok) throw new Error("The programs could not be loaded. Is there a connection?");
  return (await response.json()) as BreakFile;
}
