import { startResumeCard } from "../resume-card";

startResumeCard();

// The first lesson is open as built; open the first one with exercises that are not passed instead.
const stops = [...document.querySelectorAll<HTMLElement>("li.stop")];
const next = stops.find((stop) => stop.querySelector<HTMLElement>(":scope > .state")?.dataset.state !== "passed");
if (next && next !== stops[0]) {
  for (const stop of stops) stop.querySelector("details")?.toggleAttribute("open", stop === next);
}
