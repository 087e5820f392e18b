/** What is done, wherever a page shows it: painted at once, and again after each change. */

import { element } from "./dom";
import { page } from "./page";
import { progress } from "./progress";
import { type Standing, standings, type State, totalXp, UNTOUCHED } from "./progress/status";
import { TURNED } from "./page-signal";
import { certificates } from "./submit/certificates";

type Known = ReadonlyMap<string, Standing>;

const SAID: Record<State, string> = {
  new: "",
  tried: "tried, not passed yet",
  passed: "passed",
  "given up": "solution seen",
};

function paint(): void {
  const known = withCertified(standings(progress.history));
  for (const mark of document.querySelectorAll<HTMLElement>("[data-state-of]")) {
    paintState(mark, pick(mark.dataset.stateOf, known));
  }
  for (const tally of document.querySelectorAll<HTMLElement>("[data-tally]")) {
    paintTally(tally, pick(tally.dataset.tally, known));
  }
  paintMasthead(totalXp(known.values()));
}

/** What the service has certified holds, whatever this browser remembers. */
function withCertified(known: Map<string, Standing>): Known {
  for (const { exercise, xp } of certificates.passed) {
    const own = known.get(exercise) ?? UNTOUCHED;
    known.set(exercise, { ...own, state: "passed", earned: xp, selfReported: false, closed: true });
  }
  return known;
}

function isCertified(ids: string | undefined): boolean {
  const passed = new Set(certificates.passed.map(({ exercise }) => exercise));
  const names = (ids ?? "").split(" ").filter(Boolean);
  return names.length > 0 && names.every((id) => passed.has(id));
}

function pick(ids: string | undefined, known: Known): Standing[] {
  const names = (ids ?? "").split(" ").filter(Boolean);
  return names.map((id) => known.get(id) ?? UNTOUCHED);
}

function paintState(mark: HTMLElement, found: readonly Standing[]): void {
  const state = together(found);
  const certified = isCertified(mark.dataset.stateOf);
  mark.dataset.state = state.replace(" ", "-");
  mark.toggleAttribute("data-certified", certified);
  const said = mark.querySelector(":scope > .unseen");
  if (!said) return;
  const plain = isOwnWord(found) && state === "passed" ? "visible tests passed" : SAID[state];
  const own = found.length > 1 && state === "tried" ? passedOf(found) : plain;
  const words = certified ? "passed, certified" : own;
  const stands = mark.classList.contains("need") ? ` (${words})` : `${words}: `; // behind a name, or before it
  said.textContent = words && stands;
}

/** The state of several exercises: they are passed when each is, and tried when any is. */
function together(found: readonly Standing[]): State {
  if (found.length > 0 && found.every(({ state }) => state === "passed")) return "passed";
  if (found.length > 0 && found.every(({ closed }) => closed)) return "given up";
  return found.some(({ state }) => state !== "new") ? "tried" : "new";
}

function paintTally(tally: HTMLElement, found: readonly Standing[]): void {
  const share = countPassed(found) / Math.max(1, found.length);
  const xp = tally.dataset.xp === undefined ? "" : ` · ${found.reduce((sum, { earned }) => sum + earned, 0)} of ${tally.dataset.xp} XP`;
  tally.style.setProperty("--share", String(share));
  const said = tally.querySelector(".tally-said");
  if (said) said.textContent = passedOf(found) + xp;
}

function paintMasthead(xp: number): void {
  const place = document.getElementById("xp");
  if (!place) return;
  place.replaceChildren(`${xp} XP`, element("span", { class: "unseen" }, ", your progress"));
  place.hidden = false;
}

function passedOf(found: readonly Standing[]): string {
  return `${countPassed(found)} of ${found.length} ${isOwnWord(found) ? "done" : "passed"}`;
}

/** Whether a page that runs visible tests alone says so: the hidden ones have still to pass. */
function isOwnWord(found: readonly Standing[]): boolean {
  return !page.isPractice && found.some(({ selfReported }) => selfReported);
}

function countPassed(found: readonly Standing[]): number {
  return found.filter(({ state }) => state === "passed").length;
}

paint();
progress.subscribe(paint);
certificates.subscribe(paint);
addEventListener(TURNED, paint);
