/** A small GPT of which any part may be a learner's own function: what it writes, and how. */

import { button, count, element, find, sentence } from "../dom";
import { Pace } from "../gpt/writing-pace";
import { counted, MEASURED, type Step, type Writing } from "../gpt/generation-step";
import { isCalm, isEnd, Tale } from "../gpt/generated-text";
import { progress } from "../progress";
import { Interrupted, Python } from "../python";
import { codeOf } from "../solve/draft";
import { Status } from "../solve/python-status";

interface Problem {
  readonly message: string;
  readonly exercise: string | null;
}

interface Answer extends Partial<Step> {
  readonly prompt?: string;
  readonly facts?: Readonly<Record<string, readonly number[]>>;
  readonly problem: Problem | null;
}

const MOST = 400; // letters after the prompt; a tale has some 200
const OWN = "own";
const REFERENCE = "reference";
const OFF = "off"; // of a switch

const main = find("main", HTMLElement);
const parts = [...document.querySelectorAll<HTMLElement>("[data-part]")];
const switches = parts.filter(({ dataset }) => dataset.switch !== undefined);
const addressOf = (name: string): string => new URL(main.dataset[name] ?? "", location.href).href;

class Desk {
  readonly #status = new Status(() => this.#python.reset());
  readonly #python = new Python(["open_gpt"], (state) => this.#status.show(state), addressOf("model"));
  readonly #prompt = element("textarea", { id: "gpt-prompt", rows: 1, maxlength: 200, spellcheck: "false" }, main.dataset.prompt ?? "");
  readonly #temperature = range("gpt-temperature", 0, 2, 0.1, Number(main.dataset.temperature));
  readonly #top = range("gpt-top", 1, 40, 1, Number(main.dataset.top));
  readonly #seed = element("input", { id: "gpt-seed", type: "number", min: 0, max: 999_999, step: 1, value: main.dataset.seed });
  readonly #write = button("Write", () => void this.write(), { class: "button primary" });
  readonly #pace = new Pace();
  readonly #source = element("p", { class: "gpt-source" });
  readonly #said = element("p", { class: "unseen", role: "status" });
  readonly #problem = element("div", { role: "alert" });
  readonly #tale: Tale;
  #turn = 0; // counts the texts, since a new one ends the one before
  #writing: Promise<void> = Promise.resolve();

