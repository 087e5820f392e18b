/** A question that has to be answered before anything else. */

import { button, element } from "../dom";

export interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
}

/** Ask; Escape means no. */
export function askInDialog({ title, text, yes }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = element("dialog", { class: "question", "aria-labelledby": "question" });
    const agree = button(yes, () => dialog.close("yes"), { class: "button primary" });
    const refuse = button("Cancel", () => dialog.close(), { class: "button" });
    dialog.append(
      element("h2", { id: "question" }, title),
      element("p", {}, text),
      element("p", { class: "buttons" }, agree, refuse),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
