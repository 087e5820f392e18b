/** The search page: results while one types, reachable with the arrow keys, in the page's address. */

import { element, find } from "../dom";
import { page } from "../page";
import { corrected, search, words, type Hit, type Index } from "../search/ranking";

const MOST = 30;
const PATIENCE = 600; // milliseconds of quiet after which the number of results is announced

const main = find("main", HTMLElement);
const form = find("#finder", HTMLFormElement);
const query = find("#query", HTMLInputElement);
const counted = find("#finder-count", HTMLElement);
const said = find("#finder-said", HTMLElement);
const list = find("#finder-results", HTMLOListElement);
const off = find("#finder-off", HTMLElement);

async function load(): Promise<Index> {
  const answer = await fetch(new URL(main.dataset["index"] ?? "", document.baseURI));
  if (!answer.ok) throw new Error(`the index answers ${answer.status}`);
  return (await answer.json()) as Index;
}

function begin(index: Index): void {
  query.value = new URLSearchParams(location.search).get("q") ?? "";
  form.hidden = false;
  off.hidden = true;
  query.addEventListener("input", () => {
    remember(query.value);
    show(index, query.value);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (event) => move(event));
  list.addEventListener("keydown", (event) => move(event));
  show(index, query.value);
  query.focus();
}

/** Keep the query in the address, so that going back or reloading finds it again. */
function remember(text: string): void {
  const address = new URL(location.href);
  if (text) address.searchParams.set("q", text);
  else address.searchParams.delete("q");
  history.replaceState(null, "", address);
}

function show(index: Index, text: string): void {
  const found = search(index, text);
  const meant = found.length ? undefined : corrected(index, text);
  const hits = meant === undefined ? found : search(index, meant);
  list.replaceChildren(...hits.slice(0, MOST).map((hit) => line(hit, words(meant ?? text))));
  list.hidden = hits.length === 0;
  counted.textContent = words(text).length ? summary(hits.length, meant) : "";
  announce(counted.textContent);
}

function summary(count: number, meant: string | undefined): string {
  if (count && meant !== undefined) return `No page has these words. “${meant}”: ${summary(count, undefined)}`;
  if (count === 0) return "No page has all of these words. Try fewer letters.";
  if (count > MOST) return `${count} pages; here are the best ${MOST}.`;
  return count === 1 ? "1 page" : `${count} pages`;
}

let pending = 0;

/** Eyes see the number at once; a screen reader tells it when somebody stops typing. */
function announce(text: string): void {
  clearTimeout(pending);
  pending = setTimeout(() => {
    said.textContent = text;
  }, PATIENCE);
}

function line(hit: Hit, wanted: readonly string[]): HTMLLIElement {
  const link = element("a", { href: new URL(hit.path, page.root).href }, ...marked(hit.title, wanted));
  link.append(element("span", {}, hit.note));
  return element("li", {}, link);
}

/** A title in which the beginnings that were asked for stand out. */
function marked(title: string, wanted: readonly string[]): (string | HTMLElement)[] {
  return title.split(/([^\s\p{P}]+)/u).flatMap((part, index) => {
    const length = index % 2 ? longestBeginning(part, wanted) : 0;
    return length ? [element("mark", {}, part.slice(0, length)), part.slice(length)] : [part];
  });
}

function longestBeginning(part: string, wanted: readonly string[]): number {
  const plain = part.toLowerCase();
  return Math.max(0, ...wanted.filter((word) => plain.startsWith(word)).map(({ length }) => length));
}

/** Down goes from the field into the results and on; up comes back; escape returns at once. */
function move(event: KeyboardEvent): void {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  const target = {
    ArrowDown: links[Math.min(at + 1, links.length - 1)],
    ArrowUp: at <= 0 ? query : links[at - 1],
    Escape: at < 0 ? undefined : query,
  }[event.key];
  if (!target) return;
  event.preventDefault();
  target.focus();
}

load().then(begin, (error: unknown) => {
  off.textContent = `The search cannot be used: ${error instanceof Error ? error.message : error}.`;
});
