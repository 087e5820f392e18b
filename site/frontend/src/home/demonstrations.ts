/** The home page's demonstrations: a wrong answer is typed and checked, and a GPT writes. */

import { element, findElement } from "../dom";
import { GeneratedText, prefersReducedMotion } from "../gpt/generated-text";
import type { RecordedText } from "../gpt/generation-step";
import { WritingPace } from "../gpt/writing-pace";
import { suggestDraft } from "../solve/draft";

const KEY_MS = 30; // pause between typed letters; the whole answer takes less than five seconds
const THINK_MS = 500;

/** Type the wrong answer, then show the grader's reaction. */
export async function typeWrongAnswer(): Promise<void> {
  const place = document.getElementById("wrong");
  if (!place) return;
  const [code, reply] = [findElement("code", HTMLElement, place), findElement(".wrong-said", HTMLElement, place)];
  const text = code.textContent ?? "";
  findElement("a", HTMLAnchorElement, place).addEventListener("click", () => suggestDraft(place.dataset.exercise ?? "", `import numpy as np\n\n\n${text}\n`));
  if (prefersReducedMotion) return;
  reply.dataset.is = "awaited";
  const [typedText, remainingText] = [document.createTextNode(""), element("span", { class: "to-type" }, text)];
  code.replaceChildren(typedText, remainingText);
  for (let index = 1; index <= text.length; index += 1) {
    typedText.data = text.slice(0, index);
    remainingText.textContent = text.slice(index);
    if (text[index] !== " ") await wait(KEY_MS);
  }
  await wait(THINK_MS);
  reply.dataset.is = "said";
}

/** Replay the text that the GPT wrote when the site was built. */
export async function replayGpt(): Promise<void> {
  const place = document.getElementById("gpt-show");
  if (!place) return;
  const answer = await fetch(new URL(place.dataset.record ?? "", location.href)).catch(() => undefined);
  if (!answer?.ok) return;
  const { prompt, steps } = (await answer.json()) as RecordedText;
  const pace = new WritingPace();
  const tale = new GeneratedText(place, findElement(".gpt-source", HTMLElement, place), pace.button);
  tale.begin(prompt);
  pace.setWriting(!prefersReducedMotion);
  for (const step of steps) {
    tale.add(step, !prefersReducedMotion);
    if (!prefersReducedMotion) await pace.waitForLetter();
  }
  pace.setWriting(false);
  tale.finish();
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((go) => setTimeout(go, milliseconds));
}
