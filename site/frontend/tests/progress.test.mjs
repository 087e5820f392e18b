// The learner's record: the rules that it shares with the command line, and storage that fails.
import assert from "node:assert/strict";
import test from "node:test";
import { fromJson, InvalidHistory, NewerFormat, readPrograms, toJson } from "../src/progress/exchange.ts";
import { countEntries, countNew, EMPTY_HISTORY, formatInstant, mergeHistories, toLocalDay } from "../src/progress/history.ts";
import { LearnersRecord, RECORD_KEY, UNREADABLE_KEY } from "../src/progress/record.ts";
import { availableXp, computeStreak, dueForReview, exerciseStatuses, INITIAL_STATUS, leastRecentlyTried, nextExercise, totalXp } from "../src/progress/status.ts";
import table from "./cases.json";

const ATTEMPT = {
  exercise: "softmax",
  at: "2026-03-01T09:00:00.123456+00:00",
  day: "2026-03-01",
  outcome: "passed",
  score: 1,
  max_score: 2,
  xp: 0,
  diagnosis: "",
  submission: "ab",
  definition: "cd",
  grader: "1.0",
  sandbox: "namespaces",
};
const HINT = { exercise: "mask", number: 1, price: 2, at: "2026-03-01T09:01:00.000000+00:00" };
const PASSED = { ...EMPTY_HISTORY, attempts: [ATTEMPT] };
const HINTED = { ...EMPTY_HISTORY, hints: [HINT] };

/** The whole form of a history that the table writes in short. */
function written(history) {
  const attempts = (history.attempts ?? []).map((each) => ({ ...ATTEMPT, day: each.at.slice(0, 10), ...each }));
  return JSON.stringify({ etude_progress: 1, ...history, attempts });
}

/** A standing in the table's words. */
function inWords({ gaveUp, passedAt, selfReported, isDone, ...rest }) {
  assert.equal(isDone, rest.state === "passed" || rest.state === "given up");
  const at = passedAt?.replace(".000000", "") ?? null;
  return { ...rest, gave_up: gaveUp, passed_at: at, self_reported: selfReported };
}

for (const each of table.cases) {
  test(each.name, () => {
    const history = fromJson(written(each.history));
    const known = exerciseStatuses(history);
    const order = Object.entries(table.requires).map(([id, requires]) => ({ id, requires }));
    const next = nextExercise(history, order);

    const expected = Object.entries(each.standings).map(([id, fields]) => [id, { ...inWords(INITIAL_STATUS), ...fields }]);
    assert.deepEqual(
      Object.fromEntries([...known].map(([id, standing]) => [id, inWords(standing)])),
      Object.fromEntries(expected),
    );
    assert.equal(totalXp(known.values()), each.xp);
    assert.deepEqual(computeStreak(history, each.today), { current: each.streak[0], longest: each.streak[1] });
    assert.deepEqual(next && [next.exercise.id, next.isStarted], each.next);
  });
}

for (const [name, text] of table.not_histories) {
  test(`${name} is no history`, () => {
    assert.throws(() => fromJson(text), InvalidHistory);
  });
}

test("a first pass is worth what hints leave, and nothing once it is done", () => {
  assert.equal(availableXp(INITIAL_STATUS, 10), 10);
  assert.equal(availableXp({ ...INITIAL_STATUS, paid: 3 }, 10), 7);
  assert.equal(availableXp({ ...INITIAL_STATUS, paid: 30 }, 10), 0);
  assert.equal(availableXp({ ...INITIAL_STATUS, isDone: true }, 10), 0);
});

test("JSON brings everything back, to the microsecond", () => {
  const history = mergeHistories(mergeHistories(PASSED, HINTED), { ...EMPTY_HISTORY, given_up: [{ exercise: "heads", at: HINT.at }] });
  assert.deepEqual(fromJson(toJson(history)), history);
  assert.deepEqual(fromJson(toJson(EMPTY_HISTORY)), EMPTY_HISTORY);
});

