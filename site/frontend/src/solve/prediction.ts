/** Answers to be predicted: a field for each, checked for their form alone. */

import { button, count, element, find } from "../dom";
import { service } from "../submit/certified";
import { Submitting } from "../submit/submitting";
import { conclude } from "./conclusion";
import { download } from "./download";
import { Draft } from "./draft";
import { checkCommand, type Exercise, fileName } from "./exercise";
import { Help } from "./help";
import { troubleWith } from "./literals";
import { type Around, summaryOf } from "./results";
import { ResultsCard } from "./resultscard";
import type { Verdict } from "./verdict";

const UNANSWERED = "...";

interface Field {
  readonly name: string;
  readonly parts: HTMLElement;
  readonly first: HTMLElement; // what gets the focus
  read(): string; // a Python literal, or nothing
  trouble(): string; // what is wrong with it
  complain(trouble: string): void;
}

export class Prediction {
  private readonly fields: readonly Field[];
  private readonly draft: Draft;
  private readonly help: Help;
  private readonly results = new ResultsCard("“Submit for grading” compares your answers with the right ones.");
  private readonly summary = element("p", { class: "summary", role: "status" });

  constructor(private readonly exercise: Exercise) {
    this.draft = new Draft(exercise.id, exercise.starter);
    const answers = answersIn(this.draft.read());
    this.fields = exercise.defines.map((name) => {
      const choices = exercise.choices?.[name] ?? [];
      const answer = answers.get(name) ?? "";
      return choices.length > 0 ? choiceField(name, choices, answer) : textField(name, answer);
    });
    this.help = new Help(exercise);
    this.layOut();
  }

  private layOut(): void {
    find("#code", HTMLElement).textContent = "Your answers";
    const form = element("form", { class: "answers", autocomplete: "off" }, ...this.fields.map(({ parts }) => parts));
    form.noValidate = true;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => this.changed());
    form.addEventListener("focusout", ({ target }) => this.left(target));
    find("#starter", HTMLElement).replaceChildren(form, this.foot());
    if (service) find("#bench", HTMLElement).after(this.results.card);
    this.count();
  }

  private foot(): HTMLElement {
    const name = fileName(this.exercise.id);
    const save = button(`Download ${name}`, () => this.save(), { class: "button primary" });
    const submitting = service && new Submitting(service, {
      exercise: this.exercise,
      results: this.results,
      source: () => (this.isComplete() ? this.source() : null),
      text: () => this.source(),
      judged: (source, verdict) => this.conclude(source, verdict),
    });
    const grading = service ? "is graded here or by the command below" : "the command below grades";
    const plain =
      "This page cannot tell whether your answers are right: it does not know the right ones. " +
      `It looks at their form, and makes the file that ${grading}.`;
    return element(
      "div",
      { class: "bench-foot" },
      element("p", {}, plain),
      element("div", { class: "buttons" }, save, submitting?.button),
      submitting?.line,
      this.summary,
    );
  }

  private changed(): void {
    this.draft.write(this.source());
    this.results.compare(this.source());
    for (const field of this.fields) {
      if (!field.trouble()) field.complain("");
    }
    this.count();
  }

  /** An answer is complained of once its field is left, and nobody minds an empty one yet. */
  private left(target: EventTarget | null): void {
    const field = this.fields.find(({ parts }) => target instanceof Node && parts.contains(target));
    if (field?.read()) field.complain(field.trouble());
  }

  private count(): void {
    const ready = this.fields.filter((field) => !field.trouble()).length;
    const all = this.fields.length;
    this.summary.textContent =
      ready === all
        ? `All ${all} answers are there. ${service ? "Submit them for grading" : "Download the file, and grade it in a terminal"}.`
        : `${ready} of ${count(all, "answer")} ${ready === 1 ? "is" : "are"} there.`;
  }

  private save(): void {
    if (!this.isComplete()) return;
    download(fileName(this.exercise.id), this.source());
    this.summary.textContent = `Now run ${checkCommand(this.exercise)} where the file is.`;
  }

  /** Whether each answer is there; if not, the first that is missing is pointed to. */
  private isComplete(): boolean {
    for (const field of this.fields) field.complain(field.trouble());
    const missing = this.fields.find((field) => field.trouble());
    missing?.first.focus();
    return missing === undefined;
  }

  private conclude(source: string, verdict: Verdict): void {
    const around: Around = {
      feedback: this.exercise.feedback,
      goTo: (line) => this.fields[line - 1]?.first.focus(), // each answer has a line of its own
      hint: (number) => this.help.leadTo(number),
    };
    const inside = conclude({ exercise: this.exercise, source, verdict, isCertified: true }, this.help, around);
    const tone = verdict.outcome === "passed" ? "good" : "bad";
    this.results.show(source, tone, summaryOf(verdict), "Graded by the service", inside);
  }

  private source(): string {
    const lines = this.fields.map((field) => `${field.name} = ${field.read() || UNANSWERED}\n`);
    return lines.join("");
  }
}

/** What each name was set to, in a draft that this page wrote. */
function answersIn(source: string): Map<string, string> {
  const found = source.matchAll(/^(\w+) = (.*)$/gm);
  const pairs = [...found].map(([, name = "", value = ""]) => [name, value] as const);
  return new Map(pairs.filter(([, value]) => value !== UNANSWERED));
}

function textField(name: string, answer: string): Field {
  const id = `answer-${name}`;
  const input = element("input", {
    id,
    class: "answer",
    value: answer,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-trouble`,
  });
  const said = element("p", { class: "answer-trouble", id: `${id}-trouble` });
  const label = element("label", { for: id }, element("code", {}, name));
  return {
    name,
    parts: element("div", { class: "field" }, label, input, said),
    first: input,
    read: () => input.value.trim(),
    trouble: () => troubleWith(input.value),
    complain: complainer(input, said),
  };
}

function choiceField(name: string, choices: readonly string[], answer: string): Field {
  const id = `answer-${name}`;
  const options = choices.map((choice) =>
    element("input", {
      type: "radio",
      name: id,
      value: choice,
      checked: JSON.stringify(choice) === answer,
    }),
  );
  const labels = options.map((option) => element("label", { class: "choice" }, option, option.value));
  const said = element("p", { class: "answer-trouble", id: `${id}-trouble` });
  const legend = element("legend", {}, element("code", {}, name));
  const described = { class: "field", "aria-describedby": said.id };
  const group = element("fieldset", described, legend, ...labels, said);
  const chosen = (): string | undefined => options.find(({ checked }) => checked)?.value;
  return {
    name,
    parts: group,
    first: options[0] ?? group,
    read: () => (chosen() === undefined ? "" : JSON.stringify(chosen())),
    trouble: () => (chosen() === undefined ? "Choose one of these." : ""),
    complain: complainer(group, said),
  };
}

function complainer(field: HTMLElement, said: HTMLElement): (trouble: string) => void {
  return (trouble) => {
    said.textContent = trouble;
    if (trouble) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  };
}
