/** The record as a file, to take elsewhere and to bring back; and how to be rid of it. */

import { type CourseExercise } from "../course";
import { button, count, element, find } from "../dom";
import { progress } from "../progress";
import { fromJson, NoHistory, type Programs, programsIn, toJson } from "../progress/exchange";
import { countNew, dayOf, type History, merge, size } from "../progress/history";
import { ask } from "../solve/dialog";
import { download } from "../solve/download";
import { fillEditors, passedPrograms, withoutCode } from "../solve/draft";
import { sumsOf } from "./totals";

const MAX_BYTES = 64 * 2 ** 20; // as the command line
const MOST_NAMES = 3;

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
    exporting.disabled = size(progress.history) === 0;
    erasing.disabled = exporting.disabled && progress.trouble === "";
  };
  paint();
  progress.subscribe(paint);
  const importing = button("Import…", () => picker.click(), { class: "button" });
  find("#keep-actions", HTMLElement).replaceChildren(exporting, importing, erasing, picker);
}

function exportAll(): void {
  download(`etude-progress-${dayOf(new Date())}.json`, toJson(progress.history, passedPrograms()), "application/json");
  say(`${entries(size(progress.history))} exported, with the code of what you passed.`);
}

async function erase(): Promise<void> {
  const yes = await ask({
    title: "Erase your progress?",
    text: `${entries(size(progress.history))} and ${sumsOf(progress.history).xp} XP in this browser will be gone, and cannot be brought back without an exported file. Code that you have written stays.`,
    yes: "Erase",
  });
  if (!yes) return;
  progress.erase();
  say("Your progress is erased.");
}

async function offerImport(file: File, titles: ReadonlyMap<string, string>): Promise<void> {
  try {
    const text = await read(file);
    show(file.name, fromJson(text), withoutCode(programsIn(text)), titles);
  } catch (error) {
    if (!(error instanceof NoHistory)) throw error;
    say(`“${file.name}” is not exported progress: ${error.message}. Nothing has changed.`, "refused");
  }
}

async function read(file: File): Promise<string> {
  if (file.size > MAX_BYTES) throw new NoHistory(`it has more than ${MAX_BYTES / 2 ** 20} MiB`);
  return file.text().catch(() => {
    throw new NoHistory("it cannot be read");
  });
}

/** Say what an import would change, and ask. */
function show(name: string, history: History, programs: Programs, titles: ReadonlyMap<string, string>): void {
  const news = countNew(history, progress.history);
  const codes = Object.keys(programs).length;
  if (news === 0 && codes === 0) {
    say(`Nothing in “${name}” is new: it holds ${entries(size(history))}, and all of it is here.`);
    return;
  }
  const code = codes > 0 ? [`Code of ${count(codes, "exercise")} that have none here`] : [];
  const changes = [...changesBy(history, titles), ...code].map((change) => element("li", {}, change));
  const add = button("Add them", () => {
    progress.add(history);
    fillEditors(programs);
    say(`${entries(news)} added.`);
  }, { class: "button primary" });
  const leave = button("Leave it", () => say(""), { class: "button" });
  place().replaceChildren(
    element(
      "div",
      { class: "change" },
      element("p", {}, `${news} of ${entries(size(history))} in “${name}” ${news === 1 ? "is" : "are"} new:`),
      element("ul", {}, ...changes),
      element("p", { class: "buttons" }, add, leave),
    ),
  );
  add.focus();
}

function changesBy(history: History, titles: ReadonlyMap<string, string>): string[] {
  const before = sumsOf(progress.history);
  const after = sumsOf(merge(progress.history, history));
  const passed = after.passed.filter((id) => !before.passed.includes(id)).map((id) => titles.get(id) ?? id);
  return [
    passed.length > 0 ? `${count(passed.length, "more exercise")} passed: ${listed(passed)}` : "No more exercises passed",
    before.xp === after.xp ? `XP: still ${after.xp}` : `XP: ${after.xp} instead of ${before.xp}`,
    ...(before.longest === after.longest
      ? []
      : [`Longest streak: ${count(after.longest, "day")} instead of ${before.longest}`]),
  ];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}

function entries(number: number): string {
  return number === 1 ? "1 entry" : `${number} entries`;
}

function say(words: string, style = ""): void {
  place().replaceChildren(...(words ? [element("p", { class: style || null }, words)] : []));
}

function place(): HTMLElement {
  return find("#keep-said", HTMLElement);
}
