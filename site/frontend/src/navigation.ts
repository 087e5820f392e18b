/**
 * Navigation from one exercise or lesson to another within one document, so that Python keeps running.
 * Browsers without the Navigation API load each page as usual; so do links to pages of other kinds.
 */

import { element } from "./dom";
import { page, readPage } from "./page";
import { leavePage, PAGE_CHANGED_EVENT } from "./page-signal";

const NAVIGABLE_KINDS = ["exercise", "lesson"];
const NAVIGABLE_PATH = /^[^/]+\/(lessons\/)?[^/]+\/(index\.html)?$/; // relative to the site's root
const ANNOUNCE_DELAY_MS = 100; // a screen reader announces only changes of an element that is already there

let navigationCount = 0;
let latestNavigation: Promise<void> = Promise.resolve(); // settles once the shown page's scripts have run
let buildScript = ""; // the address of the script that all pages of this build share

/** Handle links to exercises and lessons in this document from now on. */
export function navigateInPlace(): void {
  if (navigationCount > 0 || !("navigation" in globalThis)) return;
  navigationCount = 1;
  buildScript = scriptAddresses(document)[0] ?? "";
  // These links stay while the document's address changes, so they must be absolute.
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

/** Fetch and show a page. On an error, or if the page is not of this build, let the browser load it. */
async function navigateTo(url: string, signal: AbortSignal): Promise<void> {
  document.body.inert = true; // the address has changed already, so the relative links here are wrong
  try {
    const answer = await fetch(url, { signal });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (signal.aborted) return;
    if (!answer.ok || !isOfThisBuild(next)) throw new Error("not a page that can be shown here");
    // A late script of the last page would run on the next one, which lacks the elements that the script needs.
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

/** Return whether a page is of this build. Other builds have other scripts, which would start Python again. */
function isOfThisBuild(next: Document): boolean {
  return NAVIGABLE_KINDS.includes(next.documentElement.dataset.page ?? "") && scriptAddresses(next)[0] === buildScript;
}

/** Return the addresses of a page's scripts: first the one that all pages share, then those of its kind. */
function scriptAddresses(document: Document): string[] {
  return [...document.querySelectorAll("head script[type=module]")].map((script) => absoluteAddress(script, "src"));
}

/** Resolve an address: a document that was parsed but not loaded keeps them relative. */
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
  // A module runs once per address; a new fragment makes it run again for this page.
  navigationCount += 1;
  await Promise.all(scripts.map((script) => import(`${script}#${navigationCount}`)));
}

/** Load the next page's style sheets that this document lacks; the others stay. */
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

/** Announce the new page's title, as a screen reader does after a page load. */
function announceTitle(title: string): void {
  const status = element("p", { class: "unseen", role: "status" });
  document.body.append(status);
  setTimeout(() => (status.textContent = title), ANNOUNCE_DELAY_MS);
}
