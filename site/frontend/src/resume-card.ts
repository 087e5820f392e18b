/** The card with the first exercise, and later with the exercise to continue. */

import { type CourseExercise, readCourseExercises } from "./course";
import { findElement } from "./dom";
import { page } from "./page";
import { progress } from "./progress";
import { countEntries } from "./progress/history";
import { leastRecentlyTried, nextExercise } from "./progress/status";

interface CardText {
  readonly title: string;
  readonly what: string;
  readonly where: string;
  readonly action: string;
  readonly href: string;
}

/** Update the card after each change of the record. With an empty record it shows the built text. */
export function startResumeCard(): void {
  const card = document.getElementById("resume");
  if (!card) return;
  const course = readCourseExercises();
  const builtText = readCard(card);
  const paint = (): void => writeCard(card, countEntries(progress.history) ? cardText(course) : builtText);
  paint();
  progress.subscribe(paint);
}

function cardText(course: readonly CourseExercise[]): CardText {
  const last = progress.history.attempts.at(-1)?.exercise;
  const track = course.find(({ id }) => id === last)?.track;
  const trackExercises = course.filter((each) => each.track === track);
  const next = nextExercise(progress.history, trackExercises) ?? nextExercise(progress.history, course); // after a finished track, the others
  if (next === null) {
    const exercise = leastRecentlyTried(progress.history, course);
    const what = "You have done every exercise here.";
    const where = `The one that you tried the longest ago: ${exercise.title}`;
    return { title: "All done", what, where, action: "Write it again", href: page.root + exercise.path };
  }
  const { exercise, isStarted } = next;
  return {
    title: isStarted ? "Continue where you left off" : "Up next",
    what: exercise.title,
    where: [exercise.lesson, exercise.track].filter(Boolean).join(" · "),
    action: isStarted ? "Go on" : "Start",
    href: page.root + exercise.path,
  };
}

function cardParts(card: HTMLElement): [HTMLElement, HTMLElement, HTMLElement, HTMLAnchorElement] {
  return [
    findElement("h2", HTMLElement, card),
    findElement(".resume-what", HTMLElement, card),
    findElement(".resume-where", HTMLElement, card),
    findElement("a", HTMLAnchorElement, card),
  ];
}

function readCard(card: HTMLElement): CardText {
  const [title, what, where, link] = cardParts(card);
  return {
    title: title.textContent ?? "",
    what: what.textContent ?? "",
    where: where.textContent ?? "",
    action: link.textContent ?? "",
    href: link.href,
  };
}

function writeCard(card: HTMLElement, words: CardText): void {
  const [title, what, where, link] = cardParts(card);
  title.textContent = words.title;
  what.textContent = words.what;
  where.textContent = words.where;
  link.textContent = words.action;
  link.href = words.href;
}
