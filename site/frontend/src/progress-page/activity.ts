/** The latest events, one a line; repeated failures of an exercise share a line. */

import { type CourseExercise } from "../course";
import { element, findElement } from "../dom";
import { page } from "../page";
import { type Attempt, compareTexts, type History, isSelfReported, toLocalDay } from "../progress/history";
import { exerciseStatuses } from "../progress/status";
import { pluralize } from "../text";

interface ActivityLine {
  readonly exercise: string;
  readonly at: string;
  readonly day: string;
  readonly state: "passed" | "tried" | "new" | "given-up";
  readonly verb: string;
  readonly detail: string;
  readonly xp: number;
  readonly times: number;
}

const MAX_LINES = 8;

export function paintActivity(history: History, course: readonly CourseExercise[]): void {
  const place = findElement("#recent-list", HTMLElement);
  const lines = recentLines(history);
  if (lines.length === 0) {
    const words = "What you try and pass will be listed here.";
    place.replaceChildren(element("p", { class: "recent-none" }, words));
    return;
  }
  const exercises = new Map(course.map((exercise) => [exercise.id, exercise]));
  const items = lines.map((line) => lineItem(line, exercises.get(line.exercise)));
  place.replaceChildren(element("ol", {}, ...items));
}

function recentLines(history: History): ActivityLine[] {
  const lines: ActivityLine[] = [];
  for (const line of historyLines(history)) {
    const last = lines.at(-1);
    const repeats = last?.state === "tried" && line.state === "tried" && last.exercise === line.exercise;
    if (repeats && last.day === line.day) lines[lines.length - 1] = { ...last, times: last.times + 1 };
    else lines.push(line);
    if (lines.length > MAX_LINES) break;
  }
  return lines.slice(0, MAX_LINES);
}

function historyLines(history: History): ActivityLine[] {
  const statuses = exerciseStatuses(history);
  const earnedXp = ({ exercise, at }: Attempt): number => {
    const standing = statuses.get(exercise);
    return standing?.passedAt === at ? standing.earned : 0;
  };
  const lines: ActivityLine[] = [
    ...history.attempts.map((attempt) => ({
      ...baseLine(attempt, attempt.day),
      ...(attempt.outcome === "passed"
        ? { state: "passed" as const, verb: passVerb(attempt), xp: earnedXp(attempt) }
        : { state: "tried" as const, verb: "Tried", detail: resultSentence(attempt) }),
    })),
    ...history.hints.map((hint) => ({
      ...baseLine(hint, toLocalDay(new Date(hint.at))),
      verb: `Took hint ${hint.number} of`,
      detail: hint.price ? `It costs ${hint.price} XP` : "It was free",
    })),
    ...history.given_up.map((surrender) => ({
      ...baseLine(surrender, toLocalDay(new Date(surrender.at))),
      state: "given-up" as const,
      verb: "Looked at the solution of",
    })),
  ];
  return lines.sort((a, b) => compareTexts(b.at, a.at));
}

/** Return the verb for a pass; a page that runs only visible tests must not call it passed. */
function passVerb(attempt: Attempt): string {
  return isSelfReported(attempt) && !page.isPractice ? "Passed the visible tests of" : "Passed";
}

function baseLine({ exercise, at }: { exercise: string; at: string }, day: string): ActivityLine {
  return { exercise, at, day, state: "new", verb: "", detail: "", xp: 0, times: 1 };
}

function resultSentence({ outcome, score, max_score }: Attempt): string {
  return outcome === "failed" ? `${score} of ${pluralize(max_score, "point")}` : `It ${OUTCOME_SENTENCES[outcome] ?? outcome}`;
}

const OUTCOME_SENTENCES: Readonly<Record<string, string>> = {
  errored: "raised an error",
  "timed out": "took too long",
  "out of memory": "ran out of memory",
  "output limit": "printed too much",
  "not run": "did not run",
};

function lineItem({ exercise, day, state, verb, detail, xp, times }: ActivityLine, courseExercise?: CourseExercise): HTMLElement {
  const name = courseExercise
    ? element("a", { href: page.root + courseExercise.path }, courseExercise.title)
    : element("code", {}, exercise);
  const often = times > 1 ? `${times} times, at last: ${detail.replace(/^It /, "it ")}` : detail;
  return element(
    "li",
    {},
    element("span", { class: "state", "data-state": state, "aria-hidden": "true" }),
    element("span", {}, `${verb} `, name, xp > 0 && " ", xp > 0 && element("span", { class: "xp" }, `+${xp} XP`)),
    element("time", { datetime: day }, formatDay(day)),
    often && element("small", {}, often),
  );
}

function formatDay(day: string): string {
  const today = new Date();
  const yesterday = new Date(today);
  yesterday.setDate(today.getDate() - 1);
  if (day === toLocalDay(today)) return "today";
  if (day === toLocalDay(yesterday)) return "yesterday";
  const date = new Date(`${day}T12:00:00`);
  const form: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };
  if (date.getFullYear() !== today.getFullYear()) form.year = "numeric";
  return date.toLocaleDateString("en-GB", form);
}
