/** What the site's builder tells the scripts of a page: see the attributes of `<html>`. */

function told(name: string): string {
  return document.documentElement.dataset[name] ?? "";
}

function address(name: string): string {
  return new URL(told(name), document.baseURI).href;
}

/** Addresses are absolute, and those of folders end with a slash. */
function read() {
  return {
    root: address("root"),
    pyodide: address("pyodide"),
    bundle: address("bundle"),
    pythonBytes: Number(told("pythonBytes")), // of its files, where the site has them; else 0
    packages: told("packages").split(" ").filter(Boolean), // that Python loads beside NumPy
    files: told("files") ? address("files") : "", // of a lesson
    exercise: told("exercise"),
    track: told("track"),
    lesson: told("lesson"),
    service: told("service") ? new URL(told("service"), location.href) : null, // what serves it, if it grades too
    isPractice: "practice" in document.documentElement.dataset, // pages run the hidden tests too
    isSignedIn: "signedIn" in document.documentElement.dataset,
    hasSingleSignOn: "singleSignOn" in document.documentElement.dataset,
  } as const;
}

export let page = read();

/** Read it again, when another page is shown: only then do attributes and the address belong together. */
export function readPage(): void {
  page = read();
}
