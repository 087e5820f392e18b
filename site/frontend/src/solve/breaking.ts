/** Break it: after a pass, wrong programs to find a call for on which each gives a wrong result. */

import { button, element, sentence } from "../dom";
import { progress } from "../progress";
import { addressOf, type Exercise } from "./exercise";
import { comparison } from "./values";
import type { SmallExample } from "./verdict";

const MOST = 3; // programs, one XP each, as in grader.progress.breaks
const JOIN = " | "; // of the ids of several mistakes of one attempt

interface Breaks {
  readonly programs: readonly { readonly id: string; readonly code: string }[]; // HTML of the builder, the simplest first
  readonly engine: string;
}

interface Answer {
  readonly example: SmallExample | null;
  readonly message: string | null;
}

/** Asks Python whether a call breaks a program. */
export type Judge = (data: string, program: string, call: string) => Promise<string>;

/** The card with the programs, hidden until the exercise is passed. */
export class Breaking {
  readonly card: HTMLElement;
  private readonly place = element("div", { class: "results-inside" });

  constructor(
    private readonly exercise: Exercise,
    private readonly judge: Judge,
  ) {
    const head = element("header", {}, element("h2", { id: "break-it" }, "Break it"), element("p", { class: "facts" }, "1 XP each"));
    this.card = element("section", { class: "card outcome-card", "aria-labelledby": "break-it", hidden: true }, head, this.place);
    const open = button("Show the programs", () => void this.open(), { class: "button" });
    const said = "You passed. Here are programs with a mistake: for each, find a call on which its result is wrong.";
    this.place.append(element("p", {}, said), open);
    const paint = (): void => void (this.card.hidden = progress.standing(exercise.id).state !== "passed");
    progress.subscribe(paint);
    paint();
  }

  private async open(): Promise<void> {
    try {
      const response = await fetch(addressOf(this.exercise.breaks ?? ""));
      if (!response.ok) throw new Error(`the server answers ${response.status}`);
      this.show((await response.json()) as Breaks);
    } catch (error) {
      this.place.append(element("p", { class: "problem", role: "alert" }, `The programs could not be loaded: ${String(error)}`));
    }
  }

  private show({ programs, engine }: Breaks): void {
    const { history } = progress;
    const mine = history.attempts.filter(({ exercise }) => exercise === this.exercise.id);
    const own = new Set(mine.flatMap(({ diagnosis }) => diagnosis.split(JOIN)));
    const offered = programs.filter(({ id }) => !own.has(id)).slice(0, MOST);
    const none = element("p", {}, "Every wrong program here was your own once, so there is none left to break.");
    this.place.replaceChildren(...(offered.length > 0 ? offered.map((each, at) => this.program(each, at, engine)) : [none]));
    this.place.querySelector("summary")?.focus();
  }

  private program({ id, code }: Breaks["programs"][number], at: number, engine: string): HTMLElement {
    const isBroken = (): boolean => progress.history.broken.some((each) => each.exercise === this.exercise.id && each.misconception === id);
    const state = element("span", { class: "quiet" }, isBroken() ? "broken" : "to break, 1 XP");
    const program = element("div");
    program.innerHTML = code; // made by the builder, as the page itself was
    const name = `call-${at + 1}`;
    const input = element("input", { id: name, type: "text", maxlength: 2000, spellcheck: "false", autocapitalize: "off", autocomplete: "off", required: true });
    const said = element("div", { role: "status" });
    const values = element("div");
    const form = element(
      "form",
      { class: "call" },
      element("label", { for: name }, sentence(`A call of ${this.exercise.defines.map((each) => `\`${each}\``).join(" or ")} on which its result is wrong`)),
      element("div", { class: "buttons" }, input, element("button", { class: "button primary" }, "Try")),
    );
    const answer = async (): Promise<void> => {
      said.replaceChildren("Python runs both programs …");
      values.replaceChildren();
      const { example, message } = JSON.parse(await this.judge(engine, id, input.value)) as Answer;
      const earns = example !== null && !isBroken();
      if (earns) progress.broke(this.exercise.id, id, input.value);
      const title = example ? `Broken${earns ? ": +1 XP" : ""}. ` : "Not broken. ";
      said.replaceChildren(element("b", {}, title), sentence(message ?? example?.result.message ?? ""));
      const compared = example && comparison(example.result, "Wrong");
      if (compared) values.replaceChildren(compared);
      state.textContent = isBroken() ? "broken" : "to break, 1 XP";
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      answer().catch((error: unknown) => said.replaceChildren(error instanceof Error ? error.message : String(error)));
    });
    const summary = element("summary", {}, `Program ${at + 1}: `, state);
    return element("details", { class: "to-break", open: at === 0 }, summary, program, form, said, values);
  }
}
