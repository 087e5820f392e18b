/** A small editor for Python, in the colours of the code on the rest of the site. */

import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  LanguageSupport,
  syntaxHighlighting,
} from "@codemirror/language";
import { EditorState, type Extension, type Line, type Range, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { COMPLETION_THEME, createCompletion, type NumpyNames } from "./completion";
import { element } from "./dom";

export interface EditorOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  readonly label: string; // the editor's name for screen readers
  readonly describedBy?: string; // the id of the element that says how to leave it
  readonly keys?: Readonly<Record<string, () => void>>; // actions by key names such as "Mod-Enter"
  readonly onChange?: (text: string) => void;
  readonly names?: () => NumpyNames; // the names of NumPy; none before Python is ready
}

/** The reason for marking a line: it is wrong, or it was inserted. */
export type Mark = "wrong" | "new";

/** A few words at the end of a line. */
export interface LineNote {
  readonly line: number;
  readonly text: string;
  readonly isWrong: boolean;
}

export interface Editor {
  readonly text: string;
  replace(text: string): void; // the learner can undo the change
  undo(): void;
  focus(): void;
  goTo(line: number): void;
  annotate(notes: readonly LineNote[]): void; // until the code is edited
  mark(line: number | null, as?: Mark): void; // until the line is edited or another one is marked
}

// Pygments' classes: one set of colours for the code on a page and in its editor.
const COLOURS = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword],
    class: "hl-k",
  },
  { tag: [tags.operatorKeyword, tags.self, tags.bool, tags.null], class: "hl-k" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.className], class: "hl-nf" },
  { tag: tags.definition(tags.className), class: "hl-nc" },
  { tag: [tags.string, tags.docString, tags.special(tags.string)], class: "hl-s" },
  { tag: [tags.number, tags.integer, tags.float], class: "hl-m" },
  { tag: tags.comment, class: "hl-c" },
]);

const THEME = EditorView.theme({
  "&": { backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "0.84375rem" },
  "&.cm-focused": { outline: "0" }, // the element around the editor shows the focus
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "0.75rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 1rem 0 0.35rem" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--code-comment)",
    border: "0",
    paddingLeft: "0.35rem",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused :is(.cm-activeLine, .cm-activeLineGutter)": {
    backgroundColor: "color-mix(in oklab, var(--accent) 8%, transparent)",
  },
  ".cm-cursor": { borderLeft: "2px solid var(--accent)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
    { backgroundColor: "color-mix(in oklab, var(--accent) 26%, transparent)" },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "color-mix(in oklab, var(--accent) 20%, transparent)",
    color: "inherit",
  },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-soft)", color: "inherit" },
  ".cm-new": { backgroundColor: "var(--xp-soft)", boxShadow: "inset 3px 0 0 var(--xp-ink)" },
  ".cm-told": { backgroundColor: "var(--bad-soft)", boxShadow: "inset 3px 0 0 var(--bad)" },
  ".cm-shape": { color: "var(--code-comment)", fontStyle: "italic", paddingLeft: "1.5rem" },
  ".cm-shape.wrong": { color: "var(--bad)" },
  ".cm-underlined": { textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "0.25em", textDecorationSkipInk: "none" },
  ...COMPLETION_THEME,
});

const setMark = StateEffect.define<{ readonly line: Line; readonly as: Mark } | null>();
const MARKS: Record<Mark, Decoration> = {
  wrong: Decoration.line({ class: "cm-told" }),
  new: Decoration.line({ class: "cm-new" }),
};
const UNDERLINED = Decoration.mark({ class: "cm-underlined" });

const markedLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const set = transaction.effects.find((effect) => effect.is(setMark));
    if (set) {
      return set.value === null ? Decoration.none : Decoration.set(lineDecorations(set.value.line, set.value.as));
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const setNotes = StateEffect.define<readonly LineNote[]>();

class NoteWidget extends WidgetType {
  constructor(private readonly note: LineNote) {
    super();
  }

  override eq(other: NoteWidget): boolean {
    return other.note.text === this.note.text && other.note.isWrong === this.note.isWrong;
  }

  toDOM(): HTMLElement {
    const { text, isWrong } = this.note;
    // The page repeats the shapes in a list; here a screen reader would read them as code.
    return element("span", { class: isWrong ? "cm-shape wrong" : "cm-shape", "aria-hidden": "true" }, text);
  }
}

const lineNotes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(old, { docChanged, effects, state }) {
    const set = effects.find((effect) => effect.is(setNotes));
    if (!set) return docChanged ? Decoration.none : old;
    const notesInText = set.value.filter(({ line }) => line >= 1 && line <= state.doc.lines);
    const widgets = notesInText.map((note) => Decoration.widget({ widget: new NoteWidget(note), side: 1 }).range(state.doc.line(note.line).to));
    return Decoration.set(widgets, true);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Create an editor. Tab indents; Escape and then Tab leaves it, and the page must say so. */
export function createEditor(options: EditorOptions): Editor {
  const state = EditorState.create({ doc: options.text, extensions: createExtensions(options) });
  const view = new EditorView({ parent: options.parent, state });
  void document.fonts.ready.then(() => view.requestMeasure()); // the final font has other widths
  return {
    get text() {
      return view.state.doc.toString();
    },
    replace(text) {
      const changes = { from: 0, to: view.state.doc.length, insert: text };
      view.dispatch({ changes, userEvent: "input" });
    },
    undo: () => void undo(view),
    focus: () => view.focus(),
    goTo(line) {
      const { from } = lineAt(view, line);
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      view.focus();
    },
    annotate: (shapes) => view.dispatch({ effects: setNotes.of(shapes) }),
    mark(line, as = "wrong") {
      view.dispatch({ effects: setMark.of(line === null ? null : { line: lineAt(view, line), as }) });
    },
  };
}

/** Return a marked line's decorations; in a wrong line the code is underlined, without its spaces. */
function lineDecorations({ from, text }: Line, as: Mark): Range<Decoration>[] {
  const line = MARKS[as].range(from);
  const [begin, end] = [text.search(/\S/), text.trimEnd().length];
  return as === "wrong" && end > 0 ? [line, UNDERLINED.range(from + begin, from + end)] : [line];
}

function createExtensions({ label, describedBy, keys = {}, onChange, names = () => ({}) }: EditorOptions): Extension {
  const attributes = {
    "aria-label": label,
    ...(describedBy === undefined ? {} : { "aria-describedby": describedBy }),
    tabindex: "0", // redundant for an editable element, but accessibility checkers look for it
    spellcheck: "false",
    autocapitalize: "off",
    autocorrect: "off",
  };
  const pageKeys = Object.entries(keys).map(([key, act]) => ({ key, run: () => (act(), true) }));
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    EditorState.tabSize.of(4),
    indentUnit.of("    "),
    indentOnInput(),
    bracketMatching(),
    markedLine,
    lineNotes,
    createCompletion(names),
    new LanguageSupport(pythonLanguage),
    syntaxHighlighting(COLOURS),
    EditorView.contentAttributes.of(attributes),
    keymap.of([...pageKeys, ...defaultKeymap, ...historyKeymap, indentWithTab]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange?.(update.state.doc.toString());
    }),
    THEME,
  ];
}

function lineAt(view: EditorView, number: number): Line {
  return view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
}
