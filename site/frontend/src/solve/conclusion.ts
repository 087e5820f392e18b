/** What a verdict means for the learner: it is recorded, and shown with what helps or leads on. */

import { progress } from "../progress";
import { download } from "./download";
import { type Exercise, fileName } from "./exercise";
import type { Help } from "./help";
import { passedPanel } from "./passed";
import { type Around, showVerdict } from "./results";
import type { Verdict } from "./verdict";

const JOIN = " | "; // of the ids of several mistakes, as in a verdict

export interface Judged {
  readonly exercise: Exercise;
  readonly source: string;
  readonly verdict: Verdict;
  readonly isCertified: boolean; // by the service, with the hidden tests
}

/** Record a verdict, unless nothing was judged, and return what is shown of it. */
export function conclude({ exercise, source, verdict, isCertified }: Judged, help: Help, around: Around): Node[] {
  if (verdict.outcome === "not run") return showVerdict(verdict, around);
  const before = progress.standing(exercise.id);
  progress.attempt(recorded(verdict), exercise.xp);
  const inside = showVerdict(verdict, around);
  if (verdict.outcome === "passed") {
    const after = progress.standing(exercise.id);
    const save = (): void => download(fileName(exercise.id), source);
    return [passedPanel(exercise, verdict, before, after, isCertified, save), ...inside];
  }
  const offer = verdict.diagnosis?.hint ? null : help.afterFailures();
  return offer ? [offer, ...inside] : inside;
}

/** The verdict as progress keeps it, with the mistakes in one text. */
function recorded(verdict: Verdict): Parameters<typeof progress.attempt>[0] {
  const { diagnosis } = verdict;
  return { ...verdict, diagnosis: diagnosis && { id: diagnosis.ids.join(JOIN) } };
}
