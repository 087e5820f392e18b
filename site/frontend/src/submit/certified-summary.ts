/** The progress page: what of it the service has certified. */

import { count, element, find } from "../dom";
import { certificates } from "./certificates";

const line = element("p", { class: "sums-said certified-said" });
const key = element("span", {}, element("span", { class: "state", "data-state": "passed", "data-certified": true }), " certified");

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
