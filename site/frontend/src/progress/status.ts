/**
 * The status of each exercise, derived from a history by the rules of grader.progress.status. Both pass the
 * cases of site/frontend/tests/cases.json.
 */

import { type Attempt, type BrokenProgram, type History, isSelfReported, type Surrender, type TakenHint } from "./history";

export type State = "new" | "tried" | "passed" | "given up";

/** A learner's status in one exercise. */
export interface ExerciseStatus {
  readonly state: State;
  readonly attempts: number;
  readonly failures: number; // since the last hint or pass
  readonly hints: number; // the highest number taken
  readonly paid: number; // XP for hints before the first pass
  readonly earned: number;
  readonly gaveUp: boolean; // before the first pass
  readonly passedAt: string | null;
  readonly selfReported: boolean; // passed, but only in the browser
  readonly broken: number; // the number of wrong programs
  readonly isDone: boolean; // nothing is left to earn
}

const MAX_REWARDED_BREAKS = 3; // wrong programs of an exercise that earn an XP each

export const INITIAL_STATUS: ExerciseStatus = {
  state: "new",
  attempts: 0,
  failures: 0,
  hints: 0,
  paid: 0,
  earned: 0,
  gaveUp: false,
  passedAt: null,
  selfReported: false,
  broken: 0,
  isDone: false,
};

/** Return the XP that a first pass would earn now, for an exercise with `xp` points. */
export function availableXp(status: ExerciseStatus, xp: number): number {
  return status.isDone ? 0 : Math.max(0, xp - status.paid);
}

/** Return the status of every exercise in a history. */
export function exerciseStatuses(history: History): Map<string, ExerciseStatus> {
  const events = [...history.attempts, ...history.hints, ...history.given_up, ...history.broken];
  const ids = new Set(events.map(({ exercise }) => exercise));
  return new Map([...ids].map((exercise) => [exercise, exerciseStatus(history, exercise)]));
}

export function exerciseStatus(history: History, exercise: string): ExerciseStatus {
  const belongs = (event: { exercise: string }): boolean => event.exercise === exercise;
  return deriveStatus(history.attempts.filter(belongs), history.hints.filter(belongs), history.given_up.filter(belongs), history.broken.filter(belongs));
}

export function totalXp(statuses: Iterable<ExerciseStatus>): number {
  return [...statuses].reduce((sum, { earned, broken }) => sum + earned + Math.min(broken, MAX_REWARDED_BREAKS), 0);
}

function deriveStatus(attempts: Attempt[], hints: TakenHint[], givenUp: Surrender[], broken: BrokenProgram[]): ExerciseStatus {
  const passes = attempts.filter(({ outcome }) => outcome === "passed");
  const firstPass = passes[0];
  const isBefore = ({ at }: { at: string }): boolean => firstPass === undefined || at <= firstPass.at;
  const hintCosts = hints.filter(isBefore).reduce((sum, { price }) => sum + price, 0);
  const gaveUp = givenUp.some(isBefore);
  const state = firstPass ? "passed" : gaveUp ? "given up" : attempts.length > 0 ? "tried" : "new";
  return {
    state,
    attempts: attempts.length,
    failures: countFailures(attempts, hints),
    hints: Math.max(0, ...hints.map(({ number }) => number)),
    paid: hintCosts,
    earned: firstPass && !gaveUp ? Math.max(0, firstPass.xp - hintCosts) : 0,
    gaveUp,
    passedAt: firstPass?.at ?? null,
    selfReported: firstPass !== undefined && passes.every(isSelfReported),
    broken: broken.length,
    isDone: state === "passed" || state === "given up",
  };
}

function countFailures(attempts: Attempt[], hints: TakenHint[]): number {
  const lastHint = hints.at(-1)?.at ?? "";
  const last = attempts.findLastIndex(({ outcome, at }) => outcome === "passed" || at <= lastHint);
  return attempts.length - 1 - last;
}

