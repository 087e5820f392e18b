/** Single-key shortcuts. They do nothing in text fields, and can be switched off (WCAG 2.1.4). */

import { openDialog } from "./dialog";
import { button, element } from "./dom";
import { readStored, writeStored } from "./storage";

const STORAGE_KEY = "etude.shortcuts";
const TEXT_FIELDS = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]";
const EDITOR_FIELD = "#bench .cm-content, #bench .answers input, #own-gpt textarea";

const ACTIONS: Readonly<Record<string, () => void>> = {
  "/": openSearch,
  "?": showShortcutList,
  e: goToEditor,
};

const SINGLE_KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["/"], "Search"],
  [["e"], "Go to the editor"],
  [["?"], "Show this list"],
];

const KEY_COMBINATIONS: typeof SINGLE_KEYS = [
  [["Ctrl", "Enter"], "Run the code"],
  [["Ctrl", "Shift", "Enter"], "Check the solution"],
  [["Esc", "Tab"], "Leave the editor"],
  [["↑", "↓"], "Read the next row of a heatmap"],
];

let isOn = true; // the stored setting

/** Listen for the shortcuts, and for clicks on the button that lists them. */
export function listenForShortcuts(): void {
  isOn = readStored(STORAGE_KEY) !== "off";
  addEventListener("keydown", (event) => {
    const act = ACTIONS[event.key];
    if (!act || !isOn || isReserved(event)) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("#shortcuts")) showShortcutList();
  });
}

function isReserved(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.isComposing) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const { target } = event;
  return (target instanceof Element && target.closest(TEXT_FIELDS) !== null) || document.querySelector("dialog[open]") !== null;
}

function openSearch(): void {
  const field = document.querySelector<HTMLElement>("#query");
  if (field) field.focus();
  else document.querySelector<HTMLElement>("#search-link")?.click();
}

function goToEditor(): void {
  const field = document.querySelector<HTMLElement>(EDITOR_FIELD);
  if (field) field.focus();
  else openCell();
}

/** Open the editor of the first cell of a lesson that is not above the viewport, or else of the last one. */
function openCell(): void {
  const codes = [...document.querySelectorAll<HTMLElement>(".cell .cell-code")];
  const code = codes.find((each) => each.getBoundingClientRect().bottom > 0) ?? codes.at(-1);
  const editor = code?.querySelector<HTMLElement>(".cm-content");
  if (editor) editor.focus();
  else code?.click();
}

function showShortcutList(): void {
  if (document.querySelector("dialog[open]")) return;
  const checkbox = element("input", { type: "checkbox" });
  checkbox.checked = isOn;
  checkbox.addEventListener("change", () => {
    isOn = checkbox.checked;
    writeStored(STORAGE_KEY, isOn ? null : "off"); // without storage the setting lasts as long as the page
  });
  const dialog = openDialog("Keyboard shortcuts", [
    renderList(SINGLE_KEYS),
    element("p", {}, element("label", {}, checkbox, " Use these single keys. They do nothing while you type.")),
    renderList(KEY_COMBINATIONS),
    element("p", { class: "buttons" }, button("Close", () => dialog.close(), { class: "button primary" })),
  ]);
}

function renderList(list: typeof SINGLE_KEYS): HTMLElement {
  const rows = list.map(([keys, does]) => {
    const names = keys.flatMap((key) => [element("kbd", {}, key), " "]);
    return element("div", {}, element("dt", {}, ...names), element("dd", {}, does));
  });
  return element("dl", { class: "shortcut-list" }, ...rows);
}
