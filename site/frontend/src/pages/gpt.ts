/** A learner's own GPT: the functions that passed, put together, and what they write. */

import { button, count, element, find, sentence } from "../dom";
import { progress } from "../progress";
import { Interrupted, Python } from "../python";
import { codeOf } from "../solve/draft";
import { Status } from "../solve/status";

interface Answer {
  readonly prompt?: string; // without letters that the model does not know
  readonly letter?: string;
  readonly problem: { readonly message: string; readonly exercise: string | null } | null;
}

const MOST = 400; // letters after the prompt; a tale has some 200

const parts = [...document.querySelectorAll<HTMLElement>("[data-part]")];
const model = new URL(find("main", HTMLElement).dataset.model ?? "", location.href).href;

class Desk {
  readonly #status = new Status(() => this.#python.reset());
  readonly #python = new Python(["open_gpt"], (state) => this.#status.show(state), model);
  readonly #prompt = element("textarea", { id: "gpt-prompt", rows: 2, maxlength: 200, spellcheck: "false" }, "Mia the ");
  readonly #temperature = range("gpt-temperature", 0, 2, 0.1, 0.6);
  readonly #top = range("gpt-top", 1, 40, 1, 10);
  readonly #seed = element("input", { id: "gpt-seed", type: "number", min: 0, max: 999_999, step: 1, value: 1 });
  readonly #write = button("Write", () => void this.#begin(), { class: "button primary" });
  readonly #stop = button("Stop", () => (this.#isStopped = true), { class: "button halt", hidden: true });
  readonly #given = element("b");
  readonly #text = element("span");
  readonly #said = element("p", { class: "unseen", role: "status" });
  readonly #problem = element("div", { role: "alert" });
  #isStopped = false;
  #isWriting = false;

  constructor(place: HTMLElement) {
    place.append(
      field("Begin with", this.#prompt),
      element(
        "div",
        { class: "gpt-settings" },
        field("Temperature", this.#temperature, "0: always the most probable letter"),
        field("Top k", this.#top, "of so many letters one is drawn"),
        field("Seed", this.#seed, "the same seed, the same tale"),
      ),
      element("div", { class: "buttons" }, this.#write, this.#stop, this.#status.line),
      element("p", { class: "gpt-text", id: "gpt-text", "aria-label": "The tale", role: "group" }, this.#given, this.#text),
      this.#said,
      this.#problem,
    );
    this.#status.show(this.#python.state);
    place.addEventListener("focusin", () => this.#python.start(), { once: true });
  }

  async #begin(): Promise<void> {
    if (this.#isWriting) return;
    this.#show(true);
    this.#given.textContent = this.#text.textContent = this.#said.textContent = "";
    this.#problem.replaceChildren();
    try {
      await this.#tell();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#problem.replaceChildren(element("p", { class: "problem" }, message));
      if (!(error instanceof Interrupted)) throw error;
    } finally {
      this.#show(false);
    }
  }

  async #tell(): Promise<void> {
    const request = {
      sources: Object.fromEntries(parts.map(({ dataset }) => [dataset.part, codeOf(dataset.part ?? "") ?? ""])),
      prompt: this.#prompt.value,
      temperature: Number(this.#temperature.value),
      top_k: Number(this.#top.value),
      seed: Math.abs(Math.trunc(Number(this.#seed.value))),
    };
    let answer = JSON.parse(await this.#python.call("begin_text", JSON.stringify(request))) as Answer;
    const { prompt = "" } = answer;
    this.#given.textContent = prompt;
    for (let written = 0; !answer.problem && answer.letter !== "\n" && written < MOST && !this.#isStopped; written += 1) {
      answer = JSON.parse(await this.#python.call("next_letter")) as Answer;
      this.#text.append(answer.letter ?? "");
    }
    if (answer.problem) this.#explain(answer.problem);
    else this.#said.textContent = `${this.#isStopped ? "Stopped" : "Written"}: ${prompt}${this.#text.textContent}`;
  }

  #explain({ message, exercise }: NonNullable<Answer["problem"]>): void {
    const link = parts.find(({ dataset }) => dataset.part === exercise)?.querySelector("a");
    const there = link && element("a", { href: link.href }, `Go to “${link.textContent}”`);
    this.#problem.replaceChildren(element("p", { class: "problem" }, sentence(message), there && " ", there));
  }

  #show(isWriting: boolean): void {
    this.#isStopped = false;
    this.#isWriting = isWriting;
    this.#write.ariaDisabled = String(isWriting); // it keeps the focus
    this.#stop.hidden = !isWriting;
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

function missing(): string[] {
  return parts.flatMap((part) => {
    const id = part.dataset.part ?? "";
    const passed = progress.standing(id).state === "passed";
    const lack = !passed ? "not passed yet" : codeOf(id) === null ? "passed, but its code is not in this browser: check it here once" : "";
    part.querySelector("small")?.remove();
    if (lack) part.append(" ", element("small", {}, lack));
    return lack ? [id] : [];
  });
}

let desk: Desk | undefined;

function paint(): void {
  const lacking = missing().length;
  const said = lacking ? `${count(lacking, "exercise")} of ${parts.length} still missing.` : "All of it is yours.";
  find("#gpt-missing", HTMLElement).textContent = said;
  find("#own-gpt", HTMLElement).hidden = lacking > 0;
  if (!lacking) desk ??= new Desk(find(".gpt-desk", HTMLElement));
}

paint();
progress.subscribe(paint);
