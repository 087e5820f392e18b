/** What is done, wherever a page shows it: painted at once, and again after each change. */

import { element } from "./dom";
import { page } from "./page";
import { progress } from "./progress";
import { type ExerciseStatus, exerciseStatuses, type State, totalXp, INITIAL_STATUS } from "./progress/status";
import { PAGE_CHANGED_EVENT } from "./page-signal";
import { certificates } from "./submit/certificates";

type StatusMap = ReadonlyMap<string, ExerciseStatus>;

const STATE_SENTENCES: Record<State, string> = {
  new: "",
  tried: "tried, not passed yet",
  passed: "passed",
  "given up": "solution seen",
};

function paintMarks(): void {
  const known = withCertificates(exerciseStatuses(progress.history));
  for (const mark of document.querySelectorAll<HTMLElement>("[data-state-of]")) {
    paintState(mark, statusesOf(mark.dataset.stateOf, known));
  }
  for (const tally of document.querySelectorAll<HTMLElement>("[data-tally]")) {
    paintTally(tally, statusesOf(tally.dataset.tally, known));
  }
  paintMasthead(totalXp(known.values()));
}

/** What the service has certified holds, whatever this browser remembers. */
function withCertificates(known: Map<string, ExerciseStatus>): StatusMap {
  for (const { exercise, xp } of certificates.passed) {
    const own = known.get(exercise) ?? INITIAL_STATUS;
    known.set(exercise, { ...own, state: "passed", earned: xp, selfReported: false, closed: true });
  }
  return known;
}

function isCertified(ids: string | undefined): boolean {
  const passed = new Set(certificates.passed.map(({ exercise }) => exercise));
  const names = (ids ?? "").split(" ").filter(Boolean);
  return names.length > 0 && names.every((id) => passed.has(id));
}

function statusesOf(ids: string | undefined, known: StatusMap): ExerciseStatus[] {
  const names = (ids ?? "").split(" ").filter(Boolean);
  return names.map((id) => known.get(id) ?? INITIAL_STATUS);
}

function paintState(mark: HTMLElement, found: readonly ExerciseStatus[]): void {
  const state = combinedState(found);
  const certified = isCertified(mark.dataset.stateOf);
  mark.dataset.state = state.replace(" ", "-");
  mark.toggleAttribute("data-certified", certified);
  const said = mark.querySelector(":scope > .unseen");
  if (!said) return;
  const plain = isSelfReported(found) && state === "passed" ? "visible tests passed" : STATE_SENTENCES[state];
  const own = found.length > 1 && state === "tried" ? passedSentence(found) : plain;
  const words = certified ? "passed, certified" : own;
  const stands = mark.classList.contains("need") ? ` (${words})` : `${words}: `; // behind a name, or before it
  said.textContent = words && stands;
}

/** The state of several exercises: they are passed when each is, and tried when any is. */
function combinedState(found: readonly ExerciseStatus[]): State {
  if (found.length > 0 && found.every(({ state }) => state === "passed")) return "passed";
  if (found.length > 0 && found.every(({ closed }) => closed)) return "given up";
  return found.some(({ state }) => state !== "new") ? "tried" : "new";
}

function paintTally(tally: HTMLElement, found: readonly ExerciseStatus[]): void {
  const share = countPassed(found) / Math.max(1, found.length);
  const xp = tally.dataset.xp === undefined ? "" : ` · ${found.reduce((sum, { earned }) => sum + earned, 0)} of ${tally.dataset.xp} XP`;
  tally.style.setProperty("--share", String(share));
  const said = tally.querySelector(".tally-said");
  if (said) said.textContent = passedSentence(found) + xp;
}

function paintMasthead(xp: number): void {
  const place = document.getElementById("xp");
  if (!place) return;
  place.replaceChildren(`${xp} XP`, element("span", { class: "unseen" }, ", your progress"));
  place.hidden = false;
}

function passedSentence(found: readonly ExerciseStatus[]): string {
  return `${countPassed(found)} of ${found.length} ${isSelfReported(found) ? "done" : "passed"}`;
}

/** Whether a page that runs visible tests alone says so: the hidden ones have still to pass. */
function isSelfReported(found: readonly ExerciseStatus[]): boolean {
  return !page.isPractice && found.some(({ selfReported }) => selfReported);
}

function countPassed(found: readonly ExerciseStatus[]): number {
  return found.filter(({ state }) => state === "passed").length;
}

paintMarks();
progress.subscribe(paintMarks);
certificates.subscribe(paintMarks);
addEventListener(PAGE_CHANGED_EVENT, paintMarks);
