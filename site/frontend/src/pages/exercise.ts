/** The page of an exercise: loads the workbench, or the form of a prediction. */

import { button, element, findElement } from "../dom";
import { loadExercise } from "../solve/exercise";
import { startJumpBar } from "../solve/jump-bar";
import { pageSignal } from "../page-signal";
import { navigateInPlace } from "../navigation";

async function openExercise(): Promise<void> {
  // Load in parallel, and only the necessary modules: a prediction needs no editor.
  const signal = pageSignal();
  const isPrediction = findElement("#bench", HTMLElement).dataset.kind === "predict";
  const work = isPrediction ? import("../solve/prediction") : import("../solve/workbench");
  const [exercise, parts] = await Promise.all([loadExercise(), work]);
  if (exercise === null || signal.aborted) return;
  if ("Prediction" in parts) new parts.Prediction(exercise);
  else new parts.Workbench(exercise);
  startJumpBar();
}

function openOrReport(): void {
  const signal = pageSignal();
  const opening = openExercise().finally(() => delete document.documentElement.dataset.awaiting);
  opening.catch((error: unknown) => {
    if (signal.aborted) return; // the learner has gone to another page
    const retry = button("Try again", () => (problem.remove(), openOrReport()), { class: "link" });
    const reason = `The editor could not be loaded: ${String(error)}. `;
    const problem = element("p", { class: "problem", role: "alert" }, reason, retry);
    findElement("#bench", HTMLElement).before(problem);
  });
}

openOrReport();
navigateInPlace();
