/** The solution, why it is right, and other right ways; after a pass, beside the learner's own program. */

import { element } from "../dom";
import { diff, type Line } from "./diff";
import { service } from "../submit/certificates";
import { type Exercise, loadSolution, type Solution } from "./exercise";

const SIGNS = { same: " ", yours: "−", solution: "+" } as const;
const WORDS = { same: "", yours: "Only yours: ", solution: "Only the solution: " } as const;

/** How to get the solution: from the site, or from the service after a pass there. */
export function wayToSolution({ id, solution: file }: Exercise, isCertified: boolean): (() => Promise<Solution>) | null {
  if (file !== null) return () => loadSolution(file);
  if (service === null || !isCertified) return null;
  const asked = service;
  return async () => (await asked.ask(`exercises/${id}/solution`)) as Solution;
}

/** Explanation and other ways, below a solution that is shown already. */
export function reasons({ explanation, others }: Solution): Node[] {
  return [
    element("h3", {}, "Why it is right"),
    prose(explanation),
    ...others.flatMap(({ code, when }) => [element("h3", {}, "Another right way"), prose(when), made("", code)]),
  ];
}

/** The difference between a program that passed and the solution. */
export function beside(source: string, { source: solution }: Solution): Node[] {
  const lines = diff(source, solution);
  const head = element("h3", {}, "Your code beside the solution");
  if (lines.every(({ kind }) => kind === "same")) return [head, element("p", {}, "Your code is the same as the solution.")];
  const legend = element("p", { class: "quiet" }, sign("yours"), " stands in yours alone, ", sign("solution"), " in the solution alone. Comments and docstrings are not compared.");
  const attributes = { class: "code diff", tabindex: 0, role: "region", "aria-label": "Your code beside the solution" };
  return [head, legend, element("div", attributes, element("ol", {}, ...lines.map(shown)))];
}

function shown({ kind, text }: Line): HTMLElement {
  const words = WORDS[kind] && element("span", { class: "unseen" }, WORDS[kind]);
  return element("li", { "data-kind": kind }, words, sign(kind, true), element("code", {}, text || " "));
}

function sign(kind: Line["kind"], isHidden = false): HTMLElement {
  return element("span", { class: "sign", "data-kind": kind, "aria-hidden": isHidden ? "true" : null }, SIGNS[kind]);
}

function prose(html: string): HTMLElement {
  return made("prose", html);
}

/** HTML that the builder made, as the page itself was. */
function made(name: string, html: string): HTMLElement {
  const place = element("div", { class: name || null });
  place.innerHTML = html;
  return place;
}
