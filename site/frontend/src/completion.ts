/** Autocompletion in the editor: the names of NumPy, and those that the program itself defines. */

import {
  autocompletion,
  closeCompletion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { localCompletionSource } from "@codemirror/lang-python";
import { type Extension, Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";

/** The public names of each module, such as `np.linalg`, with a sentence on what each does. */
export type NumpyNames = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Matches a module and the beginning of a name in it, before the cursor. */
const MEMBER_PATTERN = /(?<![\w.])(?:np|numpy)(?:\.\w+)*\.\w*$/;

export const COMPLETION_THEME = {
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "12em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--surface)" },
  ".cm-tooltip.cm-completionInfo": { fontFamily: "var(--sans)", fontSize: "0.8125rem", padding: "0.5rem 0.75rem" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
};

/** Create the editor's completion. No option is preselected, so that Enter still ends the line. */
export function createCompletion(names: () => NumpyNames): Extension {
  const members = (context: CompletionContext): CompletionResult | null => completeMember(context, names());
  const settings = { override: [members, localCompletionSource], selectOnOpen: false, defaultKeymap: false, icons: false };
  const keys = completionKeymap.filter(({ key }) => key !== "Escape");
  // Escape must reach the page too: Escape and then Tab leaves the editor.
  const escape = { key: "Escape", run: (view: Parameters<typeof closeCompletion>[0]) => (closeCompletion(view), false) };
  return [autocompletion(settings), Prec.highest(keymap.of([escape, ...keys]))];
}

function completeMember(context: CompletionContext, names: NumpyNames): CompletionResult | null {
  const match = context.matchBefore(MEMBER_PATTERN);
  if (!match) return null;
  const dot = match.text.lastIndexOf(".");
  const members = names[match.text.slice(0, dot).replace(/^numpy/, "np")];
  if (!members) return null;
  const options = Object.entries(members).map(([label, info]) => (info ? { label, info } : { label }));
  return { from: match.from + dot + 1, options, validFor: /^\w*$/ };
}
