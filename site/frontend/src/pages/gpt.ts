/** The page of a small GPT, each part of which may be a learner's own function. */

import { button, element, findElement, renderInlineCode } from "../dom";
import { WritingPace } from "../gpt/writing-pace";
import { draftSentence, END_OF_TEXT, type GenerationStep, type RecordedText, SWITCH_SENTENCES } from "../gpt/generation-step";
import { GeneratedText, prefersReducedMotion } from "../gpt/generated-text";
import { progress } from "../progress";
import { InterruptedCall, Python } from "../python";
import { readProgram } from "../solve/draft";
import { PythonStatusLine } from "../solve/python-status";
import { errorMessage, pluralize } from "../text";

interface Problem {
  readonly message: string;
  readonly exercise: string | null;
}

interface LetterAnswer extends Partial<GenerationStep> {
  readonly prompt?: string;
  readonly facts?: Readonly<Record<string, readonly number[]>>;
  readonly problem: Problem | null;
}

const MAX_LETTERS = 400; // most letters after the prompt; a tale has about 200
const OWN_CHOICE = "own";
const REFERENCE_CHOICE = "reference";
const OFF_CHOICE = "off"; // the choice of a switch that is off

const main = findElement("main", HTMLElement);
const parts = [...document.querySelectorAll<HTMLElement>("[data-part]")];
const switches = parts.filter(({ dataset }) => dataset.switch !== undefined);
const fileAddress = (name: string): string => new URL(main.dataset[name] ?? "", location.href).href;

class GptDesk {
  readonly #status = new PythonStatusLine(() => this.#python.reset());
  readonly #python = new Python(["open_gpt"], (state) => this.#status.show(state), fileAddress("model"));
  readonly #prompt = element("textarea", { id: "gpt-prompt", rows: 1, maxlength: 200, spellcheck: "false" }, main.dataset.prompt ?? "");
  readonly #temperature = rangeInput("gpt-temperature", 0, 2, 0.1, Number(main.dataset.temperature));
  readonly #topK = rangeInput("gpt-top", 1, 40, 1, Number(main.dataset.top));
  readonly #seed = element("input", { id: "gpt-seed", type: "number", min: 0, max: 999_999, step: 1, value: main.dataset.seed });
  readonly #writeButton = button("Write", () => void this.write(), { class: "button primary" });
  readonly #pace = new WritingPace();
  readonly #sourceLine = element("p", { class: "gpt-source" });
  readonly #announcement = element("p", { class: "unseen", role: "status" });
  readonly #problemBox = element("div", { role: "alert" });
  readonly #text: GeneratedText;
  #textNumber = 0; // a writing loop ends once a newer text has begun
  #currentWriting: Promise<void> = Promise.resolve();

