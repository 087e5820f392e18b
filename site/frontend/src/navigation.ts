/**
 * Going from one exercise or lesson to another within one document, so that Python goes on. A browser
 * without the Navigation API loads each page as ever, and so does every link to a page of another kind.
 */

import { element } from "./dom";
import { page, readPage } from "./page";
import { leave, TURNED } from "./page-signal";

const KINDS = ["exercise", "lesson"];
const PATHS = /^[^/]+\/(lessons\/)?[^/]+\/(index\.html)?$/; // from the site's root
const ANNOUNCED_MS = 100; // after it is there: a screen reader hears of changes only

let turns = 0;
let latest: Promise<void> = Promise.resolve(); // settled once the scripts of the page that is shown have run
let build = ""; // the address of the script that all pages of this build have

/** Turn pages in this document from now on. */
export function turnPages(): void {
  if (turns > 0 || !("navigation" in globalThis)) return;
  turns = 1;
  build = scriptsOf(document)[0] ?? "";
  // They stay while the address changes, to which they would be relative.
  for (const link of document.querySelectorAll<HTMLLinkElement>("link:not([rel=stylesheet])")) link.setAttribute("href", link.href);
  navigation.addEventListener("navigate", (event) => {
    const { url } = event.destination;
    const isOther = !event.hashChange && event.downloadRequest === null && event.formData === null;
    if (!event.canIntercept || !isOther || event.navigationType === "reload" || !isLearning(url)) return;
    event.intercept({ handler: () => turnTo(url, event.signal) });
  });
}

function isLearning(url: string): boolean {
  const path = url.replace(/[?#].*/, "");
  return path.startsWith(page.root) && PATHS.test(path.slice(page.root.length));
}

/** Show a page; one that is none of ours after all, or cannot be had, is left to the browser. */
async function turnTo(url: string, signal: AbortSignal): Promise<void> {
  document.body.inert = true; // the address is the next page's already, to which no link here is relative
  try {
    const answer = await fetch(url, { signal });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (signal.aborted) return;
    if (!answer.ok || !isOfThisBuild(next)) throw new Error("not a page that can be shown here");
    // A script that came late would run for the next page, which has none of the elements it looks for.
    await latest.catch(() => undefined);
    if (signal.aborted) return;
    latest = show(next);
    await latest;
  } catch {
    if (!signal.aborted) location.reload();
  } finally {
    document.body.inert = false;
  }
}

/** Pages of another build have other scripts, which would start Python again. */
function isOfThisBuild(next: Document): boolean {
  return KINDS.includes(next.documentElement.dataset.page ?? "") && scriptsOf(next)[0] === build;
}

/** The scripts of a page by address: first the one that all pages have, then those of its kind. */
function scriptsOf(of: Document): string[] {
  return [...of.querySelectorAll("head script[type=module]")].map((script) => addressIn(script, "src"));
}

/** A document that was parsed and not loaded has relative addresses only. */
function addressIn(of: Element, attribute: string): string {
  return new URL(of.getAttribute(attribute) ?? "", document.baseURI).href;
}

async function show(next: Document): Promise<void> {
  leave();
  const [, ...scripts] = scriptsOf(next);
  await addStyles(next);
  const root = document.documentElement;
  const { theme } = root.dataset;
  for (const name of Object.keys(root.dataset)) delete root.dataset[name];
  Object.assign(root.dataset, next.documentElement.dataset, theme && { theme });
  document.title = next.title;
  document.body.replaceChildren(...next.body.childNodes);
  readPage();
  dispatchEvent(new Event(TURNED));
  announce(next.title);
  // With another fragment a script is another module, so that it runs for this page too.
  turns += 1;
  await Promise.all(scripts.map((script) => import(`${script}#${turns}`)));
}

/** Load the style sheets that this document lacks; those that it has stay. */
async function addStyles(next: Document): Promise<void> {
  const present = [...document.styleSheets].map(({ href }) => href);
  const wanted = [...next.querySelectorAll("link[rel=stylesheet]")].map((link) => addressIn(link, "href"));
  await Promise.all(wanted.filter((href) => !present.includes(href)).map(addStyle));
}

function addStyle(href: string): Promise<unknown> {
  const link = element("link", { rel: "stylesheet", href });
  const settled = new Promise((go) => (link.onload = link.onerror = go));
  document.head.append(link);
  return settled;
}

/** Say which page this is, as a screen reader does of a page that was loaded. */
function announce(title: string): void {
  const said = element("p", { class: "unseen", role: "status" });
  document.body.append(said);
  setTimeout(() => (said.textContent = title), ANNOUNCED_MS);
}
