/** Rendering of a verdict: a sentence, the diagnosis, and each test with its values. */

import { button, type Child, createIcon, element, renderParagraphs } from "../dom";
import { makeHeatmapExplorable } from "../heatmap";
import { renderFigure } from "../lesson/figures";
import { page } from "../page";
import { pluralize } from "../text";
import type { Exercise } from "./exercise";
import { renderComparison, renderTextBox, renderValue } from "./values";
import type { Diagnosis, Outcome, RunResult, SmallExample, TestResult, Verdict } from "./verdict";

/** The page's parts that results refer to. */
export interface ResultsContext {
  readonly feedback: Readonly<Record<string, string>>; // HTML that the builder made
  goTo(line: number): void;
  renderHintLead(number: number): Child; // renders the way to a hint
  readonly testsAreShown?: boolean; // elsewhere on the page, so they are not listed here
}

export const OUTCOME_ICONS: Readonly<Record<string, string>> = {
  passed: "M3.5 8.5l3 3 6-7",
  failed: "M4.5 4.5l7 7m0-7l-7 7",
  errored: "M8 3.5v5.5m0 3v.1",
  waiting: "M4 8h.1M8 8h.1M12 8h.1",
};
const MAX_OPEN_TESTS = 3; // failing tests that are open; more would be too long to scroll
const NEUTRAL_OUTCOMES: readonly Outcome[] = ["not run"];

/** Return whether the page ran all tests; only a practice page has the hidden ones. */
export function ranAllTests({ hidden_tests: hidden }: Exercise, { tests }: Verdict): boolean {
  return page.isPractice && tests.filter((test) => test.hidden).length === hidden;
}

/** Return the verdict in one sentence, as in the terminal. */
export function summarySentence(exercise: Exercise, verdict: Verdict): string {
  const earned = `${verdict.score}/${pluralize(verdict.max_score, "point")}`;
  const passed = verdict.tests.filter(({ outcome }) => outcome === "passed").length;
  if (verdict.outcome === "passed") {
    const hidden = verdict.tests.filter((test) => test.hidden).length;
    // In a prediction or a suite, learners do not know which tests are hidden.
    if (hidden === passed || (hidden === 0 && ranAllTests(exercise, verdict))) return `Passed: ${earned}.`;
    if (hidden > 0) return `Passed: ${earned}, ${hidden === 1 ? "the hidden test" : `${hidden} hidden tests`} included.`;
    return passed === 1 ? `The visible test passes: ${earned}.` : `All ${passed} visible tests pass: ${earned}.`;
  }
  if (verdict.outcome === "not run") return "Not judged here: the hidden tests decide.";
  if (verdict.message) return "Not passed yet: no test could run.";
  return `Not passed yet: ${passed} of ${pluralize(verdict.tests.length, "test")}, ${earned}.`;
}

/** Render the verdict below its sentence. */
export function renderVerdict(verdict: Verdict, context: ResultsContext): Node[] {
  if (verdict.outcome === "not run") return [element("div", {}, renderParagraphs(verdict.message)), ...renderOutput(verdict.output)];
  if (verdict.message) {
    const message = renderProblem(verdict.message, verdict.line, context);
    return [message, ...renderNotes(verdict), ...renderOutput(verdict.output)];
  }
  return [
    ...renderNotes(verdict),
    ...(verdict.diagnosis ? [renderDiagnosis(verdict.diagnosis, context)] : []),
    ...(verdict.example ? [renderExample(verdict.example, context)] : []),
    ...renderOutput(verdict.output),
    ...(context.testsAreShown ? [] : renderTests(verdict.tests, context)),
  ];
}

function renderNotes({ notes = [] }: Verdict): Node[] {
  return notes.map((note) => element("p", { class: "results-note" }, renderParagraphs(note)));
}

/** Render the tests, with the first few failing ones open and a button that opens the others. */
function renderTests(tests: readonly TestResult[], context: ResultsContext): Node[] {
  const items = tests.map((test) => renderTest(test, context));
  const list = element("ol", { class: "outcomes" }, ...items.map((each) => element("li", {}, each)));
  const failed = items.filter((each) => each instanceof HTMLDetailsElement && each.open) as HTMLDetailsElement[];
  const closed = failed.slice(MAX_OPEN_TESTS);
  for (const each of closed) each.open = false;
  if (closed.length === 0) return [list];
  const open = button(`Open all ${failed.length}`, () => {
    for (const each of closed) each.open = true;
    more.remove();
    closed[0]?.querySelector("summary")?.focus();
  }, { class: "link" });
  const more = element("p", { class: "quiet" }, `The first ${MAX_OPEN_TESTS} of ${failed.length} failing tests are open. `, open);
  return [more, list];
}

