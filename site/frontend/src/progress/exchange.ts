/**
 * A history as JSON: what the browser keeps, and what `etude progress export` and `import` write and
 * read. What comes in is checked field by field, by the rules of grader.progress.exchange.
 */

import { type Attempt, type Broken, type GivenUp, type HintTaken, type History, merge, NOTHING, OUTCOMES } from "./history";

const NAME = "etude_progress";
const VERSION = 1;
const MOST = 10 ** 6;
const LONGEST = 200;
const LONGEST_CALL = 2000;
const ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LINE = /^(?:[^\p{C}\p{Z}]| )*$/u;
const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,6}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Why a text is no history, in a sentence's words. */
export class NoHistory extends Error {}

/** It is one, of a version that is not known here: to be left alone. */
export class NewerHistory extends NoHistory {}

/** The programs that passed, by their exercises. */
export type Programs = Readonly<Record<string, string>>;

/** A history as JSON, an event a line; with the programs that passed, if there are any. */
export function toJson(history: History, programs: Programs = {}): string {
  const parts = (["attempts", "hints", "given_up", "broken"] as const).map((part) => {
    const lines = history[part].map((event) => `\n  ${JSON.stringify(event)}`);
    return `"${part}": [${lines.join(",")}${lines.length > 0 ? "\n" : ""}]`;
  });
  if (Object.keys(programs).length > 0) parts.push(`"programs": ${JSON.stringify(programs, null, 2)}`);
  return `{\n"${NAME}": ${VERSION},\n${parts.join(",\n")}\n}\n`;
}

/** The programs beside a history. Throws `NoHistory`. */
export function programsIn(text: string): Programs {
  const data = parse(text);
  const programs = isObject(data) ? (data.programs ?? {}) : {};
  if (!isObject(programs)) throw new NoHistory(`programs: expected a mapping, found ${found(programs)}`);
  for (const [id, source] of Object.entries(programs)) {
    readExercise(id);
    if (typeof source !== "string") throw new NoHistory(`programs, ${id}: expected a text, found ${found(source)}`);
  }
  return programs as Programs;
}

/** Read a history. Throws `NoHistory`, which names the place. */
export function fromJson(text: string): History {
  const data = parse(text);
  if (!isObject(data) || !(NAME in data)) throw new NoHistory(`it has no “${NAME}”`);
  const version = data[NAME];
  if (Number.isInteger(version) && Number(version) > VERSION) {
    throw new NewerHistory(`it has version ${version} of the format, and known is ${VERSION}`);
  }
  if (version !== VERSION) throw new NoHistory(`“${NAME}” is ${found(version)}, not ${VERSION}`);
  return merge(NOTHING, {
    attempts: events(data, "attempts", ATTEMPT),
    hints: events(data, "hints", HINT),
    given_up: events(data, "given_up", GIVEN_UP),
    broken: events(data, "broken", BROKEN),
  });
}

type Readers<Event> = { readonly [Field in keyof Event]-?: (value: unknown) => Event[Field] };

const ATTEMPT: Readers<Attempt> = {
  exercise: readExercise,
  at: readInstant,
  day: readDay,
  outcome: readOutcome,
  score: readCount,
  max_score: readCount,
  xp: readCount,
  diagnosis: readText,
  submission: readText,
  definition: readText,
  grader: readText,
  sandbox: readText,
};
const HINT: Readers<HintTaken> = {
  exercise: readExercise,
  number: readCount,
  price: readCount,
  at: readInstant,
};
const GIVEN_UP: Readers<GivenUp> = { exercise: readExercise, at: readInstant };
const BROKEN: Readers<Broken> = {
  exercise: readExercise,
  misconception: readText,
  call: (value) => readText(value, LONGEST_CALL),
  at: readInstant,
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoHistory("it is not JSON");
  }
}

function events<Event>(data: object, part: string, readers: Readers<Event>): Event[] {
  const listed: unknown = part in data ? data[part as keyof typeof data] : [];
  if (!Array.isArray(listed)) throw new NoHistory(`${part}: expected a list, found ${found(listed)}`);
  return listed.map((item: unknown, index) => {
    try {
      return event(item, readers);
    } catch (error) {
      if (!(error instanceof NoHistory)) throw error;
      throw new NoHistory(`${part}, entry ${index + 1}: ${error.message}`);
    }
  });
}

function event<Event>(item: unknown, readers: Readers<Event>): Event {
  const names = Object.keys(readers) as (keyof Event & string)[];
  if (!isObject(item) || Object.keys(item).sort().join() !== [...names].sort().join()) {
    throw new NoHistory(`expected the fields ${names.join(", ")}`);
  }
  return Object.fromEntries(names.map((name) => [name, readers[name](item[name])])) as Event;
}

function readText(value: unknown, longest = LONGEST): string {
  if (typeof value !== "string" || [...value].length > longest || !LINE.test(value)) {
    throw new NoHistory(`expected a text of a line, found ${found(value)}`);
  }
  return value;
}

function readCount(value: unknown): number {
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > MOST) {
    throw new NoHistory(`expected a whole number from 0 to ${MOST}, found ${found(value)}`);
  }
  return Number(value);
}

function readExercise(value: unknown): string {
  const text = readText(value);
  if (!ID.test(text)) throw new NoHistory(`expected the id of an exercise, found ${found(value)}`);
  return text;
}

function readOutcome(value: unknown): Attempt["outcome"] {
  const outcome = OUTCOMES.find((each) => each === value);
  if (outcome === undefined) throw new NoHistory(`expected an outcome, found ${found(value)}`);
  return outcome;
}

function readDay(value: unknown): string {
  const text = readText(value);
  if (!DAY.test(text) || !isDate(text)) throw new NoHistory(`expected a date, found ${found(value)}`);
  return text;
}

/** Microseconds are kept, which a Date cannot: they are part of an attempt's name. */
function readInstant(value: unknown): string {
  const [, day = "", time, fraction = "", zone = ""] = INSTANT.exec(readText(value)) ?? [];
  const seconds = isDate(day) ? Date.parse(`${day}T${time}${zone}`) : NaN;
  const utc = Number.isNaN(seconds) ? "" : new Date(seconds).toISOString().slice(0, -"000Z".length);
  if (!isDate(utc.slice(0, "2026-01-01".length))) {
    throw new NoHistory(`expected a time with its zone, found ${found(value)}`);
  }
  return `${utc}${fraction.padEnd(6, "0")}+00:00`;
}

function isDate(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return day > "0001" && !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${day}T`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function found(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 40);
}
