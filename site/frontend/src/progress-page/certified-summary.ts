/** The line on certified exercises in the progress page. */

import { element, findElement } from "../dom";
import { certificates } from "../submit/certificates";
import { pluralize } from "../text";

const summaryLine = element("p", { class: "sums-said certified-said" });
const legendKey = element("span", {}, element("span", { class: "state", "data-state": "passed", "data-certified": true }), " certified");

/** Show the number of certified exercises and the learner's name, or nothing if no one is signed in. */
export function paintCertifiedSummary(): void {
  summaryLine.remove();
  legendKey.remove();
  const { personName, passed, xp } = certificates;
  if (personName === null) return;
  const amount = `${pluralize(passed.length, "exercise")}, ${xp} XP`;
  summaryLine.replaceChildren(element("b", { class: "certified" }, "Certified"), " by the service for ", element("b", {}, personName), `: ${amount}.`);
  findElement("#sums-said", HTMLElement).after(summaryLine);
  findElement(".legend", HTMLElement).append(" ", legendKey);
}
