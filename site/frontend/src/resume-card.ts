/** The card that says where to begin, and later where to go on. */

import { type CourseExercise, courseExercises } from "./course";
import { find } from "./dom";
import { page } from "./page";
import { progress } from "./progress";
import { size } from "./progress/history";
import { longestAgo, nextUp } from "./progress/status";

interface Words {
  readonly title: string;
  readonly what: string;
  readonly where: string;
  readonly action: string;
  readonly href: string;
}

/** Keep the card up to date. Where nothing was done it stays as it was built. */
export function keepResumeUpToDate(): void {
  const card = document.getElementById("resume");
  if (!card) return;
  const course = courseExercises();
  const built = read(card);
  const paint = (): void => write(card, size(progress.history) ? wordsFor(course) : built);
  paint();
  progress.subscribe(paint);
}

function wordsFor(course: readonly CourseExercise[]): Words {
  const last = progress.history.attempts.at(-1)?.exercise;
  const track = course.find(({ id }) => id === last)?.track;
  const own = course.filter((each) => each.track === track);
  const next = nextUp(progress.history, own) ?? nextUp(progress.history, course); // a track is left when it is done
  if (next === null) {
    const again = longestAgo(progress.history, course);
    const what = "You have done every exercise here.";
    const where = `The one that you tried the longest ago: ${again.title}`;
    return { title: "All done", what, where, action: "Write it again", href: page.root + again.path };
  }
  const { exercise, begun } = next;
  return {
    title: begun ? "Continue where you left off" : "Up next",
    what: exercise.title,
    where: [exercise.lesson, exercise.track].filter(Boolean).join(" · "),
    action: begun ? "Go on" : "Start",
    href: page.root + exercise.path,
  };
}

function parts(card: HTMLElement): [HTMLElement, HTMLElement, HTMLElement, HTMLAnchorElement] {
  return [
    find("h2", HTMLElement, card),
    find(".resume-what", HTMLElement, card),
    find(".resume-where", HTMLElement, card),
    find("a", HTMLAnchorElement, card),
  ];
}

function read(card: HTMLElement): Words {
  const [title, what, where, link] = parts(card);
  return {
    title: title.textContent ?? "",
    what: what.textContent ?? "",
    where: where.textContent ?? "",
    action: link.textContent ?? "",
    href: link.href,
  };
}

function write(card: HTMLElement, words: Words): void {
  const [title, what, where, link] = parts(card);
  title.textContent = words.title;
  what.textContent = words.what;
  where.textContent = words.where;
  link.textContent = words.action;
  link.href = words.href;
}
