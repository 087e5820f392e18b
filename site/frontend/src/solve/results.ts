/** A verdict on the page: one sentence, what is behind it, and each test with its values. */

import { button, type Child, count, element, icon, prose } from "../dom";
import { exploreHeatmap } from "../heatmap";
import { figure } from "../lesson/figures";
import { page } from "../page";
import type { Exercise } from "./exercise";
import { comparison, named, output } from "./values";
import type { Diagnosis, Outcome, Printed, SmallExample, TestResult, Verdict } from "./verdict";

/** What the results refer to outside of them. */
export interface Around {
  readonly feedback: Readonly<Record<string, string>>; // HTML that the builder made
  goTo(line: number): void;
  hint(number: number): Child; // what leads to it
  readonly testsAreShown?: boolean; // elsewhere on the page, so that they are not listed
}

export const PICTURES: Readonly<Record<string, string>> = {
  passed: "M3.5 8.5l3 3 6-7",
  failed: "M4.5 4.5l7 7m0-7l-7 7",
  errored: "M8 3.5v5.5m0 3v.1",
  waiting: "M4 8h.1M8 8h.1M12 8h.1",
};
const MOST_OPEN = 3; // failing tests; the values of many are further than anybody scrolls
const NEUTRAL: readonly Outcome[] = ["not run"];

/** Whether a page ran all tests of an exercise, which only one for practice has. */
export function ranAll({ hidden_tests: hidden }: Exercise, { tests }: Verdict): boolean {
  return page.isPractice && tests.filter((test) => test.hidden).length === hidden;
}

/** The verdict in one sentence, as in the terminal. */
export function summaryOf(exercise: Exercise, verdict: Verdict): string {
  const earned = `${verdict.score}/${count(verdict.max_score, "point")}`;
  const passed = verdict.tests.filter(({ outcome }) => outcome === "passed").length;
  if (verdict.outcome === "passed") {
    const hidden = verdict.tests.filter((test) => test.hidden).length;
    // Of a prediction or a suite, nobody knows that its tests are hidden or visible.
    if (hidden === passed || (hidden === 0 && ranAll(exercise, verdict))) return `Passed: ${earned}.`;
    if (hidden > 0) return `Passed: ${earned}, ${hidden === 1 ? "the hidden test" : `${hidden} hidden tests`} included.`;
    return passed === 1 ? `The visible test passes: ${earned}.` : `All ${passed} visible tests pass: ${earned}.`;
  }
  if (verdict.outcome === "not run") return "Not judged here: the hidden tests decide.";
  if (verdict.message) return "Not passed yet: no test could run.";
  return `Not passed yet: ${passed} of ${count(verdict.tests.length, "test")}, ${earned}.`;
}

/** Everything below that sentence. */
export function showVerdict(verdict: Verdict, around: Around): Node[] {
  if (verdict.outcome === "not run") return [element("div", {}, prose(verdict.message)), ...printedBy(verdict.output)];
  if (verdict.message) {
    const said = problem(verdict.message, verdict.line, around);
    return [said, ...notesOf(verdict), ...printedBy(verdict.output)];
  }
  return [
    ...notesOf(verdict),
    ...(verdict.diagnosis ? [showDiagnosis(verdict.diagnosis, around)] : []),
    ...(verdict.example ? [showExample(verdict.example, around)] : []),
    ...printedBy(verdict.output),
    ...(around.testsAreShown ? [] : showTests(verdict.tests, around)),
  ];
}

function notesOf({ notes = [] }: Verdict): Node[] {
  return notes.map((note) => element("p", { class: "results-note" }, prose(note)));
}

/** Each test, with the first few that do not pass open and a way to open the others. */
function showTests(tests: readonly TestResult[], around: Around): Node[] {
  const shown = tests.map((test) => showTest(test, around));
  const list = element("ol", { class: "outcomes" }, ...shown.map((each) => element("li", {}, each)));
  const failed = shown.filter((each) => each instanceof HTMLDetailsElement && each.open) as HTMLDetailsElement[];
  const shut = failed.slice(MOST_OPEN);
  for (const each of shut) each.open = false;
  if (shut.length === 0) return [list];
  const open = button(`Open all ${failed.length}`, () => {
    for (const each of shut) each.open = true;
    more.remove();
    shut[0]?.querySelector("summary")?.focus();
  }, { class: "link" });
  const more = element("p", { class: "quiet" }, `The first ${MOST_OPEN} of ${failed.length} failing tests are open. `, open);
  return [more, list];
}