  constructor(place: HTMLElement, private readonly canWrite: () => boolean) {
    const another = button("Another tale", () => {
      this.#seed.valueAsNumber = (this.#seed.valueAsNumber || 0) + 1;
      void this.write();
    }, { class: "button" });
    this.#tale = new Tale(place, this.#pace.button);
    const settings = element(
      "div",
      { class: "gpt-settings" },
      field("Begin with", this.#prompt),
      field("Temperature", this.#temperature, "0: always the most probable letter"),
      field("Top k", this.#top, "of so many letters one is drawn"),
      field("Seed", this.#seed, "the same seed, the same tale"),
    );
    const buttons = element("div", { class: "buttons" }, this.#write, another, this.#status.line);
    place.prepend(this.#source);
    place.append(this.#problem, settings, buttons, this.#said);
    this.#status.show(this.#python.state);
    this.#write.ariaDisabled = "false";
    this.#prompt.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      void this.write();
    });
  }

  /** Play what was written when the site was built; as soon as Python is there, it goes on. */
  async play(): Promise<void> {
    const turn = ++this.#turn;
    const answer = await fetch(addressOf("record")).catch(() => undefined);
    if (!answer?.ok || turn !== this.#turn) return;
    const { prompt, steps } = (await answer.json()) as Writing;
    this.#writing = this.#follow(turn, async () => {
      this.#say("Written with the reference’s functions when this page was built.", "record");
      this.#tale.begin(prompt);
      let written = 0;
      const isToGoOn = (): boolean => this.#python.state.kind === "ready" && this.canWrite();
      while (turn === this.#turn && written < steps.length && !isToGoOn()) {
        this.#tale.add(steps[written] as Step, !isCalm);
        written += 1;
        if (!isCalm) await this.#pace.wait();
      }
      if (turn === this.#turn && written < steps.length) await this.#tell(turn, this.#tale.text, false);
    });
  }

  async write(): Promise<void> {
    if (!this.canWrite()) {
      this.#problem.replaceChildren(element("p", { class: "problem" }, "A part is still missing: pass its exercise first."));
      return;
    }
    const turn = ++this.#turn;
    this.#pace.show(false); // a text that was halted ends
    await this.#writing;
    if (turn !== this.#turn) return;
    this.#writing = this.#follow(turn, () => this.#tell(turn, this.#prompt.value, true));
    await this.#writing;
  }

  start(): void {
    this.#python.start();
  }

  async #follow(turn: number, write: () => Promise<void>): Promise<void> {
    this.#write.ariaDisabled = "true"; // it keeps the focus
    this.#pace.show(!isCalm);
    this.#problem.replaceChildren();
    this.#said.textContent = "";
    try {
      await write();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#problem.replaceChildren(element("p", { class: "problem" }, message));
      if (!(error instanceof Interrupted)) throw error;
    } finally {
      if (turn === this.#turn) {
        this.#tale.finish();
        this.#pace.show(false);
        this.#said.textContent = `Written: ${this.#tale.text}`;
      }
      this.#write.ariaDisabled = "false";
    }
  }

  async #tell(turn: number, prompt: string, isNew: boolean): Promise<void> {
    const chosen = parts.map(choiceOf).filter(([, choice]) => choice !== OFF);
    const request = {
      sources: Object.fromEntries(chosen.filter(([, choice]) => choice === OWN).map(([part]) => [part, codeOf(part) ?? ""])),
      names: Object.fromEntries(chosen.filter(([, choice]) => choice !== OWN)),
      prompt,
      seed: Math.abs(Math.trunc(Number(this.#seed.value))),
    };
    let answer = JSON.parse(await this.#python.call("begin_text", JSON.stringify(request))) as Answer;
    if (turn !== this.#turn) return;
    const own = chosen.filter(([, choice]) => choice === OWN).length;
    const part = isNew ? "Written" : "Begun when this page was built, and written on";
    this.#say(`${part} in your browser${own ? `, with ${count(own, "function")} of yours` : ""}.`, "live");
    if (isNew) this.#tale.begin(answer.prompt ?? "");
    measure(answer.facts ?? {});
    for (let written = 0; !answer.problem && written < MOST; written += 1) {
      const settings = { temperature: Number(this.#temperature.value), top_k: Number(this.#top.value) };
      answer = JSON.parse(await this.#python.call("next_letter", JSON.stringify(settings))) as Answer;
      if (turn !== this.#turn) return;
      const { letter, choices = [], heads = [], counts = [0, 0, 0] } = answer;
      if (letter === undefined) break;
      this.#tale.add({ letter, choices, heads, counts }, !isCalm);
      for (const each of switches) if (each.dataset.part === "speculative-decoding") show(each, ".gpt-counted", counted(counts, written + 1));
      if (isEnd(letter)) break;
      if (!isCalm) await this.#pace.wait();
    }
    if (answer.problem) this.#explain(answer.problem);
  }

  #say(text: string, kind: string): void {
    this.#source.textContent = text;
    this.#source.dataset.kind = kind;
  }

  #explain({ message, exercise }: Problem): void {
    const link = parts.find(({ dataset }) => dataset.part === exercise)?.querySelector("a");
    const there = link && element("a", { href: link.href }, `Go to “${link.textContent}”`);
    this.#problem.replaceChildren(element("p", { class: "problem" }, sentence(message), there && " ", there));
  }
}

function range(id: string, min: number, max: number, step: number, value: number): HTMLInputElement {
  return element("input", { id, type: "range", autocomplete: "off", min, max, step, value });
}

/** A label, what is set, and for a slider its value. */
function field(label: string, control: HTMLInputElement | HTMLTextAreaElement, note = ""): HTMLElement {
  const value = element("output", { for: control.id });
  const show = (): void => void (value.textContent = control.type === "range" ? control.value : "");
  control.addEventListener("input", show);
  show();
  const noted = note && element("small", { id: `${control.id}-note` }, note);
  if (note) control.setAttribute("aria-describedby", `${control.id}-note`);
  return element("div", { class: "gpt-field" }, element("label", { for: control.id }, label, " ", value), control, noted);
}

function selectOf(part: HTMLElement): HTMLSelectElement {
  return find("select", HTMLSelectElement, part);
}

function choiceOf(part: HTMLElement): [part: string, choice: string] {
  return [part.dataset.part ?? "", selectOf(part).value];
}

/** Offer what there is of the learner's; returns whether that changed what is chosen, or how it is missing. */
function offerOwn(part: HTMLElement): boolean {
  const id = part.dataset.part ?? "";
  const select = selectOf(part);
  const before = select.value;
  const [hasPassed, code] = [progress.standing(id).state === "passed", codeOf(id)];
  const had = select.querySelector(`[value=${OWN}]`);
  if (code === null) had?.remove();
  else {
    const own = (had ?? element("option", { value: OWN })) as HTMLOptionElement;
    const isNew = part.dataset.passed !== String(hasPassed);
    own.textContent = hasPassed ? "yours" : "yours, not passed yet";
    select.prepend(own);
    if (hasPassed && isNew) select.value = OWN;
    else if (!had && before) select.value = before;
  }
  part.dataset.passed = String(hasPassed);
  part.dataset.choice = ["", OFF, OWN, REFERENCE].includes(select.value) ? select.value : "mistake";
  part.querySelector("small")?.remove();
  if (hasPassed && code === null) part.append(element("small", {}, "passed, but its code is not in this browser: check it here once"));
  return before !== select.value;
}

/** Say what the switches bring, as it was measured. */
function measure(facts: NonNullable<Answer["facts"]>): void {
  for (const each of switches) {
    const measured = facts[each.dataset.part ?? ""];
    show(each, ".gpt-measured", measured ? (MEASURED[each.dataset.part ?? ""]?.(measured) ?? "") : "");
    show(each, ".gpt-counted", "");
  }
}

function show(part: HTMLElement, selector: string, text: string): void {
  find(selector, HTMLElement, part).textContent = text;
}

/** Say which mistakes were put in on purpose. */
function showMistakes(): void {
  const chosen = parts.map(choiceOf).map(([part, choice]) => `${part} ${choice}`);
  for (const each of document.querySelectorAll<HTMLElement>("[data-mistake]")) each.hidden = !chosen.includes(each.dataset.mistake ?? "");
}

function paint(): boolean {
  const changed = parts.map(offerOwn).some(Boolean);
  const needed = parts.filter((part) => !switches.includes(part));
  const passed = needed.filter(({ dataset }) => dataset.passed === "true").length;
  const said = passed < needed.length ? `${passed} of ${needed.length} functions are yours.` : "All of it is yours.";
  find("#gpt-missing", HTMLElement).textContent = said;
  showMistakes();
  return changed;
}

paint();
const isComplete = (): boolean => parts.every((part) => selectOf(part).value !== "");
const desk = new Desk(find(".gpt-desk", HTMLElement), isComplete);
if (isComplete()) desk.start();
if (main.dataset.record) void desk.play();
for (const part of parts) {
  selectOf(part).addEventListener("change", () => {
    paint();
    void desk.write();
  });
}
progress.subscribe(() => {
  if (paint() && isComplete()) void desk.write();
});
