/** The list of exercises to review: passed, and not tried for two weeks. */

import type { CourseExercise } from "../course";
import { element, findElement } from "../dom";
import { page } from "../page";
import { type History, toLocalDay } from "../progress/history";
import { dueForReview } from "../progress/status";

const MAX_EXERCISES = 5;

export function paintReview(history: History, course: readonly CourseExercise[]): void {
  const exercises = new Map(course.map((exercise) => [exercise.id, exercise]));
  const due = dueForReview(history, toLocalDay(new Date()));
  const ids = new Set(due.map(({ exercise }) => exercise));
  for (const square of document.querySelectorAll<HTMLElement>(".squares [data-state-of]")) {
    square.toggleAttribute("data-due", ids.has(square.dataset.stateOf ?? ""));
  }
  const items = due.flatMap(({ exercise, day }) => {
    const courseExercise = exercises.get(exercise);
    if (!courseExercise) return [];
    const link = element("a", { href: page.root + courseExercise.path }, courseExercise.title);
    const mark = element("span", { class: "state", "data-state": "passed", "aria-hidden": "true" });
    return [element("li", {}, mark, link, element("time", { datetime: day }, `tried last on ${day}`))];
  });
  findElement("#review-list", HTMLElement).replaceChildren(...items.slice(0, MAX_EXERCISES));
  findElement("#review-part", HTMLElement).hidden = items.length === 0;
}
