/**
 * Going from one exercise or lesson to another within one document, so that Python goes on. A browser
 * without the Navigation API loads each page as ever, and so does every link to a page of another kind.
 */

import { element } from "./dom";
import { page, readPage } from "./page";
import { leavePage, PAGE_CHANGED_EVENT } from "./page-signal";

const NAVIGABLE_KINDS = ["exercise", "lesson"];
const NAVIGABLE_PATH = /^[^/]+\/(lessons\/)?[^/]+\/(index\.html)?$/; // from the site's root
const ANNOUNCE_DELAY_MS = 100; // after it is there: a screen reader hears of changes only

let navigationCount = 0;
let latestNavigation: Promise<void> = Promise.resolve(); // settled once the scripts of the page that is shown have run
let buildScript = ""; // the address of the script that all pages of this build have

/** Turn pages in this document from now on. */
export function navigateInPlace(): void {
  if (navigationCount > 0 || !("navigation" in globalThis)) return;
  navigationCount = 1;
  buildScript = scriptAddresses(document)[0] ?? "";
  // They stay while the address changes, to which they would be relative.
  for (const link of document.querySelectorAll<HTMLLinkElement>("link:not([rel=stylesheet])")) link.setAttribute("href", link.href);
  navigation.addEventListener("navigate", (event) => {
    const { url } = event.destination;
    const isOther = !event.hashChange && event.downloadRequest === null && event.formData === null;
    if (!event.canIntercept || !isOther || event.navigationType === "reload" || !isNavigable(url)) return;
    event.intercept({ handler: () => navigateTo(url, event.signal) });
  });
}

function isNavigable(url: string): boolean {
  const path = url.replace(/[?#].*/, "");
  return path.startsWith(page.root) && NAVIGABLE_PATH.test(path.slice(page.root.length));
}

/** Show a page; one that is none of ours after all, or cannot be had, is left to the browser. */
async function navigateTo(url: string, signal: AbortSignal): Promise<void> {
  document.body.inert = true; // the address is the next page's already, to which no link here is relative
  try {
    const answer = await fetch(url, { signal });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (signal.aborted) return;
    if (!answer.ok || !isOfThisBuild(next)) throw new Error("not a page that can be shown here");
    // A script that came late would run for the next page, which has none of the elements it looks for.
    await latestNavigation.catch(() => undefined);
    if (signal.aborted) return;
    latestNavigation = replacePage(next);
    await latestNavigation;
  } catch {
    if (!signal.aborted) location.reload();
  } finally {
    document.body.inert = false;
  }
}

/** Pages of another build have other scripts, which would start Python again. */
function isOfThisBuild(next: Document): boolean {
  return NAVIGABLE_KINDS.includes(next.documentElement.dataset.page ?? "") && scriptAddresses(next)[0] === buildScript;
}

/** The scripts of a page by address: first the one that all pages have, then those of its kind. */
function scriptAddresses(document: Document): string[] {
  return [...document.querySelectorAll("head script[type=module]")].map((script) => absoluteAddress(script, "src"));
}

/** A document that was parsed and not loaded has relative addresses only. */
function absoluteAddress(node: Element, attribute: string): string {
  return new URL(node.getAttribute(attribute) ?? "", document.baseURI).href;
}

async function replacePage(next: Document): Promise<void> {
  leavePage();
  const [, ...scripts] = scriptAddresses(next);
  await addStyles(next);
  const root = document.documentElement;
  const { theme } = root.dataset;
  for (const name of Object.keys(root.dataset)) delete root.dataset[name];
  Object.assign(root.dataset, next.documentElement.dataset, theme && { theme });
  document.title = next.title;
  document.body.replaceChildren(...next.body.childNodes);
  readPage();
  dispatchEvent(new Event(PAGE_CHANGED_EVENT));
  announceTitle(next.title);
  // With another fragment a script is another module, so that it runs for this page too.
  navigationCount += 1;
  await Promise.all(scripts.map((script) => import(`${script}#${navigationCount}`)));
}

/** Load the style sheets that this document lacks; those that it has stay. */
async function addStyles(next: Document): Promise<void> {
  const loadedAddresses = [...document.styleSheets].map(({ href }) => href);
  const addresses = [...next.querySelectorAll("link[rel=stylesheet]")].map((link) => absoluteAddress(link, "href"));
  await Promise.all(addresses.filter((href) => !loadedAddresses.includes(href)).map(addStyle));
}

function addStyle(href: string): Promise<unknown> {
  const link = element("link", { rel: "stylesheet", href });
  const settled = new Promise((go) => (link.onload = link.onerror = go));
  document.head.append(link);
  return settled;
}

/** Say which page this is, as a screen reader does of a page that was loaded. */
function announceTitle(title: string): void {
  const status = element("p", { class: "unseen", role: "status" });
  document.body.append(status);
  setTimeout(() => (status.textContent = title), ANNOUNCE_DELAY_MS);
}
