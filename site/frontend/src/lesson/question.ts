/** The questions of a lesson: an answer is judged at once, and each has its own reason. */

import { find } from "../dom";

const START = 0; // the places of the reasons: what to do, what is missing, then one for each answer
const MISSING = 1;
const FIRST = 2;

type Tone = "" | "good" | "bad";

/** Let every question of the page judge its answers. */
export function askQuestions(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>(".quiz")) {
    if (form.dataset.numbers) askNumber(form, JSON.parse(form.dataset.numbers) as Known[]);
    else askChoice(form);
  }
}

function askChoice(form: HTMLFormElement): void {
  const options = [...form.querySelectorAll<HTMLElement>(".option")];
  const inputs = options.map((option) => find("input", HTMLInputElement, option));
  const answer = inputs.findIndex((input) => input.dataset.right !== undefined);
  const reveal = find(".link", HTMLButtonElement, form);

  function judge(at: number): void {
    options.forEach((option) => {
      if (option.dataset.is === "wrong") mark(option, "tried", "–", "tried");
    });
    const isRight = at === answer;
    const option = options[at];
    if (option) mark(option, isRight ? "right" : "wrong", isRight ? "✓" : "✗", isRight ? "Right" : "Not this");
    tell(form, FIRST + at, isRight ? "good" : "bad");
    reveal.disabled = isRight;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const at = inputs.findIndex((input) => input.checked);
    if (at >= 0) judge(at);
    else tell(form, MISSING, "");
  });
  reveal.addEventListener("click", () => {
    const input = inputs[answer];
    if (!input) return;
    input.checked = true;
    input.focus();
    judge(answer);
  });
}

/** A mark beside an answer: a sign for the eye, which a narrow page shows alone, and a word. */
function mark(option: HTMLElement, is: string, sign: string, word: string): void {
  option.dataset.is = is;
  const seen = document.createElement("span");
  seen.ariaHidden = "true";
  seen.append(sign);
  const said = document.createElement("span");
  said.className = "word";
  said.append(word);
  find(".option-mark", HTMLElement, option).replaceChildren(seen, " ", said);
}

/** A number that a reader may give, and how far from it another one counts as the same. */
type Known = readonly [value: number, near: number];

function askNumber(form: HTMLFormElement, known: readonly Known[]): void {
  const input = find("input", HTMLInputElement, form);
  const reveal = find(".link", HTMLButtonElement, form);

  function judge(): void {
    const read = readings(input.value);
    const at = known.findIndex(([value, near]) => read.some((each) => Math.abs(each - value) <= near));
    const isRight = at === 0;
    const tone = isRight ? "good" : read.length > 0 ? "bad" : "";
    input.dataset.is = tone;
    input.ariaInvalid = String(!isRight);
    const reason = FIRST + (at < 0 ? known.length : at);
    tell(form, read.length > 0 ? reason : MISSING, tone);
    reveal.disabled = isRight || read.length === 0;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    judge();
  });
  input.addEventListener("input", () => {
    input.dataset.is = "";
    input.ariaInvalid = null;
    tell(form, START, "");
  });
  reveal.addEventListener("click", () => {
    input.value = form.dataset.answer ?? "";
    input.focus();
    judge();
  });
}

/** Show one of the reasons; the box is a status, so it is said too. */
function tell(form: HTMLFormElement, at: number, tone: Tone): void {
  const box = find(".reasons", HTMLElement, form);
  [...box.children].forEach((reason, each) => reason.classList.toggle("now", each === at));
  box.dataset.tone = tone;
}

/**
 * The numbers that a text may mean: `2`, `2.0`, `2,0`, `8/4`. `65,536` may be either of two. None if
 * it is no number.
 */
export function readings(text: string): number[] {
  const plain = text.replace(/\s/g, "").replace(/−/g, "-");
  const grouped = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? [plain.replaceAll(",", "")] : [];
  return [plain.replace(/,(?=\d*(?:\/|$))/g, "."), ...grouped].map(read).filter(Number.isFinite);
}

function read(text: string): number {
  const [, over, under = "1"] = /^([^/]+)(?:\/([^/]+))?$/.exec(text) ?? [];
  const parts = [over ?? "", under];
  const areNumbers = parts.every((part) => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(part));
  return areNumbers ? Number(over) / Number(under) : NaN;
}