/** What a run printed, and how it ended if it did not end well. */
export function showPrinted({ output: text, truncated, figures, problem: ended }: Printed, around: Around): Node[] {
  const drawn = figures.map(figure);
  drawn.forEach((each, at) => exploreHeatmap(each, at === 0));
  const left = truncated > 0 && `… and ${truncated.toLocaleString("en")} more bytes.`;
  return [
    ...(text ? [output(text)] : []),
    ...(left ? [element("p", { class: "quiet" }, left)] : []),
    ...drawn,
    ...(text || ended || drawn.length > 0 ? [] : [element("p", { class: "quiet" }, "Your code ran and printed nothing.")]),
    ...(ended ? [problem(ended.message, ended.line, around)] : []),
  ];
}

/** A message about the submission as a whole. */
export function problem(message: string, line: number | null, around: Around): HTMLElement {
  return element("div", { class: "problem" }, prose(message), lineButton(line, around));
}

function showDiagnosis({ kind, ids, feedback, hint }: Diagnosis, around: Around): HTMLElement {
  const [id = ""] = ids;
  const known = kind === "misconception" ? around.feedback[id] : undefined;
  const said = element("div", { class: "prose" });
  // The builder's HTML is as trusted as the page; what Python sends is put in as text.
  if (known !== undefined) said.innerHTML = known;
  else said.append(prose(feedback));
  const helps = hint !== null && element("p", {}, around.hint(hint));
  const title = element("h3", {}, "What is behind this");
  return element("div", { class: "diagnosis" }, title, said, helps);
}

/** As in the terminal: Python that can be pasted, and what came of it. */
function showExample({ code, result }: SmallExample, around: Around): HTMLElement {
  const title = element("h3", {}, "A small example that goes wrong");
  const said = element("p", {}, "Only hidden tests fail. This small example goes wrong too. Try it:");
  return element("div", { class: "diagnosis" }, title, said, output(code), ...bodyOf(result, around));
}

function showTest(test: TestResult, around: Around): HTMLElement {
  const inside = bodyOf(test, around);
  const head = headOf(test);
  const kind = `outcome ${kindOf(test.outcome)}`;
  if (inside.length === 0) return element("div", { class: kind }, element("div", {}, ...head));
  const open = test.outcome !== "passed";
  const body = element("div", { class: "outcome-body" }, ...inside);
  return element("details", { class: kind, open }, element("summary", {}, ...head), body);
}

function kindOf(outcome: Outcome): string {
  if (outcome === "passed") return "passed";
  return NEUTRAL.includes(outcome) ? "neutral" : "failed";
}

function headOf(test: TestResult): Child[] {
  const { outcome } = test;
  const isPlain = outcome === "passed" || outcome === "failed"; // the picture says it
  const picture = PICTURES[outcome] ?? PICTURES[kindOf(outcome) === "neutral" ? "waiting" : "errored"];
  const word = outcome[0]?.toUpperCase() + outcome.slice(1);
  return [
    element("span", { class: "badge" }, icon(picture ?? "")),
    element("span", { class: isPlain ? "unseen" : "outcome-word" }, `${word}: `),
    nameOf(test),
    element("span", { class: "points" }, `${test.points}/${count(test.max_points, "point")}`),
  ];
}

/** A hidden test has its id alone: a description may say what it looks for. */
function nameOf({ id, description, hidden }: TestResult): HTMLElement {
  if (hidden) return element("span", { class: "outcome-name verbatim" }, `${id} (hidden)`);
  return element("span", { class: "outcome-name" }, description || id);
}

function bodyOf(test: TestResult, around: Around): Node[] {
  if (test.outcome === "not run") return [];
  if (test.outcome === "passed") return printedBy(test.output);
  const compared = comparison(test);
  const inputs = test.inputs ?? [];
  const line = lineButton(test.line, around);
  const given = element("div", { class: "values" }, ...inputs.map(({ name, value }) => named(name, value)));
  return [
    ...(test.message ? [element("div", { class: "message" }, prose(test.message), line)] : []),
    ...(compared ? [compared] : []),
    ...(inputs.length > 0 ? [label("Inputs"), given] : []),
    ...printedBy(test.output),
  ];
}

function printedBy(text: string): Node[] {
  if (!text.trim()) return [];
  return [label("Your code printed"), output(text.trimEnd())];
}

function label(text: string): HTMLElement {
  return element("p", { class: "label" }, text);
}

function lineButton(line: number | null, around: Around): Child {
  return line !== null && button(`Go to line ${line}`, () => around.goTo(line), { class: "link" });
}
