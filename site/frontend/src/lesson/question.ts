/** The questions of a lesson. Each answer is judged at once and has its own reason. */

import { findElement } from "../dom";

const INSTRUCTION = 0; // the order of the reasons in the page: the instruction, a missing answer, then each answer
const MISSING_ANSWER = 1;
const FIRST_ANSWER = 2;

type ReasonTone = "" | "good" | "bad";

/** Make every question of the page judge its answers. */
export function startQuestions(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>(".quiz")) {
    if (form.dataset.numbers) startNumberQuestion(form, JSON.parse(form.dataset.numbers) as NumberAnswer[]);
    else startChoiceQuestion(form);
  }
}

function startChoiceQuestion(form: HTMLFormElement): void {
  const options = [...form.querySelectorAll<HTMLElement>(".option")];
  const inputs = options.map((option) => findElement("input", HTMLInputElement, option));
  const answer = inputs.findIndex((input) => input.dataset.right !== undefined);
  const reveal = findElement(".link", HTMLButtonElement, form);

  function judge(index: number): void {
    options.forEach((option) => {
      if (option.dataset.is === "wrong") markOption(option, "tried", "–", "tried");
    });
    const isRight = index === answer;
    const option = options[index];
    if (option) markOption(option, isRight ? "right" : "wrong", isRight ? "✓" : "✗", isRight ? "Right" : "Not this");
    showReason(form, FIRST_ANSWER + index, isRight ? "good" : "bad");
    reveal.disabled = isRight;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const index = inputs.findIndex((input) => input.checked);
    if (index >= 0) judge(index);
    else showReason(form, MISSING_ANSWER, "");
  });
  reveal.addEventListener("click", () => {
    const input = inputs[answer];
    if (!input) return;
    input.checked = true;
    input.focus();
    judge(answer);
  });
}

/** Mark an answer with a sign and a word; a narrow page shows the sign alone. */
function markOption(option: HTMLElement, is: string, sign: string, word: string): void {
  option.dataset.is = is;
  const visibleSign = document.createElement("span");
  visibleSign.ariaHidden = "true";
  visibleSign.append(sign);
  const spokenWord = document.createElement("span");
  spokenWord.className = "word";
  spokenWord.append(word);
  findElement(".option-mark", HTMLElement, option).replaceChildren(visibleSign, " ", spokenWord);
}

/** A number that has its own reason, and the tolerance within which an answer counts as this number. */
type NumberAnswer = readonly [value: number, near: number];

function startNumberQuestion(form: HTMLFormElement, answers: readonly NumberAnswer[]): void {
  const input = findElement("input", HTMLInputElement, form);
  const reveal = findElement(".link", HTMLButtonElement, form);

  function judge(): void {
    const numbers = parseNumbers(input.value);
    const index = answers.findIndex(([value, tolerance]) => numbers.some((each) => Math.abs(each - value) <= tolerance));
    const isRight = index === 0;
    const tone = isRight ? "good" : numbers.length > 0 ? "bad" : "";
    input.dataset.is = tone;
    input.ariaInvalid = String(!isRight);
    const reason = FIRST_ANSWER + (index < 0 ? answers.length : index);
    showReason(form, numbers.length > 0 ? reason : MISSING_ANSWER, tone);
    reveal.disabled = isRight || numbers.length === 0;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    judge();
  });
  input.addEventListener("input", () => {
    input.dataset.is = "";
    input.ariaInvalid = null;
    showReason(form, INSTRUCTION, "");
  });
  reveal.addEventListener("click", () => {
    input.value = form.dataset.answer ?? "";
    input.focus();
    judge();
  });
}

/** Show one of the reasons. The box is a status, so screen readers announce it. */
function showReason(form: HTMLFormElement, index: number, tone: ReasonTone): void {
  const box = findElement(".reasons", HTMLElement, form);
  [...box.children].forEach((reason, each) => reason.classList.toggle("now", each === index));
  box.dataset.tone = tone;
}

/**
 * Return the numbers that a text may mean: one for `2`, `2.0`, `2,0` and `8/4`, two for `65,536`, none for
 * other text.
 */
export function parseNumbers(text: string): number[] {
  const plain = text.replace(/\s/g, "").replace(/−/g, "-");
  const grouped = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? [plain.replaceAll(",", "")] : [];
  return [plain.replace(/,(?=\d*(?:\/|$))/g, "."), ...grouped].map(parseFraction).filter(Number.isFinite);
}

function parseFraction(text: string): number {
  const [, over, under = "1"] = /^([^/]+)(?:\/([^/]+))?$/.exec(text) ?? [];
  const parts = [over ?? "", under];
  const areNumbers = parts.every((part) => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(part));
  return areNumbers ? Number(over) / Number(under) : NaN;
}
