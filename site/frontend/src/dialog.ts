/** Modal dialogs. */

import { type Child, element } from "./dom";

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