/** Lengths in days. A pass of yesterday keeps `current` alive today. */
export interface Streak {
  readonly current: number;
  readonly longest: number;
}

/** Count the days in a row, in the learner's time zone, with a pass. */
export function computeStreak(history: History, today: string): Streak {
  const passes = history.attempts.filter(({ outcome }) => outcome === "passed");
  const days = [...new Set(passes.map(({ day }) => dayNumber(day)))].sort((a, b) => a - b);
  let run = 0;
  let longest = 0;
  days.forEach((day, index) => {
    run = days[index - 1] === day - 1 ? run + 1 : 1;
    longest = Math.max(longest, run);
  });
  const isAlive = (days.at(-1) ?? -Infinity) >= dayNumber(today) - 1;
  return { current: isAlive ? run : 0, longest };
}

/** An exercise that was passed, and the day of the last attempt. */
export interface DueReview {
  readonly exercise: string;
  readonly day: string;
}

const REVIEW_DAYS = 14;

/** Return the exercises that were passed and not tried for two weeks, the oldest first. */
export function dueForReview(history: History, today: string): DueReview[] {
  const passedIds = new Set<string>();
  const lastDays = new Map<string, string>();
  for (const { exercise, outcome, day } of history.attempts) {
    if (outcome === "passed") passedIds.add(exercise);
    lastDays.set(exercise, day);
  }
  const due = [...lastDays].filter(([exercise, day]) => passedIds.has(exercise) && dayNumber(day) <= dayNumber(today) - REVIEW_DAYS);
  return due.map(([exercise, day]) => ({ exercise, day })).sort((a, b) => dayNumber(a.day) - dayNumber(b.day));
}

function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 86_400_000;
}

/** Return the exercise whose last attempt is the oldest; one without attempts comes first. */
export function leastRecentlyTried<Exercise extends { readonly id: string }>(history: History, order: readonly Exercise[]): Exercise {
  const lastAttempts = new Map(history.attempts.map(({ exercise, at }) => [exercise, at]));
  const lastAttempt = ({ id }: Exercise): string => lastAttempts.get(id) ?? "";
  return order.reduce((oldest, each) => (lastAttempt(each) < lastAttempt(oldest) ? each : oldest));
}

/** The part of an exercise that decides the order of work. */
export interface ExerciseEntry {
  readonly id: string;
  readonly requires: readonly string[];
}

/** The exercise to continue with; `isStarted` if it was tried last and is not passed yet. */
export interface NextExercise<Exercise extends ExerciseEntry> {
  readonly exercise: Exercise;
  readonly isStarted: boolean;
}

/** Return the exercise that was tried last, or else the one that follows it; null if all are done. */
export function nextExercise<Exercise extends ExerciseEntry>(
  history: History,
  order: readonly Exercise[],
): NextExercise<Exercise> | null {
  const statuses = exerciseStatuses(history);
  const isDone = (id: string): boolean => statuses.get(id)?.isDone ?? false;
  const last = history.attempts.at(-1)?.exercise;
  const lastExercise = order.find(({ id }) => id === last);
  if (lastExercise && !isDone(lastExercise.id)) return { exercise: lastExercise, isStarted: true };
  const following = nextOpenExercise(order, isDone, last);
  return following && { exercise: following, isStarted: false };
}

/**
 * Return the first open exercise whose requirements are all done, searching from `after` to the end and then
 * from the beginning; without one, the first open exercise.
 */
function nextOpenExercise<Exercise extends ExerciseEntry>(
  order: readonly Exercise[],
  isDone: (id: string) => boolean,
  after: string | undefined,
): Exercise | null {
  const begin = order.findIndex(({ id }) => id === after) + 1;
  const rotated = [...order.slice(begin), ...order.slice(0, begin)];
  const candidates = rotated.filter(({ id }) => !isDone(id) && id !== after);
  return candidates.find(({ requires }) => requires.every(isDone)) ?? candidates[0] ?? null;
}
