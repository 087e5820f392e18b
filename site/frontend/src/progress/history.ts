/** A learner's history: attempts, hints, surrenders and broken programs. The twin of grader.progress.history. */

export const OUTCOMES = [
  "passed",
  "failed",
  "errored",
  "timed out",
  "out of memory",
  "output limit",
  "not run",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** One verdict on one submission. The names are those of the exchange format. */
export interface Attempt {
  readonly exercise: string;
  readonly at: string; // an instant in UTC in one fixed form, so that texts sort by time
  readonly day: string; // the date in the learner's time zone
  readonly outcome: Outcome;
  readonly score: number;
  readonly max_score: number;
  readonly xp: number; // the exercise's XP if it passed, else 0
  readonly diagnosis: string;
  readonly submission: string; // SHA-256 of the program
  readonly definition: string; // SHA-256 of the exercise
  readonly grader: string; // the version
  readonly sandbox: string; // the name of the sandbox
}

export interface TakenHint {
  readonly exercise: string;
  readonly number: number; // counted from 1
  readonly price: number;
  readonly at: string;
}

/** An exercise whose solution was shown before it was passed. */
export interface Surrender {
  readonly exercise: string;
  readonly at: string;
}

/** A wrong program that the learner has shown to be wrong, by a call. */
export interface BrokenProgram {
  readonly exercise: string;
  readonly misconception: string;
  readonly call: string;
  readonly at: string;
}

/** The events of each kind, in order of time. */
export interface History {
  readonly attempts: readonly Attempt[];
  readonly hints: readonly TakenHint[];
  readonly given_up: readonly Surrender[];
  readonly broken: readonly BrokenProgram[];
}

export const EMPTY_HISTORY: History = { attempts: [], hints: [], given_up: [], broken: [] };

/** The separator of the ids of several mistakes in an attempt's diagnosis. */
export const DIAGNOSIS_SEPARATOR = " | ";

/** The sandbox name of attempts in a page: uncertified, and of visible tests alone. */
export const BROWSER_SANDBOX = "browser";

export function isSelfReported(attempt: Attempt): boolean {
  return attempt.sandbox === BROWSER_SANDBOX;
}

export function countEntries(history: History): number {
  return entryKeys(history).length;
}

/**
 * Merge two histories without duplicates. Attempts are equal if their time and program are; of equal hints,
 * surrenders and broken programs the earliest counts.
 */
export function mergeHistories(one: History, other: History): History {
  return {
    attempts: mergeEvents(one.attempts, other.attempts, ({ exercise, at, submission }) =>
      [exercise, at, submission].join(" "),
    ),
    hints: mergeEvents(one.hints, other.hints, ({ exercise, number }) => `${exercise} ${number}`),
    given_up: mergeEvents(one.given_up, other.given_up, ({ exercise }) => exercise),
    broken: mergeEvents(one.broken, other.broken, ({ exercise, misconception }) => `${exercise} ${misconception}`),
  };
}

function mergeEvents<Event extends { at: string }>(
  one: readonly Event[],
  other: readonly Event[],
  name: (event: Event) => string,
): Event[] {
  const eventsByName = new Map<string, Event>();
  for (const event of [...one, ...other]) {
    const earlier = eventsByName.get(name(event));
    if (earlier === undefined || event.at < earlier.at) eventsByName.set(name(event), event);
  }
  return [...eventsByName.values()].sort((a, b) => compareTexts(a.at, b.at));
}

/** Count the entries of a history that are not in another one, or are earlier than there. */
export function countNew(history: History, known: History): number {
  const knownKeys = new Set(entryKeys(known));
  return entryKeys(mergeHistories(known, history)).filter((entry) => !knownKeys.has(entry)).length;
}

function entryKeys({ attempts, hints, given_up, broken }: History): string[] {
  return [
    ...attempts.map(({ exercise, at, submission }) => `attempt ${exercise} ${at} ${submission}`),
    ...hints.map(({ exercise, number, at }) => `hint ${exercise} ${number} ${at}`),
    ...given_up.map(({ exercise, at }) => `surrender ${exercise} ${at}`),
    ...broken.map(({ exercise, misconception, at }) => `broken ${exercise} ${misconception} ${at}`),
  ];
}

/** Compare two texts by code units, which sorts instants by time. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Format a time as the record holds it, with microseconds. */
export function formatInstant(time: Date): string {
  return time.toISOString().replace("Z", "000+00:00");
}

/** Format the date in the learner's time zone. */
export function toLocalDay(time: Date): string {
  const [month, day] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${String(time.getFullYear()).padStart(4, "0")}-${month}-${day}`;
}
