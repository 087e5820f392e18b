/** Modal dialogs. */

import { button, type Child, element } from "./dom";

export interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
}

/** Open a dialog under a title. Once it is closed it is removed, and `onClose` gets its return value. */
export function openDialog(title: string, content: readonly Child[], onClose?: (value: string) => void): HTMLDialogElement {
  const heading = element("h2", { id: "dialog-title" }, title);
  const dialog = element("dialog", { class: "question", "aria-labelledby": heading.id }, heading, ...content);
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose?.(dialog.returnValue);
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Ask a question, and return whether the answer is yes; Escape means no. */
export function askInDialog({ title, text, yes }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const agree = button(yes, () => dialog.close("yes"), { class: "button primary" });
    const refuse = button("Cancel", () => dialog.close(), { class: "button" });
    const content = [element("p", {}, text), element("p", { class: "buttons" }, agree, refuse)];
    const dialog = openDialog(title, content, (value) => resolve(value === "yes"));
  });
}
