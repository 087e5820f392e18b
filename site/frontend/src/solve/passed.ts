/** What a pass comes to, and where to go from there. */

import { button, count, element, sentence } from "../dom";
import type { Standing } from "../progress";
import { checkCommand, type Exercise } from "./exercise";

/** The panel above the tests that all passed; `before` is how the learner stood until then. */
export function passedPanel(
  exercise: Exercise,
  before: Standing,
  after: Standing,
  isCertified: boolean,
  save: () => void,
): HTMLElement {
  const own = `${certified(exercise)} This page only keeps a record of your own.`;
  const note = isCertified ? "Certified: it was graded by the service, which keeps it for you." : own;
  return element(
    "div",
    { class: "won" },
    element("p", { class: "won-title" }, "Passed ", earned(before, after)),
    element("p", {}, sentence(note)),
    element("p", { class: "buttons" }, next(), button("Download your file", save, { class: "button" })),
  );
}

function earned(before: Standing, after: Standing): HTMLElement {
  if (before.state === "passed") return element("span", { class: "quiet" }, "once more");
  return element("span", { class: "xp" }, `+${after.earned} XP`);
}

function certified(exercise: Exercise): string {
  const command = `\`${checkCommand(exercise)}\``;
  const hidden = exercise.hidden_tests;
  if (hidden === 0) return `In a terminal, ${command} certifies it.`;
  return `In a terminal, ${command} runs the ${count(hidden, "hidden test")} too, and certifies it.`;
}

/** The way on that stands at the end of the page, brought here. */
function next(): HTMLElement | null {
  const way = document.querySelector<HTMLAnchorElement>(".turn-on");
  const title = way?.lastChild?.textContent?.trim();
  if (!way || !title) return null;
  const label = way.rel === "next" ? `Next: ${title}` : `Back to “${title}”`;
  return element("a", { class: "button primary", href: way.href }, label);
}