/** Render the output, the figures and the error of a run. */
export function renderRun({ output: text, truncated, figures, problem: runProblem }: RunResult, context: ResultsContext): Node[] {
  const figureElements = figures.map(renderFigure);
  figureElements.forEach((each, index) => makeHeatmapExplorable(each, index === 0));
  const truncation = truncated > 0 && `… and ${truncated.toLocaleString("en")} more bytes.`;
  return [
    ...(text ? [renderTextBox(text)] : []),
    ...(truncation ? [element("p", { class: "quiet" }, truncation)] : []),
    ...figureElements,
    ...(text || runProblem || figureElements.length > 0 ? [] : [element("p", { class: "quiet" }, "Your code ran and printed nothing.")]),
    ...(runProblem ? [renderProblem(runProblem.message, runProblem.line, context)] : []),
  ];
}

/** Render a message about the whole submission. */
export function renderProblem(message: string, line: number | null, context: ResultsContext): HTMLElement {
  return element("div", { class: "problem" }, renderParagraphs(message), renderLineButton(line, context));
}

function renderDiagnosis({ kind, ids, feedback, hint }: Diagnosis, context: ResultsContext): HTMLElement {
  const [id = ""] = ids;
  const feedbackHtml = kind === "misconception" ? context.feedback[id] : undefined;
  const explanation = element("div", { class: "prose" });
  // The builder's HTML is as trusted as the page; Python's text is inserted as text.
  if (feedbackHtml !== undefined) explanation.innerHTML = feedbackHtml;
  else explanation.append(renderParagraphs(feedback));
  const hintLead = hint !== null && element("p", {}, context.renderHintLead(hint));
  const title = element("h3", {}, "What is behind this");
  return element("div", { class: "diagnosis" }, title, explanation, hintLead);
}

/** Render a small example as in the terminal: Python to paste, and its result. */
function renderExample({ code, result }: SmallExample, context: ResultsContext): HTMLElement {
  const title = element("h3", {}, "A small example that goes wrong");
  const introduction = element("p", {}, "Only hidden tests fail. This small example goes wrong too. Try it:");
  return element("div", { class: "diagnosis" }, title, introduction, renderTextBox(code), ...renderBody(result, context));
}

function renderTest(test: TestResult, context: ResultsContext): HTMLElement {
  const content = renderBody(test, context);
  const head = renderHead(test);
  const kind = `outcome ${outcomeClass(test.outcome)}`;
  if (content.length === 0) return element("div", { class: kind }, element("div", {}, ...head));
  const open = test.outcome !== "passed";
  const body = element("div", { class: "outcome-body" }, ...content);
  return element("details", { class: kind, open }, element("summary", {}, ...head), body);
}

function outcomeClass(outcome: Outcome): string {
  if (outcome === "passed") return "passed";
  return NEUTRAL_OUTCOMES.includes(outcome) ? "neutral" : "failed";
}

function renderHead(test: TestResult): Child[] {
  const { outcome } = test;
  const isPlain = outcome === "passed" || outcome === "failed"; // the icon is enough
  const picture = OUTCOME_ICONS[outcome] ?? OUTCOME_ICONS[outcomeClass(outcome) === "neutral" ? "waiting" : "errored"];
  const word = outcome[0]?.toUpperCase() + outcome.slice(1);
  return [
    element("span", { class: "badge" }, createIcon(picture ?? "")),
    element("span", { class: isPlain ? "unseen" : "outcome-word" }, `${word}: `),
    renderName(test),
    element("span", { class: "points" }, `${test.points}/${pluralize(test.max_points, "point")}`),
  ];
}

/** Render a test's name. A hidden test has only its id, as its description might reveal it. */
function renderName({ id, description, hidden }: TestResult): HTMLElement {
  if (hidden) return element("span", { class: "outcome-name verbatim" }, `${id} (hidden)`);
  return element("span", { class: "outcome-name" }, description || id);
}

function renderBody(test: TestResult, context: ResultsContext): Node[] {
  if (test.outcome === "not run") return [];
  if (test.outcome === "passed") return renderOutput(test.output);
  const compared = renderComparison(test);
  const inputs = test.inputs ?? [];
  const line = renderLineButton(test.line, context);
  const inputValues = element("div", { class: "values" }, ...inputs.map(({ name, value }) => renderValue(name, value)));
  return [
    ...(test.message ? [element("div", { class: "message" }, renderParagraphs(test.message), line)] : []),
    ...(compared ? [compared] : []),
    ...(inputs.length > 0 ? [renderLabel("Inputs"), inputValues] : []),
    ...renderOutput(test.output),
  ];
}

function renderOutput(text: string): Node[] {
  if (!text.trim()) return [];
  return [renderLabel("Your code printed"), renderTextBox(text.trimEnd())];
}

function renderLabel(text: string): HTMLElement {
  return element("p", { class: "label" }, text);
}

function renderLineButton(line: number | null, context: ResultsContext): Child {
  return line !== null && button(`Go to line ${line}`, () => context.goTo(line), { class: "link" });
}
