/** The panel after a pass: the XP, the progress, and the next exercise. */

import { button, element, renderInlineCode } from "../dom";
import { progress } from "../progress";
import { type ExerciseStatus, exerciseStatuses } from "../progress/status";
import { joinNames, pluralize } from "../text";
import { checkCommand, type Exercise } from "./exercise";
import { ranAllTests } from "./results";
import type { Verdict } from "./verdict";

/** The judge: the service with all tests, a practice page with all tests, or another page with the visible ones. */
type Judge = "service" | "page" | "visible tests";

/** Render the panel; `before` and `after` are the statuses before and after the pass. */
export function renderPassPanel(
  exercise: Exercise,
  verdict: Verdict,
  before: ExerciseStatus,
  after: ExerciseStatus,
  isCertified: boolean,
  save: () => void,
): HTMLElement {
  const judge = isCertified ? "service" : ranAllTests(exercise, verdict) ? "page" : "visible tests";
  return element(
    "div",
    { class: "won" },
    element("p", { class: "won-title" }, judge === "visible tests" ? "The visible tests pass " : "Passed ", renderEarnedXp(before, after)),
    ...(before.state === "passed" ? [] : renderAdvance(exercise)),
    element("p", { class: "quiet" }, renderInlineCode(noteSentence(exercise, judge))),
    element("p", { class: "buttons" }, renderNextLink(), button("Download your file", save, { class: "button" })),
  );
}

/** Render the effect of a first pass: the concepts practised, and the track's map with one more square lit. */
function renderAdvance({ id, title }: Exercise): HTMLElement[] {
  const statuses = exerciseStatuses(progress.history);
  const isPassed = (each: string): boolean => statuses.get(each)?.state === "passed";
  const marks = [...document.querySelectorAll<HTMLElement>(".sidebar nav > ol > li > a > .state")];
  const lessons = marks.map((mark) => (mark.dataset.stateOf ?? "").split(" ").filter(Boolean));
  const ids = lessons.flat();
  const lessonIndex = lessons.findIndex((lesson) => lesson.includes(id));
  const isWhole = lessons[lessonIndex]?.every(isPassed) && lessons[lessonIndex].length > 1;
  const lesson = marks[lessonIndex]?.nextElementSibling?.textContent ?? "";
  const trained = [...document.querySelectorAll("#trains a")].map(({ textContent }) => textContent);
  const practised = trained.length > 0 ? `You practised ${joinNames(trained)}.` : `You solved “${title}”.`;
  const square = (exercise: string): HTMLElement => {
    const state = statuses.get(exercise)?.state ?? "new";
    return element("span", { class: "state", "data-state": state.replace(" ", "-"), "data-new": exercise === id });
  };
  const squares = lessons.map((lesson) => element("span", { class: "dots" }, ...lesson.map(square)));
  const label = `${ids.filter(isPassed).length} of ${ids.length} exercises passed`;
  return [
    element("p", {}, practised, isWhole && ` That completes “${lesson}”.`),
    element("div", { class: "lit", role: "img", "aria-label": label }, ...squares),
  ];
}

function renderEarnedXp(before: ExerciseStatus, after: ExerciseStatus): HTMLElement {
  if (before.state === "passed") return element("span", { class: "quiet" }, "once more");
  return element("span", { class: "xp" }, `+${after.earned} XP`);
}

function noteSentence(exercise: Exercise, judge: Judge): string {
  if (judge === "service") return "Certified: it was graded by the service, which keeps it for you.";
  const storageSentence = "Your progress is kept in this browser.";
  const hidden = exercise.hidden_tests;
  if (judge === "page") return `${hidden > 0 && exercise.tests.length > 0 ? "The hidden tests pass too. " : ""}${storageSentence}`;
  const rest = hidden > 0 ? ` runs the ${pluralize(hidden, "hidden test")} too, and` : "";
  return `In a terminal, \`${checkCommand(exercise)}\`${rest} certifies it. ${storageSentence}`;
}

/** Render the link to the next exercise that stands at the end of the page. */
function renderNextLink(): HTMLElement | null {
  const way = document.querySelector<HTMLAnchorElement>(".turn-on");
  const title = way?.lastChild?.textContent?.trim();
  if (!way || !title) return null;
  const label = way.rel === "next" ? `Next: ${title}` : `Back to “${title}”`;
  return element("a", { class: "button primary", href: way.href }, label);
}
