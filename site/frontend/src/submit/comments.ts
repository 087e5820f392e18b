/** The card with staff's comments on the learner's submissions of an exercise. */

import { element } from "../dom";
import { formatLocalTime, type Service } from "./service";

interface Comment {
  readonly line: number | null;
  readonly text: string;
  readonly by: string;
  readonly at: string;
}

interface CommentedSubmission {
  readonly submission: string;
  readonly received_at: string;
  readonly source: string;
  readonly comments: readonly Comment[];
}

export class CommentsCard {
  readonly card = element("section", { class: "card comments", "aria-labelledby": "comments", hidden: true });

  constructor(
    private readonly service: Service,
    private readonly exercise: string,
  ) {}

  /** Load and show the comments; hide the card if there are none, or on an error. */
  async load(): Promise<void> {
    const path = `exercises/${this.exercise}/comments`;
    const answer = this.service.session && (await this.service.get(path).catch(() => null));
    const submissions = (answer ?? []) as readonly CommentedSubmission[];
    this.card.hidden = submissions.length === 0;
    this.card.replaceChildren(element("h2", { id: "comments" }, "Comments from your course"), ...submissions.map(renderSubmission));
  }
}

function renderSubmission({ received_at, source, comments }: CommentedSubmission): HTMLElement {
  const lines = source.split("\n");
  const heading = element("h3", {}, `On your submission of ${formatLocalTime(received_at)}`);
  return element("div", {}, heading, element("ul", {}, ...comments.map((comment) => renderComment(comment, lines))));
}

function renderComment({ line, text, by, at }: Comment, lines: readonly string[]): HTMLElement {
  const code = line === null ? "" : (lines[line - 1] ?? "").trim();
  const place = line === null ? [] : [element("p", {}, element("b", {}, `Line ${line}`), code && ": ", code && element("code", {}, code))];
  const comment = element("p", { class: "said" }, text);
  return element("li", {}, ...place, comment, element("p", { class: "facts" }, `${by}, ${formatLocalTime(at)}`));
}
