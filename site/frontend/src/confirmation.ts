/** Questions that are answered by yes or no. */

import { openDialog } from "./dialog";
import { button, element } from "./dom";

export interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
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