test("a time of any zone becomes the same instant", () => {
  const at = (text) => fromJson(written({ given_up: [{ exercise: "a", at: text }] })).given_up[0].at;
  assert.equal(at("2026-03-01T01:30:00.5+02:30"), "2026-02-28T23:00:00.500000+00:00");
  assert.equal(at("2026-02-28T23:00:00.500Z"), "2026-02-28T23:00:00.500000+00:00");
});

test("what is said of a broken file names the place", () => {
  const broken = JSON.parse(toJson({ ...EMPTY_HISTORY, attempts: [ATTEMPT, { ...ATTEMPT, score: -1 }] }));
  assert.throws(() => fromJson(JSON.stringify(broken)), /attempts, entry 2: expected a whole number from 0 .*-1/);
});

test("a merge has nothing twice, and of hints and surrenders the earliest", () => {
  const earlier = { ...HINT, price: 5, at: "2026-03-01T09:00:59.999999+00:00" };
  const both = mergeHistories(HINTED, { ...EMPTY_HISTORY, hints: [earlier] });
  assert.deepEqual(both.hints, [earlier]);
  assert.deepEqual(mergeHistories(both, HINTED), both);
  assert.equal(countNew(both, HINTED), 1);
  assert.equal(countNew(HINTED, both), 0);
  assert.equal(countEntries(mergeHistories(PASSED, both)), 2);
});

test("an instant is UTC's, a day the learner's own", () => {
  const evening = new Date(2026, 2, 1, 23, 30);
  assert.equal(toLocalDay(evening), "2026-03-01");
  assert.equal(formatInstant(new Date(0)), "1970-01-01T00:00:00.000000+00:00");
});

/** A storage in memory, with room for so many characters. */
class Shelf {
  room = Infinity;
  items = new Map();
  getItem(key) {
    return this.items.get(key) ?? null;
  }
  setItem(key, value) {
    if (value.length > this.room) throw new DOMException("full", "QuotaExceededError");
    this.items.set(key, value);
  }
  removeItem(key) {
    this.items.delete(key);
  }
}

test("what is added is there in the next page", () => {
  const shelf = new Shelf();
  new LearnersRecord(() => shelf).add(PASSED);
  const next = new LearnersRecord(() => shelf);
  assert.deepEqual(next.history, PASSED);
  assert.equal(next.trouble, "");
});

test("a storage that is switched off costs the record alone", () => {
  const record = new LearnersRecord(() => {
    throw new DOMException("no", "SecurityError");
  });
  record.add(PASSED);
  record.add(HINTED);
  assert.deepEqual(record.history, mergeHistories(PASSED, HINTED));
  assert.match(record.trouble, /keeps nothing/);
  record.erase();
  assert.deepEqual(record.history, EMPTY_HISTORY);
});

test("a storage that is full keeps what it had, and the page what is new", () => {
  const shelf = new Shelf();
  const record = new LearnersRecord(() => shelf);
  record.add(PASSED);
  shelf.room = 0;
  record.add(HINTED);
  assert.deepEqual(record.history, mergeHistories(PASSED, HINTED));
  assert.match(record.trouble, /no room/);
  assert.deepEqual(fromJson(shelf.getItem(RECORD_KEY)), PASSED);
  shelf.room = Infinity;
  record.add(HINTED);
  assert.equal(record.trouble, "");
  assert.deepEqual(fromJson(shelf.getItem(RECORD_KEY)), mergeHistories(PASSED, HINTED));
});

test("a record that cannot be read is put aside before a new one is written", () => {
  const shelf = new Shelf();
  shelf.setItem(RECORD_KEY, "{broken");
  const record = new LearnersRecord(() => shelf);
  assert.deepEqual(record.history, EMPTY_HISTORY);
  assert.match(record.trouble, /could not be read/);
  record.add(PASSED);
  assert.equal(shelf.getItem(UNREADABLE_KEY), "{broken");
  assert.equal(record.unreadable, "{broken");
  assert.deepEqual(new LearnersRecord(() => shelf).history, PASSED);
  record.erase();
  assert.equal(shelf.items.size, 0);
});

test("without room to put it aside, it stays where it is", () => {
  const shelf = new Shelf();
  shelf.setItem(RECORD_KEY, "{broken");
  shelf.room = 0;
  const record = new LearnersRecord(() => shelf);
  record.add(PASSED);
  assert.equal(shelf.getItem(RECORD_KEY), "{broken");
  assert.deepEqual(record.history, PASSED);
});

