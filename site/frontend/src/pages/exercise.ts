/** An exercise's page: from something to read to something to solve. */

import { button, element, findElement } from "../dom";
import { loadExercise } from "../solve/exercise";
import { startJumpBar } from "../solve/jump-bar";
import { pageSignal } from "../page-signal";
import { navigateInPlace } from "../navigation";

async function openExercise(): Promise<void> {
  // Asked for at once, and only what the page needs: a prediction has no use for the editor.
  const here = pageSignal();
  const work = isPrediction() ? import("../solve/prediction") : import("../solve/workbench");
  const [exercise, parts] = await Promise.all([loadExercise(), work]);
  if (exercise === null || here.aborted) return;
  if ("Prediction" in parts) new parts.Prediction(exercise);
  else new parts.Workbench(exercise);
  startJumpBar();
}

function isPrediction(): boolean {
  return findElement("#bench", HTMLElement).dataset.kind === "predict";
}

function openOrReport(): void {
  const here = pageSignal();
  const opened = openExercise().finally(() => delete document.documentElement.dataset.awaiting);
  opened.catch((error: unknown) => {
    if (here.aborted) return; // what was loaded found another page
    const again = button("Try again", () => (said.remove(), openOrReport()), { class: "link" });
    const reason = `The editor could not be loaded: ${String(error)}. `;
    const said = element("p", { class: "problem", role: "alert" }, reason, again);
    findElement("#bench", HTMLElement).before(said);
  });
}

openOrReport();
navigateInPlace();
