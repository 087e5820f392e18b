/** The shapes of a program's values, line by line: as notes in the editor, and as a list. */

import { element } from "../dom";
import type { Editor, LineNote } from "../editor";

/** The shape of a value, as in `grader/reports/verdict.schema.json`. */
export interface LineShape {
  readonly line: number;
  readonly name: string; // a variable, or "return"
  readonly kind: string; // a dtype or a type
  readonly lengths: readonly number[];
  readonly is_off_track: boolean;
}

/** Return whether an answer of Python is a list of shapes. */
export function areShapes(answer: unknown): answer is LineShape[] {
  return Array.isArray(answer) && (answer as Partial<LineShape>[]).every((each) => Number.isInteger(each?.line) && Array.isArray(each.lengths));
}

/** Shows shapes in an editor, and in a list for screen readers. */
export class ShapeDisplay {
  readonly list = element("ul", { class: "unseen", "aria-label": "Shapes, line by line" });

  show(editor: Editor, shapes: readonly LineShape[]): void {
    editor.annotate(toLineNotes(shapes));
    this.list.replaceChildren(...shapes.map((shape) => element("li", {}, shapeSentence(shape))));
  }
}

/** Return one note for each line. */
export function toLineNotes(shapes: readonly LineShape[]): LineNote[] {
  const lines = new Map<number, LineShape[]>();
  for (const shape of shapes) lines.set(shape.line, [...(lines.get(shape.line) ?? []), shape]);
  return [...lines].map(([line, lineShapes]) => ({
    line,
    text: lineShapes.map((shape) => `${shape.name === "return" ? "→" : shape.name} ${formatShape(shape)}`).join(", "),
    isWrong: lineShapes.some((shape) => shape.is_off_track),
  }));
}

/** Return a sentence such as "line 4: scores, 3 by 5, float64". */
export function shapeSentence({ line, name, kind, lengths, is_off_track: isOff }: LineShape): string {
  const shape = lengths.length > 0 ? `, ${lengths.join(" by ")}` : "";
  return `line ${line}: ${name}${shape}, ${kind}${isOff ? "; no right program has this value" : ""}`;
}

function formatShape({ kind, lengths }: LineShape): string {
  if (lengths.length === 0) return kind;
  if (kind === "list" || kind === "tuple") return `${kind} of ${lengths[0]}`;
  return `(${lengths.join(", ")}${lengths.length === 1 ? "," : ""}) ${kind}`;
}