test("a record of a newer version is never overwritten", () => {
  const shelf = new Shelf();
  const newer = '{"etude_progress": 2, "things": []}';
  shelf.setItem(RECORD_KEY, newer);
  assert.throws(() => fromJson(newer), NewerFormat);
  const record = new LearnersRecord(() => shelf);
  record.add(PASSED);
  assert.equal(shelf.getItem(RECORD_KEY), newer);
  assert.deepEqual(record.history, PASSED);
  assert.match(record.trouble, /newer version/);
});

test("two tabs that write lose nothing of each other", () => {
  const shelf = new Shelf();
  const [one, other] = [new LearnersRecord(() => shelf), new LearnersRecord(() => shelf)];
  one.add(PASSED);
  other.add(HINTED);
  assert.deepEqual(fromJson(shelf.getItem(RECORD_KEY)), mergeHistories(PASSED, HINTED));
  one.reload(false);
  assert.deepEqual(one.history, mergeHistories(PASSED, HINTED));
});

test("what another tab overwrote at the same moment is written again", () => {
  const shelf = new Shelf();
  const record = new LearnersRecord(() => shelf);
  record.add(PASSED);
  shelf.setItem(RECORD_KEY, toJson(HINTED));
  record.reload(false);
  assert.deepEqual(fromJson(shelf.getItem(RECORD_KEY)), mergeHistories(PASSED, HINTED));
});

test("what another tab erased stays erased", () => {
  const shelf = new Shelf();
  const record = new LearnersRecord(() => shelf);
  record.add(PASSED);
  shelf.removeItem(RECORD_KEY);
  record.reload(true);
  record.add(HINTED);
  assert.deepEqual(record.history, HINTED);
});

test("those who subscribed hear of each change until they leave", () => {
  const record = new LearnersRecord(() => new Shelf());
  let heard = 0;
  const leave = record.subscribe(() => (heard += 1));
  record.add(PASSED);
  record.erase();
  leave();
  record.add(PASSED);
  assert.equal(heard, 2);
});

test("what was passed and not tried for two weeks is due for review", () => {
  const at = (exercise, day, outcome = "passed") => ({ ...ATTEMPT, exercise, day, outcome });
  const attempts = [
    at("old", "2026-02-01"), at("older", "2026-01-01"), at("again", "2026-01-01"), at("never", "2026-01-01", "failed"),
    at("recent", "2026-03-02"), at("again", "2026-03-10", "failed"),
  ];
  const due = dueForReview({ ...EMPTY_HISTORY, attempts }, "2026-03-15");
  assert.deepEqual(due, [{ exercise: "older", day: "2026-01-01" }, { exercise: "old", day: "2026-02-01" }]);
  assert.equal(dueForReview({ ...EMPTY_HISTORY, attempts }, "2026-03-16").at(-1).exercise, "recent");
});

test("what was tried the longest ago is found, and before it what was never tried", () => {
  const at = (exercise, day) => ({ ...ATTEMPT, exercise, at: `2026-03-0${day}T09:00:00.000000+00:00` });
  const attempts = [at("softmax", 1), at("mask", 2), at("softmax", 3)];
  assert.equal(leastRecentlyTried({ ...EMPTY_HISTORY, attempts }, [{ id: "softmax" }, { id: "mask" }]).id, "mask");
  assert.equal(leastRecentlyTried({ ...EMPTY_HISTORY, attempts }, [{ id: "softmax" }, { id: "seen" }]).id, "seen");
});

test("programs go with a history, and are checked when they come", () => {
  const programs = { mask: 'x = "1"\n', softmax: "y\n" };
  const text = toJson(PASSED, programs);
  assert.deepEqual(readPrograms(text), programs);
  assert.deepEqual(fromJson(text), PASSED);
  assert.deepEqual(readPrograms(toJson(PASSED)), {});
  for (const wrong of [[], 1, { mask: 1 }, { "No id": "x" }]) {
    assert.throws(() => readPrograms(JSON.stringify({ etude_progress: 1, programs: wrong })), InvalidHistory);
  }
});
