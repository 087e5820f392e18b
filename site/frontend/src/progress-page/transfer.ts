/** Export, import and erasure of the record. */

import { askInDialog } from "../confirmation";
import { type CourseExercise } from "../course";
import { button, element, findElement } from "../dom";
import { download } from "../download";
import { progress } from "../progress";
import { fromJson, InvalidHistory, type Programs, readPrograms, toJson } from "../progress/exchange";
import { countEntries, countNew, type History, mergeHistories, toLocalDay } from "../progress/history";
import { importPrograms, readPassedPrograms, withoutLocalCode } from "../solve/draft";
import { pluralize } from "../text";
import { computeTotals } from "./totals";

const MAX_BYTES = 64 * 2 ** 20; // as in the command line
const MAX_NAMES = 3;

export function offerTransfer(course: readonly CourseExercise[]): void {
  const titles = new Map(course.map(({ id, title }) => [id, title]));
  const picker = element("input", { type: "file", accept: ".json,application/json", "aria-label": "File to import", hidden: true });
  picker.addEventListener("change", () => {
    const file = picker.files?.[0];
    if (file) void offerImport(file, titles);
    picker.value = ""; // so that the same file can be chosen again
  });
  const exporting = button("Export", exportAll, { class: "button" });
  const erasing = button("Erase…", () => void erase(), { class: "button" });
  const paint = (): void => {
    exporting.disabled = countEntries(progress.history) === 0;
    erasing.disabled = exporting.disabled && progress.trouble === "";
  };
  paint();
  progress.subscribe(paint);
  const importing = button("Import…", () => picker.click(), { class: "button" });
  findElement("#keep-actions", HTMLElement).replaceChildren(exporting, importing, erasing, picker);
}

function exportAll(): void {
  download(`etude-progress-${toLocalDay(new Date())}.json`, toJson(progress.history, readPassedPrograms()), "application/json");
  showStatus(`${entryCounts(countEntries(progress.history))} exported, with the code of what you passed.`);
}

async function erase(): Promise<void> {
  const yes = await askInDialog({
    title: "Erase your progress?",
    text: `${entryCounts(countEntries(progress.history))} and ${computeTotals(progress.history).xp} XP in this browser will be gone, and cannot be brought back without an exported file. Code that you have written stays.`,
    yes: "Erase",
  });
  if (!yes) return;
  progress.erase();
  showStatus("Your progress is erased.");
}

async function offerImport(file: File, titles: ReadonlyMap<string, string>): Promise<void> {
  try {
    const text = await readFile(file);
    showDialog(file.name, fromJson(text), withoutLocalCode(readPrograms(text)), titles);
  } catch (error) {
    if (!(error instanceof InvalidHistory)) throw error;
    showStatus(`“${file.name}” is not exported progress: ${error.message}. Nothing has changed.`, "refused");
  }
}

async function readFile(file: File): Promise<string> {
  if (file.size > MAX_BYTES) throw new InvalidHistory(`it has more than ${MAX_BYTES / 2 ** 20} MiB`);
  return file.text().catch(() => {
    throw new InvalidHistory("it cannot be read");
  });
}

/** Show the changes of an import, and ask for confirmation. */
function showDialog(name: string, history: History, programs: Programs, titles: ReadonlyMap<string, string>): void {
  const news = countNew(history, progress.history);
  const codes = Object.keys(programs).length;
  if (news === 0 && codes === 0) {
    showStatus(`Nothing in “${name}” is new: it holds ${entryCounts(countEntries(history))}, and all of it is here.`);
    return;
  }
  const code = codes > 0 ? [`Code of ${pluralize(codes, "exercise")} that have none here`] : [];
  const changes = [...importChanges(history, titles), ...code].map((change) => element("li", {}, change));
  const add = button("Add them", () => {
    progress.add(history);
    importPrograms(programs);
    showStatus(`${entryCounts(news)} added.`);
  }, { class: "button primary" });
  const leave = button("Leave it", () => showStatus(""), { class: "button" });
  statusPlace().replaceChildren(
    element(
      "div",
      { class: "change" },
      element("p", {}, `${news} of ${entryCounts(countEntries(history))} in “${name}” ${news === 1 ? "is" : "are"} new:`),
      element("ul", {}, ...changes),
      element("p", { class: "buttons" }, add, leave),
    ),
  );
  add.focus();
}

function importChanges(history: History, titles: ReadonlyMap<string, string>): string[] {
  const before = computeTotals(progress.history);
  const after = computeTotals(mergeHistories(progress.history, history));
  const passed = after.passed.filter((id) => !before.passed.includes(id)).map((id) => titles.get(id) ?? id);
  return [
    passed.length > 0 ? `${pluralize(passed.length, "more exercise")} passed: ${joinFirstNames(passed)}` : "No more exercises passed",
    before.xp === after.xp ? `XP: still ${after.xp}` : `XP: ${after.xp} instead of ${before.xp}`,
    ...(before.longest === after.longest
      ? []
      : [`Longest streak: ${pluralize(after.longest, "day")} instead of ${before.longest}`]),
  ];
}

function joinFirstNames(names: readonly string[]): string {
  const firstNames = names.slice(0, MAX_NAMES).join(", ");
  return names.length > MAX_NAMES ? `${firstNames} and ${names.length - MAX_NAMES} more` : firstNames;
}

function entryCounts(number: number): string {
  return number === 1 ? "1 entry" : `${number} entries`;
}

function showStatus(words: string, style = ""): void {
  statusPlace().replaceChildren(...(words ? [element("p", { class: style || null }, words)] : []));
}

function statusPlace(): HTMLElement {
  return findElement("#keep-said", HTMLElement);
}
