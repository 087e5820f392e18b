/**
 * The form of a prediction: a field for each answer, judged in the page or, on a certified site, by the
 * service. There the page has no answers, not even hashes, since all likely answers could be tried.
 */

import { button, type Child, createIcon, element, findElement, renderParagraphs } from "../dom";
import { download } from "../download";
import { InterruptedCall, Python, type PythonState } from "../python";
import { requestState } from "../splice";
import { service } from "../submit/certificates";
import { SubmitControls } from "../submit/submit-controls";
import { pluralize } from "../text";
import { hasPython } from "../workers";
import { Draft } from "./draft";
import { checkCommand, type Exercise, fileAddress, submissionName } from "./exercise";
import { Help } from "./help";
import { answerError, toAnswer, toLiteral } from "./literals";
import { PythonStatusLine } from "./python-status";
import { OUTCOME_ICONS, renderProblem, type ResultsContext, summarySentence } from "./results";
import { ResultsCard } from "./results-card";
import type { GraderFault, TestResult, Verdict } from "./verdict";
import { recordVerdict } from "./verdict-recording";

const UNANSWERED = "...";

interface AnswerField {
  readonly name: string;
  readonly element: HTMLElement;
  readonly focusTarget: HTMLElement; // the element that gets the focus
  read(): string; // returns a Python literal, or an empty text
  write(literal: string): void;
  validate(): string; // returns a sentence on the mistake in the answer's form, or ""
  showError(trouble: string): void;
  readonly mark: HTMLElement; // shows whether the answer is right
}

export class Prediction {
  readonly #fields: readonly AnswerField[];
  readonly #draft: Draft;
  readonly #help: Help;
  readonly #results: ResultsCard;
  readonly #pythonStatus = new PythonStatusLine(() => this.#python?.reset());
  readonly #python: Python | null;
  readonly #context: ResultsContext;
  #isBusy = false;
  readonly #summary = element("p", { class: "summary", role: "status" });

