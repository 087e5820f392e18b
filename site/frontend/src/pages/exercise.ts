/** An exercise's page: from something to read to something to solve. */

import { button, element, find } from "../dom";
import { loadExercise } from "../solve/exercise";
import { followJumps } from "../solve/jump-bar";
import { whileHere } from "../page-signal";
import { turnPages } from "../navigation";

async function open(): Promise<void> {
  // Asked for at once, and only what the page needs: a prediction has no use for the editor.
  const here = whileHere();
  const work = isPrediction() ? import("../solve/prediction") : import("../solve/workbench");
  const [exercise, parts] = await Promise.all([loadExercise(), work]);
  if (exercise === null || here.aborted) return;
  if ("Prediction" in parts) new parts.Prediction(exercise);
  else new parts.Bench(exercise);
  followJumps();
}

function isPrediction(): boolean {
  return find("#bench", HTMLElement).dataset.kind === "predict";
}

function openOrSay(): void {
  const here = whileHere();
  const opened = open().finally(() => delete document.documentElement.dataset.awaiting);
  opened.catch((error: unknown) => {
    if (here.aborted) return; // what was loaded found another page
    const again = button("Try again", () => (said.remove(), openOrSay()), { class: "link" });
    const reason = `The editor could not be loaded: ${String(error)}. `;
    const said = element("p", { class: "problem", role: "alert" }, reason, again);
    find("#bench", HTMLElement).before(said);
  });
}

openOrSay();
turnPages();
