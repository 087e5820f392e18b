/** The search page: results while typing, arrow keys between them, and the query in the address. */

import { element, findElement } from "../dom";
import { page } from "../page";
import { correctQuery, rankPages, type SearchHit, type SearchIndex, splitWords } from "../search/ranking";

const MAX_HITS = 30;
const ANNOUNCE_DELAY_MS = 600; // waits for a pause in typing

const main = findElement("main", HTMLElement);
const form = findElement("#finder", HTMLFormElement);
const query = findElement("#query", HTMLInputElement);
const count = findElement("#finder-count", HTMLElement);
const status = findElement("#finder-said", HTMLElement);
const list = findElement("#finder-results", HTMLOListElement);
const unavailable = findElement("#finder-off", HTMLElement);

async function loadIndex(): Promise<SearchIndex> {
  const answer = await fetch(new URL(main.dataset["index"] ?? "", document.baseURI));
  if (!answer.ok) throw new Error(`the index answers ${answer.status}`);
  return (await answer.json()) as SearchIndex;
}

function startSearch(index: SearchIndex): void {
  query.value = new URLSearchParams(location.search).get("q") ?? "";
  form.hidden = false;
  unavailable.hidden = true;
  query.addEventListener("input", () => {
    storeQuery(query.value);
    showHits(index, query.value);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (event) => moveFocus(event));
  list.addEventListener("keydown", (event) => moveFocus(event));
  showHits(index, query.value);
  query.focus();
}

/** Store the query in the address, so that going back or reloading restores it. */
function storeQuery(text: string): void {
  const address = new URL(location.href);
  if (text) address.searchParams.set("q", text);
  else address.searchParams.delete("q");
  history.replaceState(null, "", address);
}

function showHits(index: SearchIndex, text: string): void {
  const exactHits = rankPages(index, text);
  const correction = exactHits.length ? undefined : correctQuery(index, text);
  const hits = correction === undefined ? exactHits : rankPages(index, correction);
  list.replaceChildren(...hits.slice(0, MAX_HITS).map((hit) => hitItem(hit, splitWords(correction ?? text))));
  list.hidden = hits.length === 0;
  count.textContent = splitWords(text).length ? hitSummary(hits.length, correction) : "";
  announce(count.textContent);
}

function hitSummary(count: number, correction: string | undefined): string {
  if (count && correction !== undefined) return `No page has these words. “${correction}”: ${hitSummary(count, undefined)}`;
  if (count === 0) return "No page has all of these words. Try fewer letters.";
  if (count > MAX_HITS) return `${count} pages; here are the best ${MAX_HITS}.`;
  return count === 1 ? "1 page" : `${count} pages`;
}

let pending = 0;

/** Announce the number of results to screen readers once the typing pauses. */
function announce(text: string): void {
  clearTimeout(pending);
  pending = setTimeout(() => {
    status.textContent = text;
  }, ANNOUNCE_DELAY_MS);
}

function hitItem(hit: SearchHit, queryWords: readonly string[]): HTMLLIElement {
  const link = element("a", { href: new URL(hit.path, page.root).href }, ...markWords(hit.title, queryWords));
  link.append(element("span", {}, hit.note));
  return element("li", {}, link);
}

/** Highlight in a title the beginnings of words that match the query. */
function markWords(title: string, queryWords: readonly string[]): (string | HTMLElement)[] {
  return title.split(/([^\s\p{P}]+)/u).flatMap((part, index) => {
    const length = index % 2 ? longestBeginning(part, queryWords) : 0;
    return length ? [element("mark", {}, part.slice(0, length)), part.slice(length)] : [part];
  });
}

function longestBeginning(part: string, queryWords: readonly string[]): number {
  const plain = part.toLowerCase();
  return Math.max(0, ...queryWords.filter((word) => plain.startsWith(word)).map(({ length }) => length));
}

/** Move the focus: down from the field into the results, up back to the field, Escape to the field at once. */
function moveFocus(event: KeyboardEvent): void {
  const links = [...list.querySelectorAll("a")];
  const index = links.indexOf(document.activeElement as HTMLAnchorElement);
  const target = {
    ArrowDown: links[Math.min(index + 1, links.length - 1)],
    ArrowUp: index <= 0 ? query : links[index - 1],
    Escape: index < 0 ? undefined : query,
  }[event.key];
  if (!target) return;
  event.preventDefault();
  target.focus();
}

loadIndex().then(startSearch, (error: unknown) => {
  unavailable.textContent = `The search cannot be used: ${error instanceof Error ? error.message : error}.`;
});
