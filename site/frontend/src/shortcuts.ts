/** Shortcuts of a single key. They do nothing while one types, and can be switched off (WCAG 2.1.4). */

import { button, element } from "./dom";

const KEY = "etude.shortcuts";
const TYPING = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]";
const FIELD = "#bench .cm-content, #bench .answers input, #own-gpt textarea";

const ACTIONS: Readonly<Record<string, () => void>> = {
  "/": openSearch,
  "?": showList,
  e: goToEditor,
};

const LIST: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["/"], "Search"],
  [["e"], "Go to the editor"],
  [["?"], "Show this list"],
];

const ALWAYS: typeof LIST = [
  [["Ctrl", "Enter"], "Run the code"],
  [["Ctrl", "Shift", "Enter"], "Check the solution"],
  [["Esc", "Tab"], "Leave the editor"],
  [["↑", "↓"], "Read the next row of a heatmap"],
];

let isOn = true; // where the browser keeps nothing, for this page alone

/** Listen for the shortcuts, and to the button at the end of the page that lists them. */
export function listenForShortcuts(): void {
  isOn = read();
  addEventListener("keydown", (event) => {
    const act = ACTIONS[event.key];
    if (!act || !isOn || isForSomethingElse(event)) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("#shortcuts")) showList();
  });
}

function isForSomethingElse(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.isComposing) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const { target } = event;
  return (target instanceof Element && target.closest(TYPING) !== null) || document.querySelector("dialog[open]") !== null;
}

function openSearch(): void {
  const field = document.querySelector<HTMLElement>("#query");
  if (field) field.focus();
  else document.querySelector<HTMLElement>("#search-link")?.click();
}

function goToEditor(): void {
  const field = document.querySelector<HTMLElement>(FIELD);
  if (field) field.focus();
  else openCell();
}

/** Open the first cell of a lesson that is in sight, or else the next one. */
function openCell(): void {
  const codes = [...document.querySelectorAll<HTMLElement>(".cell .cell-code")];
  const code = codes.find((each) => each.getBoundingClientRect().bottom > 0) ?? codes.at(-1);
  const editor = code?.querySelector<HTMLElement>(".cm-content");
  if (editor) editor.focus();
  else code?.click();
}

function showList(): void {
  if (document.querySelector("dialog[open]")) return;
  const own = element("input", { type: "checkbox" });
  own.checked = isOn;
  own.addEventListener("change", () => write(own.checked));
  const dialog = element("dialog", { class: "question", "aria-labelledby": "shortcuts-title" });
  dialog.append(
    element("h2", { id: "shortcuts-title" }, "Keyboard shortcuts"),
    lines(LIST),
    element("p", {}, element("label", {}, own, " Use these single keys. They do nothing while you type.")),
    lines(ALWAYS),
    element("p", { class: "buttons" }, button("Close", () => dialog.close(), { class: "button primary" })),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function lines(list: typeof LIST): HTMLElement {
  const rows = list.map(([keys, does]) => {
    const names = keys.flatMap((key) => [element("kbd", {}, key), " "]);
    return element("div", {}, element("dt", {}, ...names), element("dd", {}, does));
  });
  return element("dl", { class: "shortcut-list" }, ...rows);
}

function read(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

function write(on: boolean): void {
  isOn = on;
  try {
    if (on) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, "off");
  } catch {
    // The choice then holds for this page alone.
  }
}