  constructor(place: HTMLElement, private readonly canWrite: () => boolean) {
    const another = button("Another tale", () => {
      this.#seed.valueAsNumber = (this.#seed.valueAsNumber || 0) + 1;
      void this.write();
    }, { class: "button" });
    this.#text = new GeneratedText(place, this.#pace.button);
    const settings = element(
      "div",
      { class: "gpt-settings" },
      labelledField("Begin with", this.#prompt),
      labelledField("Temperature", this.#temperature, "0: always the most probable letter"),
      labelledField("Top k", this.#topK, "of so many letters one is drawn"),
      labelledField("Seed", this.#seed, "the same seed, the same tale"),
    );
    const buttons = element("div", { class: "buttons" }, this.#writeButton, another, this.#status.line);
    place.prepend(this.#sourceLine);
    place.append(this.#problemBox, settings, buttons, this.#announcement);
    this.#status.show(this.#python.state);
    this.#writeButton.ariaDisabled = "false";
    this.#prompt.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      void this.write();
    });
  }

  /** Replay the text that was written when the site was built; once Python is ready, it continues the text. */
  async play(): Promise<void> {
    const turn = ++this.#textNumber;
    const answer = await fetch(fileAddress("record")).catch(() => undefined);
    if (!answer?.ok || turn !== this.#textNumber) return;
    const { prompt, steps } = (await answer.json()) as RecordedText;
    this.#currentWriting = this.#runWriting(turn, async () => {
      this.#showSource("Written with the reference’s functions when this page was built.", "record");
      this.#text.begin(prompt);
      let written = 0;
      const isToGoOn = (): boolean => this.#python.state.kind === "ready" && this.canWrite();
      while (turn === this.#textNumber && written < steps.length && !isToGoOn()) {
        this.#text.add(steps[written] as GenerationStep, !prefersReducedMotion);
        written += 1;
        if (!prefersReducedMotion) await this.#pace.waitForLetter();
      }
      if (turn === this.#textNumber && written < steps.length) await this.#writeLetters(turn, this.#text.text, false);
    });
  }

  async write(): Promise<void> {
    if (!this.canWrite()) {
      this.#problemBox.replaceChildren(element("p", { class: "problem" }, "A part is still missing: pass its exercise first."));
      return;
    }
    const turn = ++this.#textNumber;
    this.#pace.setWriting(false); // a paused text must end
    await this.#currentWriting;
    if (turn !== this.#textNumber) return;
    this.#currentWriting = this.#runWriting(turn, () => this.#writeLetters(turn, this.#prompt.value, true));
    await this.#currentWriting;
  }

  start(): void {
    this.#python.start();
  }

  async #runWriting(turn: number, write: () => Promise<void>): Promise<void> {
    this.#writeButton.ariaDisabled = "true"; // a disabled button would lose the focus
    this.#pace.setWriting(!prefersReducedMotion);
    this.#problemBox.replaceChildren();
    this.#announcement.textContent = "";
    try {
      await write();
    } catch (error) {
      const message = errorMessage(error);
      this.#problemBox.replaceChildren(element("p", { class: "problem" }, message));
      if (!(error instanceof InterruptedCall)) throw error;
    } finally {
      if (turn === this.#textNumber) {
        this.#text.finish();
        this.#pace.setWriting(false);
        this.#announcement.textContent = `Written: ${this.#text.text}`;
      }
      this.#writeButton.ariaDisabled = "false";
    }
  }

  async #writeLetters(turn: number, prompt: string, isNew: boolean): Promise<void> {
    const choices = parts.map(partChoice).filter(([, choice]) => choice !== OFF_CHOICE);
    const request = {
      sources: Object.fromEntries(choices.filter(([, choice]) => choice === OWN_CHOICE).map(([part]) => [part, readProgram(part) ?? ""])),
      names: Object.fromEntries(choices.filter(([, choice]) => choice !== OWN_CHOICE)),
      prompt,
      seed: Math.abs(Math.trunc(Number(this.#seed.value))),
    };
    let answer = JSON.parse(await this.#python.call("begin_text", JSON.stringify(request))) as LetterAnswer;
    if (turn !== this.#textNumber) return;
    const ownCount = choices.filter(([, choice]) => choice === OWN_CHOICE).length;
    const part = isNew ? "Written" : "Begun when this page was built, and written on";
    this.#showSource(`${part} in your browser${ownCount ? `, with ${pluralize(ownCount, "function")} of yours` : ""}.`, "live");
    if (isNew) this.#text.begin(answer.prompt ?? "");
    showMeasurements(answer.facts ?? {});
    for (let written = 0; !answer.problem && written < MAX_LETTERS; written += 1) {
      const settings = { temperature: Number(this.#temperature.value), top_k: Number(this.#topK.value) };
      answer = JSON.parse(await this.#python.call("next_letter", JSON.stringify(settings))) as LetterAnswer;
      if (turn !== this.#textNumber) return;
      const { letter, choices = [], heads = [], counts = [0, 0, 0] } = answer;
      if (letter === undefined) break;
      this.#text.add({ letter, choices, heads, counts }, !prefersReducedMotion);
      for (const each of switches) if (each.dataset.part === "speculative-decoding") setText(each, ".gpt-counted", draftSentence(counts, written + 1));
      if (letter === END_OF_TEXT) break;
      if (!prefersReducedMotion) await this.#pace.waitForLetter();
    }
    if (answer.problem) this.#showProblem(answer.problem);
  }

  #showSource(text: string, kind: string): void {
    this.#sourceLine.textContent = text;
    this.#sourceLine.dataset.kind = kind;
  }

  #showProblem({ message, exercise }: Problem): void {
    const link = parts.find(({ dataset }) => dataset.part === exercise)?.querySelector("a");
    const exerciseLink = link && element("a", { href: link.href }, `Go to “${link.textContent}”`);
    this.#problemBox.replaceChildren(element("p", { class: "problem" }, renderInlineCode(message), exerciseLink && " ", exerciseLink));
  }
}

function rangeInput(id: string, min: number, max: number, step: number, value: number): HTMLInputElement {
  return element("input", { id, type: "range", autocomplete: "off", min, max, step, value });
}

/** Render a control with its label, its note, and for a slider its value. */
function labelledField(label: string, control: HTMLInputElement | HTMLTextAreaElement, note = ""): HTMLElement {
  const value = element("output", { for: control.id });
  const show = (): void => void (value.textContent = control.type === "range" ? control.value : "");
  control.addEventListener("input", show);
  show();
  const noteElement = note && element("small", { id: `${control.id}-note` }, note);
  if (note) control.setAttribute("aria-describedby", `${control.id}-note`);
  return element("div", { class: "gpt-field" }, element("label", { for: control.id }, label, " ", value), control, noteElement);
}

function partSelect(part: HTMLElement): HTMLSelectElement {
  return findElement("select", HTMLSelectElement, part);
}

function partChoice(part: HTMLElement): [part: string, choice: string] {
  return [part.dataset.part ?? "", partSelect(part).value];
}

/** Offer the learner's own function for a part; return whether the part's choice has changed. */
function offerOwn(part: HTMLElement): boolean {
  const id = part.dataset.part ?? "";
  const select = partSelect(part);
  const previousChoice = select.value;
  const [hasPassed, code] = [progress.status(id).state === "passed", readProgram(id)];
  const oldOption = select.querySelector(`[value=${OWN_CHOICE}]`);
  if (code === null) oldOption?.remove();
  else {
    const option = (oldOption ?? element("option", { value: OWN_CHOICE })) as HTMLOptionElement;
    const isNew = part.dataset.passed !== String(hasPassed);
    option.textContent = hasPassed ? "yours" : "yours, not passed yet";
    select.prepend(option);
    if (hasPassed && isNew) select.value = OWN_CHOICE;
    else if (!oldOption && previousChoice) select.value = previousChoice;
  }
  part.dataset.passed = String(hasPassed);
  part.dataset.choice = ["", OFF_CHOICE, OWN_CHOICE, REFERENCE_CHOICE].includes(select.value) ? select.value : "mistake";
  part.querySelector("small")?.remove();
  if (hasPassed && code === null) part.append(element("small", {}, "passed, but its code is not in this browser: check it here once"));
  return previousChoice !== select.value;
}

/** Show the measurements of each switch. */
function showMeasurements(facts: NonNullable<LetterAnswer["facts"]>): void {
  for (const each of switches) {
    const measured = facts[each.dataset.part ?? ""];
    setText(each, ".gpt-measured", measured ? (SWITCH_SENTENCES[each.dataset.part ?? ""]?.(measured) ?? "") : "");
    setText(each, ".gpt-counted", "");
  }
}

function setText(part: HTMLElement, selector: string, text: string): void {
  findElement(selector, HTMLElement, part).textContent = text;
}

/** Show the descriptions of the selected mistakes. */
function showMistakes(): void {
  const choices = parts.map(partChoice).map(([part, choice]) => `${part} ${choice}`);
  for (const each of document.querySelectorAll<HTMLElement>("[data-mistake]")) each.hidden = !choices.includes(each.dataset.mistake ?? "");
}

function paint(): boolean {
  const hasChanged = parts.map(offerOwn).some(Boolean);
  const needed = parts.filter((part) => !switches.includes(part));
  const passedCount = needed.filter(({ dataset }) => dataset.passed === "true").length;
  const sentence = passedCount < needed.length ? `${passedCount} of ${needed.length} functions are yours.` : "All of it is yours.";
  findElement("#gpt-missing", HTMLElement).textContent = sentence;
  showMistakes();
  return hasChanged;
}

paint();
const isComplete = (): boolean => parts.every((part) => partSelect(part).value !== "");
const desk = new GptDesk(findElement(".gpt-desk", HTMLElement), isComplete);
if (isComplete()) desk.start();
if (main.dataset.record) void desk.play();
for (const part of parts) {
  partSelect(part).addEventListener("change", () => {
    paint();
    void desk.write();
  });
}
progress.subscribe(() => {
  if (paint() && isComplete()) void desk.write();
});