  constructor(private readonly exercise: Exercise) {
    this.#draft = new Draft(exercise.id, exercise.starter, (source) => this.#restore(source));
    const isJudgedHere = exercise.engine !== "";
    const show = (state: PythonState): void => this.#pythonStatus.show(state);
    this.#python = isJudgedHere ? new Python(["open_exercise"], show, fileAddress(exercise.engine)) : null;
    this.#results = new ResultsCard(
      `“${isJudgedHere ? "Check" : "Submit for grading"}” compares your answers with the right ones.`,
      "Your answers have changed since these results.",
    );
    const answers = parseAnswers(this.#draft.read());
    this.#fields = exercise.defines.map((name) => {
      const choices = exercise.choices?.[name] ?? [];
      const answer = answers.get(name) ?? "";
      const label = answerLabel(name);
      return choices.length > 0 ? createChoiceField(name, label, choices, answer) : createTextField(name, label, answer);
    });
    this.#help = new Help(exercise);
    this.#context = {
      feedback: exercise.feedback,
      goTo: (line) => this.#fields[line - 1]?.focusTarget.focus(), // each answer has its own line
      renderHintLead: (number) => this.#help.renderHintLead(number),
      testsAreShown: isJudgedHere, // each field shows its own tests
    };
    this.#render();
    requestState(exercise.id, (source) => this.#restore(source));
  }

  #render(): void {
    findElement("#code", HTMLElement).textContent = "Your answers";
    const form = element("form", { class: "answers", autocomplete: "off" }, ...this.#fields.map(({ element: parts }) => parts));
    form.noValidate = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#check();
    });
    form.addEventListener("focusin", () => this.#python?.start(), { once: true });
    form.addEventListener("input", ({ target }) => this.#handleChange(target));
    form.addEventListener("focusout", ({ target }) => this.#handleFieldExit(target));
    findElement("#starter", HTMLElement).replaceChildren(form, this.#renderFooter());
    if (service || this.#python) findElement("#bench", HTMLElement).after(this.#results.card);
    if (this.#python) {
      this.#pythonStatus.show(this.#python.state);
      if (hasPython()) this.#python.start();
      findElement("#terminal", HTMLDetailsElement).open = false;
    }
    this.#showProgress();
  }

  #restore(source: string): void {
    const answers = parseAnswers(source);
    for (const field of this.#fields) field.write(answers.get(field.name) ?? "");
    this.#handleChange(null);
  }

  #renderFooter(): HTMLElement {
    const name = submissionName(this.exercise.id);
    const save = button(`Download ${name}`, () => this.#save(), { class: this.#python ? "button" : "button primary" });
    const check = this.#python && button("Check", () => void this.#check(), { class: "button primary" });
    const submitting = service && new SubmitControls(service, {
      exercise: this.exercise,
      results: this.#results,
      source: () => (this.#isComplete() ? this.#buildSource() : null),
      text: () => this.#buildSource(),
      showVerdict: (source, verdict) => this.#showVerdict(source, verdict, "Graded by the service", { isCertified: true }),
    });
    const grading = service ? "is graded here or by the command below" : "the command below grades";
    const plain =
      "This page cannot tell whether your answers are right: it does not know the right ones. " +
      `It looks at their form, and makes the file that ${grading}.`;
    return element(
      "div",
      { class: "bench-foot" },
      this.#python ? null : element("p", {}, plain),
      element("div", { class: "buttons" }, check, save, submitting?.button, this.#python && this.#pythonStatus.line),
      submitting?.line,
      this.#summary,
      this.#draft.notice,
    );
  }

  #handleChange(target: EventTarget | null): void {
    this.#draft.write(this.#buildSource());
    this.#results.markStale(this.#buildSource());
    for (const field of this.#fields) {
      if (!field.validate()) field.showError("");
      if (target instanceof Node && field.element.contains(target)) field.mark.replaceChildren();
    }
    this.#showProgress();
  }

  /** Show the mistake in an answer's form once its field is left, unless it is empty. */
  #handleFieldExit(target: EventTarget | null): void {
    const field = this.#fields.find(({ element: parts }) => target instanceof Node && parts.contains(target));
    if (field?.read()) field.showError(field.validate());
  }

  #showProgress(): void {
    const ready = this.#fields.filter((field) => !field.validate()).length;
    const all = this.#fields.length;
    this.#summary.textContent =
      ready === all
        ? `All ${all} answers are there. ${this.#python ? "Check them" : service ? "Submit them for grading" : "Download the file, and grade it in a terminal"}.`
        : `${ready} of ${pluralize(all, "answer")} ${ready === 1 ? "is" : "are"} there.`;
  }

  #save(): void {
    if (!this.#isComplete()) return;
    download(submissionName(this.exercise.id), this.#buildSource());
    this.#summary.textContent = `Now run ${checkCommand(this.exercise)} where the file is.`;
  }

  /** Return whether all answers are valid; if not, focus the first that is not. */
  #isComplete(): boolean {
    for (const field of this.#fields) field.showError(field.validate());
    const missing = this.#fields.find((field) => field.validate());
    missing?.focusTarget.focus();
    return missing === undefined;
  }

  /** Judge the answers in this page. */
  async #check(): Promise<void> {
    if (this.#python === null || this.#isBusy || !this.#isComplete()) return;
    this.#isBusy = true;
    const source = this.#buildSource();
    try {
      const verdict = JSON.parse(await this.#python.call("check", source)) as Verdict | GraderFault;
      if (verdict.outcome !== "grader fault") this.#showVerdict(source, verdict, "", { isCertified: false });
      else this.#results.show(source, "bad", "This could not be checked: the grader itself failed.", "", [renderProblem(verdict.message, null, this.#context)]);
    } catch (error) {
      if (!(error instanceof InterruptedCall)) throw error;
      this.#results.show(source, "bad", error.message, "", []);
    } finally {
      this.#isBusy = false;
    }
  }

  #showVerdict(source: string, verdict: Verdict, facts: string, { isCertified }: { isCertified: boolean }): void {
    const content = recordVerdict({ exercise: this.exercise, source, verdict, isCertified }, this.#help, this.#context);
    const tone = verdict.outcome === "passed" ? "good" : "bad";
    this.#summary.textContent = "";
    this.#markAnswers(verdict); // first, as it moves the results, which are then scrolled into view
    this.#results.show(source, tone, summarySentence(this.exercise, verdict), facts, content);
  }

  /** Mark each answer as right or wrong, if the exercise says which tests read it. */
  #markAnswers({ tests }: Verdict): void {
    const { asks } = this.exercise;
    for (const { name, mark } of this.#fields) {
      const ownTests = tests.filter(({ id }) => asks[id]?.includes(name));
      if (ownTests.length > 0) mark.replaceChildren(...renderMark(ownTests));
    }
  }

  #buildSource(): string {
    const lines = this.#fields.map((field) => `${field.name} = ${field.read() || UNANSWERED}\n`);
    return lines.join("");
  }
}

/** Parse the answers in a draft that this page wrote. */
function parseAnswers(source: string): Map<string, string> {
  const matches = source.matchAll(/^(\w+) = (.*)$/gm);
  const pairs = [...matches].map(([, name = "", value = ""]) => [name, value] as const);
  return new Map(pairs.filter(([, value]) => value !== UNANSWERED));
}

/** Label an answer with its name; if the instructions list a question on this name, move it here. */
function answerLabel(name: string): Child[] {
  const label: Child[] = [element("code", {}, name)];
  for (const item of document.querySelectorAll("#brief .prose li")) {
    if (item.firstElementChild?.textContent !== name || item.firstChild !== item.firstElementChild) continue;
    const list = item.parentElement;
    item.remove();
    if (list?.childElementCount === 0) list.remove();
    item.firstElementChild.remove();
    if (item.firstChild) item.firstChild.textContent = item.firstChild.textContent?.replace(/^:\s*/, "") ?? "";
    label.push(" ", element("span", { class: "asked" }, ...item.childNodes)); // the space is for screen readers
    break;
  }
  return label;
}

function renderMark(tests: readonly TestResult[]): Node[] {
  const wrong = tests.find(({ outcome }) => outcome !== "passed");
  const picture = element("span", { class: "badge" }, createIcon(OUTCOME_ICONS[wrong ? "failed" : "passed"] ?? ""));
  const words = element("div", {}, element("b", {}, wrong ? "Not right" : "Right"), wrong ? renderParagraphs(wrong.message) : "");
  return [element("div", { class: `outcome ${wrong ? "failed" : "passed"}` }, picture, words)];
}

function createTextField(name: string, labelContent: Child[], answer: string): AnswerField {
  const id = `answer-${name}`;
  const input = element("input", {
    id,
    class: "answer",
    value: toAnswer(answer),
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-trouble ${id}-mark`,
  });
  const error = element("p", { class: "answer-trouble", id: `${id}-trouble` });
  const mark = element("div", { class: "answer-mark", id: `${id}-mark` });
  const label = element("label", { for: id }, ...labelContent);
  return {
    name,
    mark,
    element: element("div", { class: "field" }, label, input, error, mark),
    focusTarget: input,
    read: () => toLiteral(input.value),
    write: (literal) => (input.value = toAnswer(literal)),
    validate: () => answerError(toLiteral(input.value)),
    showError: createErrorSetter(input, error),
  };
}

function createChoiceField(name: string, labelContent: Child[], choices: readonly string[], answer: string): AnswerField {
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
  const error = element("p", { class: "answer-trouble", id: `${id}-trouble` });
  const mark = element("div", { class: "answer-mark", id: `${id}-mark` });
  const legend = element("legend", {}, ...labelContent);
  const described = { class: "field", "aria-describedby": `${error.id} ${mark.id}` };
  const group = element("fieldset", described, legend, ...labels, error, mark);
  const choice = (): string | undefined => options.find(({ checked }) => checked)?.value;
  return {
    name,
    mark,
    element: group,
    focusTarget: options[0] ?? group,
    write: (literal) => options.forEach((option) => (option.checked = JSON.stringify(option.value) === literal)),
    read: () => (choice() === undefined ? "" : JSON.stringify(choice())),
    validate: () => (choice() === undefined ? "Choose one of these." : ""),
    showError: createErrorSetter(group, error),
  };
}

function createErrorSetter(field: HTMLElement, error: HTMLElement): (trouble: string) => void {
  return (trouble) => {
    error.textContent = trouble;
    if (trouble) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  };
}
