/** The progress page: what of it the service has certified. */

import { count, element, find } from "../dom";
import { certificates, service } from "./certified";

const line = element("p", { class: "sums-said certified-said" });
const key = element("span", {}, element("span", { class: "state", "data-state": "passed", "data-certified": true }), " certified");

const LEAD =
  "What this browser records is self-reported: a page runs the visible tests alone. " +
  "What you submit for grading is certified by the service, which runs the hidden tests too.";
const FOOT = "Etude, exercises for NumPy. What you write stays in this browser until you submit it.";

/** Say on each page that a service is behind what is promised of keeping things to oneself. */
export function speakOfService(): void {
  if (service === null) return;
  find(".colophon p", HTMLElement).textContent = FOOT;
  if (document.getElementById("progress")) find(".lead", HTMLElement).textContent = LEAD;
}

/** Say how much is certified, and for whom; nothing while nobody is signed in. */
export function paintCertified(): void {
  line.remove();
  key.remove();
  const { name, passed, xp } = certificates;
  if (name === null) return;
  const much = `${count(passed.length, "exercise")}, ${xp} XP`;
  line.replaceChildren(element("b", { class: "certified" }, "Certified"), " by the service for ", element("b", {}, name), `: ${much}.`);
  find("#sums-said", HTMLElement).after(line);
  find(".legend", HTMLElement).append(" ", key);
}
