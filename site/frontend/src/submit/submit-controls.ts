/** The "Submit for grading" button, and the line on the session, the due time and the certificate. */

import { button, element } from "../dom";
import type { Exercise } from "../solve/exercise";
import type { ResultsCard } from "../solve/results-card";
import type { Verdict } from "../solve/verdict";
import { pluralize } from "../text";
import { uniqueKey } from "../unique-key";
import { certificates, sessionLoaded } from "./certificates";
import { CommentsCard } from "./comments";
import { type PendingSubmission, PendingSubmissionStore } from "./pending-submission";
import { formatLocalTime, type Service, ServiceError, type Session, type SubmissionState } from "./service";
import { askToSignIn } from "./sign-in";
import { trackSubmission } from "./submission-tracking";

const MAX_POSITION = 1000; // the service counts no further
const PARKED_SENTENCE =
  "This could not be graded, through no fault of yours. It is kept, and staff will look at it.";
const SILENCE_SENTENCE = "The service does not answer at the moment. Your submission is kept there; this page asks again.";

/** The page's parts that the controls use. */
export interface SubmitPage {
  readonly exercise: Exercise;
  readonly results: ResultsCard;
  source(): string | null; // returns null if the program is incomplete
  text(): string; // returns the program, complete or not
  showVerdict(source: string, verdict: Verdict): void;
}

export class SubmitControls {
  readonly button = button("Submit for grading", () => void this.#submit(), { class: "button" });
  readonly line = element("p", { class: "account" });
  readonly #status = element("span", { role: "status" });
  readonly #actions = element("span", { class: "account-actions" });
  #isBusy = false;
  readonly #pending: PendingSubmissionStore;
  #dueTime: string | null = null; // in the reader's time zone

  constructor(
    private readonly service: Service,
    private readonly page: SubmitPage,
  ) {
    this.#pending = new PendingSubmissionStore(page.exercise.id);
    this.line.append(this.#status, " ", this.#actions);
    this.#paint();
    const comments = new CommentsCard(service, page.exercise.id);
    certificates.subscribe(() => {
      this.#paint();
      void this.#loadDueTime();
      page.results.card.after(comments.card);
      void comments.load();
    });
    void sessionLoaded.then(() => {
      this.#paint();
      void this.#resume();
    });
  }

  /** Load the due time, which may differ between people. */
  async #loadDueTime(): Promise<void> {
    const answer = this.service.session && (await this.service.get(`exercises/${this.page.exercise.id}`).catch(() => null));
    const due = (answer as { window?: { due: string | null } } | null)?.window?.due;
    this.#dueTime = due ? formatLocalTime(due) : null;
    this.#paint();
  }

  /** Continue with a submission that was made before this page was loaded. */
  async #resume(): Promise<void> {
    const { session } = this.service;
    const attempt = session && this.#pending.forPerson(session.name);
    if (this.#isBusy || !attempt?.id) return;
    const { source, id } = attempt;
    await this.#whileBusy(source, async () => {
      this.page.results.show(source, "plain", "Your submission is on its way.", "", []);
      await this.#awaitVerdict(source, id);
      this.page.results.markStale(this.page.text());
    });
  }

  async #submit(): Promise<void> {
    const source = this.page.source();
    if (this.#isBusy || source === null) return;
    await this.#whileBusy(source, async () => {
      const me = await this.#ensureSession();
      if (me) await this.#sendSubmission(source, me.name);
    });
  }

  async #whileBusy(source: string, work: () => Promise<void>): Promise<void> {
    this.#setBusy(true);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#showError(source, error);
    } finally {
      this.#setBusy(false);
    }
  }

  async #ensureSession(): Promise<Session | null> {
    if (this.service.session ?? (await this.service.loadSession())) return this.service.session;
    await this.#openSignIn();
    return this.service.session;
  }

  async #openSignIn(): Promise<void> {
    if (await askToSignIn(this.service)) await certificates.load();
    this.#paint();
    await this.#resume();
  }

  async #signOut(): Promise<void> {
    await this.service.signOut().catch(() => null);
    this.service.session = null;
    await certificates.load();
    this.#paint();
  }

  async #sendSubmission(source: string, person: string): Promise<void> {
    const { exercise, results } = this.page;
    results.show(source, "plain", "Your submission is on its way.", "", []);
    const attempt = this.#pendingFor(source, person);
    this.#pending.store(attempt);
    const sent = await this.service.submit(exercise.id, source, attempt.key);
    this.#pending.store({ ...attempt, id: sent.id });
    results.showSentence(stateSentence(sent));
    await this.#awaitVerdict(source, sent.id);
  }

  /** Track a submission to its verdict, and show the verdict. */
  async #awaitVerdict(source: string, id: string): Promise<void> {
    const { results } = this.page;
    const last = await trackSubmission(this.service, id, (state) => results.showSentence(stateSentence(state)), () => results.showSentence(SILENCE_SENTENCE));
    if (last.state !== "parked") {
      const verdict = (await this.service.verdict(id)) as Verdict;
      this.#pending.clear();
      this.page.showVerdict(source, verdict);
      await certificates.load();
    }
  }

  /** Return the pending submission of a text. A lost answer must not cause a second one, so its key stays. */
  #pendingFor(source: string, person: string): PendingSubmission {
    const latest = this.#pending.forPerson(person);
    if (latest?.id === null && latest.source === source) return latest;
    return { source, key: uniqueKey(), person, id: null };
  }

  #showError(source: string, { status, message, seconds }: ServiceError): void {
    this.page.results.show(source, "bad", message, "", []);
    if (status === 404 || status === 409) this.#pending.clear();
    if (status === 401 || status === 403) this.service.session = null; // the next submission asks to sign in
    if (seconds > 0 && status === 429) this.#showWait(Math.ceil(seconds));
    this.#paint();
  }

  /** Count down the seconds to wait on the button. */
  #showWait(seconds: number): void {
    this.button.textContent = seconds > 0 ? `Submit again in ${seconds} s` : "Submit for grading";
    this.button.disabled = seconds > 0;
    if (seconds > 0) setTimeout(() => this.#showWait(seconds - 1), 1000);
  }

  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    this.button.setAttribute("aria-disabled", String(isBusy));
  }

  #paint(): void {
    const { session } = this.service;
    if (session === null) {
      this.#status.textContent = "Not signed in: what you submit is graded by the service once you are.";
      this.#actions.replaceChildren(button("Sign in", () => void this.#openSignIn(), { class: "link" }));
      return;
    }
    this.#status.replaceChildren("Signed in as ", element("b", {}, session.name), ".", ...this.#renderCertificate(), this.#dueTime ? ` Due ${this.#dueTime}.` : "");
    this.#actions.replaceChildren(button("Sign out", () => void this.#signOut(), { class: "link" }));
  }

  #renderCertificate(): (Node | string)[] {
    const best = certificates.forExercise(this.page.exercise.id);
    if (best === null) return [];
    const points = `${best.score}/${pluralize(best.max_score, "point")}`;
    if (!best.passed) return [` Best of what you submitted: ${points}.`];
    return [" ", element("b", { class: "certified" }, "Certified"), `: ${points}, ${best.xp} XP.`];
  }
}

function stateSentence({ state, position }: SubmissionState): string {
  if (state === "parked") return PARKED_SENTENCE;
  if (state === "graded") return "Graded.";
  if (!position) return "Next in the queue.";
  return `In the queue, behind ${pluralize(position, "other")}${position < MAX_POSITION ? "" : " or more"}.`;
}
