/** The totals of a record: four numbers, a sentence, and the last days. */

import { findElement } from "../dom";
import { countEntries, type History, toLocalDay } from "../progress/history";
import { computeStreak, exerciseStatuses, totalXp } from "../progress/status";
import { pluralize } from "../text";

export interface Totals {
  readonly xp: number;
  readonly passed: readonly string[]; // the ids of exercises
  readonly streak: number;
  readonly longest: number;
}

export function computeTotals(history: History): Totals {
  const statuses = exerciseStatuses(history);
  const passed = [...statuses].filter(([, { state }]) => state === "passed").map(([id]) => id);
  const { current, longest } = computeStreak(history, toLocalDay(new Date()));
  return { xp: totalXp(statuses.values()), passed, streak: current, longest };
}

export function paintTotals(history: History): void {
  const { xp, passed, streak: current, longest } = computeTotals(history);
  const numbers = { xp, passed: passed.length, streak: current, longest };
  for (const [name, number] of Object.entries(numbers)) {
    findElement(`#sum-${name}`, HTMLElement).textContent = String(number);
  }
  findElement("#sums-said", HTMLElement).textContent = trustSentence(history);
  paintDays(history);
}

/** Paint a square for each of the last days, lit where an exercise was passed. */
function paintDays(history: History): void {
  const place = findElement("#days", HTMLElement);
  const passedDays = new Set(history.attempts.filter(({ outcome }) => outcome === "passed").map(({ day }) => day));
  const today = new Date();
  const squares = [...place.children];
  squares.forEach((square, index) => {
    const ago = squares.length - 1 - index;
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - ago, 12);
    square.toggleAttribute("data-passed", passedDays.has(toLocalDay(day)));
  });
  const litCount = squares.filter((square) => square.hasAttribute("data-passed")).length;
  place.ariaLabel = `You passed something on ${litCount} of the last ${squares.length} days`;
}

function trustSentence(history: History): string {
  if (countEntries(history) === 0) return "Nothing is recorded yet. Each square below is an exercise: pass one, and it lights up.";
  const passes = [...exerciseStatuses(history).values()].filter(({ state }) => state === "passed");
  const selfReportedCount = passes.filter(({ selfReported }) => selfReported).length;
  if (passes.length === 0) return `${pluralize(history.attempts.length, "attempt")}, and nothing passed yet.`;
  if (selfReportedCount === 0) return "Every pass was graded by the command line.";
  if (selfReportedCount === passes.length) return "Every pass is self-reported, by pages of this site.";
  return `${selfReportedCount} of ${passes.length} passes ${selfReportedCount === 1 ? "is" : "are"} self-reported, by pages of this site.`;
}
