/** Marks and counts of passed exercises on every page, painted at once and after each change. */

import { element } from "./dom";
import { page } from "./page";
import { PAGE_CHANGED_EVENT } from "./page-signal";
import { progress } from "./progress";
import { type ExerciseStatus, exerciseStatuses, INITIAL_STATUS, type State, totalXp } from "./progress/status";
import { certificates } from "./submit/certificates";

const STATE_SENTENCES: Record<State, string> = {
  new: "",
  tried: "tried, not passed yet",
  passed: "passed",
  "given up": "solution seen",
};

function paintMarks(): void {
  const statuses = withCertificates(exerciseStatuses(progress.history));
  const certified = new Set(certificates.passed.map(({ exercise }) => exercise));
  const statusOf = (id: string): ExerciseStatus => statuses.get(id) ?? INITIAL_STATUS;
  for (const mark of document.querySelectorAll<HTMLElement>("[data-state-of]")) {
    const ids = splitIds(mark.dataset.stateOf);
    paintState(mark, ids.map(statusOf), ids.length > 0 && ids.every((id) => certified.has(id)));
  }
  for (const tally of document.querySelectorAll<HTMLElement>("[data-tally]")) {
    paintTally(tally, splitIds(tally.dataset.tally).map(statusOf));
  }
  paintMasthead(totalXp(statuses.values()));
}

/** Apply the service's certificates, which take precedence over this browser's record. */
function withCertificates(statuses: Map<string, ExerciseStatus>): ReadonlyMap<string, ExerciseStatus> {
  for (const { exercise, xp } of certificates.passed) {
    const status = statuses.get(exercise) ?? INITIAL_STATUS;
    statuses.set(exercise, { ...status, state: "passed", earned: xp, selfReported: false, isDone: true });
  }
  return statuses;
}

function splitIds(ids: string | undefined): string[] {
  return (ids ?? "").split(" ").filter(Boolean);
}

function paintState(mark: HTMLElement, statuses: readonly ExerciseStatus[], isCertified: boolean): void {
  const state = combinedState(statuses);
  mark.dataset.state = state.replace(" ", "-");
  mark.toggleAttribute("data-certified", isCertified);
  const label = mark.querySelector(":scope > .unseen");
  if (!label) return;
  const stateWords = hasSelfReported(statuses) && state === "passed" ? "visible tests passed" : STATE_SENTENCES[state];
  const uncertifiedWords = statuses.length > 1 && state === "tried" ? passedSentence(statuses) : stateWords;
  const words = isCertified ? "passed, certified" : uncertifiedWords;
  const punctuated = mark.classList.contains("need") ? ` (${words})` : `${words}: `; // it stands behind the exercise's name, or before it
  label.textContent = words && punctuated;
}

/** Return the state of several exercises together: passed if each is, tried if any is. */
function combinedState(statuses: readonly ExerciseStatus[]): State {
  if (statuses.length > 0 && statuses.every(({ state }) => state === "passed")) return "passed";
  if (statuses.length > 0 && statuses.every(({ isDone }) => isDone)) return "given up";
  return statuses.some(({ state }) => state !== "new") ? "tried" : "new";
}

function paintTally(tally: HTMLElement, statuses: readonly ExerciseStatus[]): void {
  const share = countPassed(statuses) / Math.max(1, statuses.length);
  const xp = tally.dataset.xp === undefined ? "" : ` · ${statuses.reduce((sum, { earned }) => sum + earned, 0)} of ${tally.dataset.xp} XP`;
  tally.style.setProperty("--share", String(share));
  const label = tally.querySelector(".tally-said");
  if (label) label.textContent = passedSentence(statuses) + xp;
}

function paintMasthead(xp: number): void {
  const place = document.getElementById("xp");
  if (!place) return;
  place.replaceChildren(`${xp} XP`, element("span", { class: "unseen" }, ", your progress"));
  place.hidden = false;
}

function passedSentence(statuses: readonly ExerciseStatus[]): string {
  return `${countPassed(statuses)} of ${statuses.length} ${hasSelfReported(statuses) ? "done" : "passed"}`;
}

/** Return whether a pass is only by visible tests, so that the page must not call it passed. */
function hasSelfReported(statuses: readonly ExerciseStatus[]): boolean {
  return !page.isPractice && statuses.some(({ selfReported }) => selfReported);
}

function countPassed(statuses: readonly ExerciseStatus[]): number {
  return statuses.filter(({ state }) => state === "passed").length;
}

paintMarks();
progress.subscribe(paintMarks);
certificates.subscribe(paintMarks);
addEventListener(PAGE_CHANGED_EVENT, paintMarks);
