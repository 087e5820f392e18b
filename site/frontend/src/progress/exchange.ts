/**
 * A history as JSON, in the browser's storage and in files of `etude progress export` and `import`. Each field
 * is validated by the rules of grader.progress.exchange.
 */

import { type Attempt, type BrokenProgram, EMPTY_HISTORY, type History, mergeHistories, OUTCOMES, type Surrender, type TakenHint } from "./history";

const FORMAT_NAME = "etude_progress";
const FORMAT_VERSION = 1;
const MAX_NUMBER = 10 ** 6;
const MAX_TEXT = 200;
const MAX_CALL = 2000;
const ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LINE = /^(?:[^\p{C}\p{Z}]| )*$/u;
const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,6}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A text that is not a valid history; the message completes the sentence "this is no history: …". */
export class InvalidHistory extends Error {}

/** A history of a newer version of the format, which must not be overwritten. */
export class NewerFormat extends InvalidHistory {}

/** The programs that passed, by exercise. */
export type Programs = Readonly<Record<string, string>>;

/** Write a history as JSON, an event a line, with the programs that passed. */
export function toJson(history: History, programs: Programs = {}): string {
  const parts = (["attempts", "hints", "given_up", "broken"] as const).map((part) => {
    const lines = history[part].map((event) => `\n  ${JSON.stringify(event)}`);
    return `"${part}": [${lines.join(",")}${lines.length > 0 ? "\n" : ""}]`;
  });
  if (Object.keys(programs).length > 0) parts.push(`"programs": ${JSON.stringify(programs, null, 2)}`);
  return `{\n"${FORMAT_NAME}": ${FORMAT_VERSION},\n${parts.join(",\n")}\n}\n`;
}

/** Read the programs in the file of a history. Throws `InvalidHistory`. */
export function readPrograms(text: string): Programs {
  const data = parseJson(text);
  const programs = isObject(data) ? (data.programs ?? {}) : {};
  if (!isObject(programs)) throw new InvalidHistory(`programs: expected a mapping, found ${excerpt(programs)}`);
  for (const [id, source] of Object.entries(programs)) {
    readExercise(id);
    if (typeof source !== "string") throw new InvalidHistory(`programs, ${id}: expected a text, found ${excerpt(source)}`);
  }
  return programs as Programs;
}

/** Read a history. Throws `InvalidHistory`, which names the place. */
export function fromJson(text: string): History {
  const data = parseJson(text);
  if (!isObject(data) || !(FORMAT_NAME in data)) throw new InvalidHistory(`it has no “${FORMAT_NAME}”`);
  const version = data[FORMAT_NAME];
  if (Number.isInteger(version) && Number(version) > FORMAT_VERSION) {
    throw new NewerFormat(`it has version ${version} of the format, and known is ${FORMAT_VERSION}`);
  }
  if (version !== FORMAT_VERSION) throw new InvalidHistory(`“${FORMAT_NAME}” is ${excerpt(version)}, not ${FORMAT_VERSION}`);
  return mergeHistories(EMPTY_HISTORY, {
    attempts: readEvents(data, "attempts", ATTEMPT),
    hints: readEvents(data, "hints", HINT),
    given_up: readEvents(data, "given_up", GIVEN_UP),
    broken: readEvents(data, "broken", BROKEN),
  });
}

type FieldReaders<Event> = { readonly [Field in keyof Event]-?: (value: unknown) => Event[Field] };

const ATTEMPT: FieldReaders<Attempt> = {
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
const HINT: FieldReaders<TakenHint> = {
  exercise: readExercise,
  number: readCount,
  price: readCount,
  at: readInstant,
};
const GIVEN_UP: FieldReaders<Surrender> = { exercise: readExercise, at: readInstant };
const BROKEN: FieldReaders<BrokenProgram> = {
  exercise: readExercise,
  misconception: readText,
  call: (value) => readText(value, MAX_CALL),
  at: readInstant,
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidHistory("it is not JSON");
  }
}

function readEvents<Event>(data: object, part: string, readers: FieldReaders<Event>): Event[] {
  const list: unknown = part in data ? data[part as keyof typeof data] : [];
  if (!Array.isArray(list)) throw new InvalidHistory(`${part}: expected a list, found ${excerpt(list)}`);
  return list.map((item: unknown, index) => {
    try {
      return readEvent(item, readers);
    } catch (error) {
      if (!(error instanceof InvalidHistory)) throw error;
      throw new InvalidHistory(`${part}, entry ${index + 1}: ${error.message}`);
    }
  });
}

function readEvent<Event>(item: unknown, readers: FieldReaders<Event>): Event {
  const names = Object.keys(readers) as (keyof Event & string)[];
  if (!isObject(item) || Object.keys(item).sort().join() !== [...names].sort().join()) {
    throw new InvalidHistory(`expected the fields ${names.join(", ")}`);
  }
  return Object.fromEntries(names.map((name) => [name, readers[name](item[name])])) as Event;
}

function readText(value: unknown, longest = MAX_TEXT): string {
  if (typeof value !== "string" || [...value].length > longest || !LINE.test(value)) {
    throw new InvalidHistory(`expected a text of a line, found ${excerpt(value)}`);
  }
  return value;
}

function readCount(value: unknown): number {
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > MAX_NUMBER) {
    throw new InvalidHistory(`expected a whole number from 0 to ${MAX_NUMBER}, found ${excerpt(value)}`);
  }
  return Number(value);
}

function readExercise(value: unknown): string {
  const text = readText(value);
  if (!ID.test(text)) throw new InvalidHistory(`expected the id of an exercise, found ${excerpt(value)}`);
  return text;
}

function readOutcome(value: unknown): Attempt["outcome"] {
  const outcome = OUTCOMES.find((each) => each === value);
  if (outcome === undefined) throw new InvalidHistory(`expected an outcome, found ${excerpt(value)}`);
  return outcome;
}

function readDay(value: unknown): string {
  const text = readText(value);
  if (!DAY.test(text) || !isDate(text)) throw new InvalidHistory(`expected a date, found ${excerpt(value)}`);
  return text;
}

/** Read an instant with its microseconds, which a Date lacks: they identify an attempt. */
function readInstant(value: unknown): string {
  const [, day = "", time, fraction = "", zone = ""] = INSTANT.exec(readText(value)) ?? [];
  const seconds = isDate(day) ? Date.parse(`${day}T${time}${zone}`) : NaN;
  const utc = Number.isNaN(seconds) ? "" : new Date(seconds).toISOString().slice(0, -"000Z".length);
  if (!isDate(utc.slice(0, "2026-01-01".length))) {
    throw new InvalidHistory(`expected a time with its zone, found ${excerpt(value)}`);
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

function excerpt(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 40);
}
