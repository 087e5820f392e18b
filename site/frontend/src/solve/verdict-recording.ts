/** Recording of a verdict in the learner's progress, and its rendering. */

import { element } from "../dom";
import { download } from "../download";
import { progress } from "../progress";
import { DIAGNOSIS_SEPARATOR } from "../progress/history";
import { reportScore } from "../splice";
import { service } from "../submit/certificates";
import { storePassedProgram } from "./draft";
import { type Exercise, submissionName } from "./exercise";
import type { Help } from "./help";
import { renderPassPanel } from "./pass-panel";
import { renderVerdict, type ResultsContext } from "./results";
import { renderExplanation, renderSolutionComparison, solutionLoader } from "./solution";
import type { Verdict } from "./verdict";

export interface JudgedProgram {
  readonly exercise: Exercise;
  readonly source: string;
  readonly verdict: Verdict;
  readonly isCertified: boolean; // judged by the service, with the hidden tests
}

/** Record a verdict, unless nothing was judged, and render it. */
export function recordVerdict({ exercise, source, verdict, isCertified }: JudgedProgram, help: Help, context: ResultsContext): Node[] {
  if (verdict.outcome === "not run") return renderVerdict(verdict, context);
  // With a service, the page's own verdict is not reported: it lacks the hidden tests.
  if (isCertified || service === null) reportScore(exercise.id, source, verdict.max_score ? verdict.score / verdict.max_score : 0);
  const before = progress.status(exercise.id);
  progress.recordAttempt(toRecordedVerdict(exercise, verdict), exercise.xp);
  const content = renderVerdict(verdict, context);
  if (verdict.outcome === "passed") {
    const after = progress.status(exercise.id);
    storePassedProgram(exercise.id, source);
    const save = (): void => download(submissionName(exercise.id), source);
    const panel = renderPassPanel(exercise, verdict, before, after, isCertified, save);
    return [panel, ...renderSolution(exercise, source, isCertified), ...content];
  }
  const offer = verdict.diagnosis?.hint ? null : help.renderOfferAfterFailures();
  return offer ? [offer, ...content] : content;
}

/** Render the solution beside the learner's program after a pass, if the solution is available. */
function renderSolution(exercise: Exercise, source: string, isCertified: boolean): Node[] {
  const load = solutionLoader(exercise, isCertified);
  if (load === null) return [];
  const place = element("div", { class: "after-pass" });
  const show = async (): Promise<void> => {
    const solution = await load();
    const compared = exercise.kind === "predict" ? [] : renderSolutionComparison(source, solution); // right answers equal the solution
    place.append(...compared, ...renderExplanation(solution));
  };
  show().catch((error: unknown) => place.append(`The solution could not be loaded: ${String(error)}`));
  return [place];
}

/** Return the verdict for the record, with this exercise's id: a forged verdict may name another. */
function toRecordedVerdict({ id: exercise }: Exercise, verdict: Verdict): Parameters<typeof progress.recordAttempt>[0] {
  const { diagnosis } = verdict;
  return { ...verdict, exercise, diagnosis: diagnosis && { id: diagnosis.ids.join(DIAGNOSIS_SEPARATOR) } };
}
