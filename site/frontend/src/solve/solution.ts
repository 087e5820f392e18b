/** The solution with its explanation, and its comparison with the learner's program. */

import { element } from "../dom";
import { service } from "../submit/certificates";
import { type DiffLine, diffPrograms } from "./diff";
import { type Exercise, loadSolution, type Solution } from "./exercise";

const DIFF_SIGNS = { same: " ", yours: "−", solution: "+" } as const;
const DIFF_LABELS = { same: "", yours: "Only yours: ", solution: "Only the solution: " } as const;

/** Return a function that loads the solution from the site, or from the service after a pass there; else null. */
export function solutionLoader({ id, solution: file }: Exercise, isCertified: boolean): (() => Promise<Solution>) | null {
  if (file !== null) return () => loadSolution(file);
  if (service === null || !isCertified) return null;
  const currentService = service;
  return async () => (await currentService.get(`exercises/${id}/solution`)) as Solution;
}

/** Render the explanation and the other solutions. */
export function renderExplanation({ explanation, others }: Solution): Node[] {
  return [
    element("h3", {}, "Why it is right"),
    renderProse(explanation),
    ...others.flatMap(({ code, when }) => [element("h3", {}, "Another right way"), renderProse(when), renderHtml("", code)]),
  ];
}

/** Render the comparison of a program that passed with the solution. */
export function renderSolutionComparison(source: string, { source: solution }: Solution): Node[] {
  const lines = diffPrograms(source, solution);
  const head = element("h3", {}, "Your code beside the solution");
  if (lines.every(({ kind }) => kind === "same")) return [head, element("p", {}, "Your code is the same as the solution.")];
  const legend = element("p", { class: "quiet" }, renderSign("yours"), " stands in yours alone, ", renderSign("solution"), " in the solution alone. Comments and docstrings are not compared.");
  const attributes = { class: "code diff", tabindex: 0, role: "region", "aria-label": "Your code beside the solution" };
  return [head, legend, element("div", attributes, element("ol", {}, ...lines.map(renderLine)))];
}

function renderLine({ kind, text }: DiffLine): HTMLElement {
  const words = DIFF_LABELS[kind] && element("span", { class: "unseen" }, DIFF_LABELS[kind]);
  return element("li", { "data-kind": kind }, words, renderSign(kind, true), element("code", {}, text || " "));
}

function renderSign(kind: DiffLine["kind"], isHidden = false): HTMLElement {
  return element("span", { class: "sign", "data-kind": kind, "aria-hidden": isHidden ? "true" : null }, DIFF_SIGNS[kind]);
}

function renderProse(html: string): HTMLElement {
  return renderHtml("prose", html);
}

/** Render HTML that the builder made, which is as trusted as the page. */
function renderHtml(name: string, html: string): HTMLElement {
  const place = element("div", { class: name || null });
  place.innerHTML = html;
  return place;
}
