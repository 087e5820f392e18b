/** What the site's builder tells the scripts of a page: see the attributes of `<html>`. */

function readAttribute(name: string): string {
  return document.documentElement.dataset[name] ?? "";
}

function readAddress(name: string): string {
  return new URL(readAttribute(name), document.baseURI).href;
}

/** Addresses are absolute, and those of folders end with a slash. */
function readAttributes() {
  return {
    root: readAddress("root"),
    pyodide: readAddress("pyodide"),
    bundle: readAddress("bundle"),
    pythonBytes: Number(readAttribute("pythonBytes")), // of its files, where the site has them; else 0
    packages: readAttribute("packages").split(" ").filter(Boolean), // that Python loads beside NumPy
    files: readAttribute("files") ? readAddress("files") : "", // of a lesson
    exercise: readAttribute("exercise"),
    track: readAttribute("track"),
    lesson: readAttribute("lesson"),
    service: readAttribute("service") ? new URL(readAttribute("service"), location.href) : null, // what serves it, if it grades too
    isPractice: "practice" in document.documentElement.dataset, // pages run the hidden tests too
    isSignedIn: "signedIn" in document.documentElement.dataset,
    hasSingleSignOn: "singleSignOn" in document.documentElement.dataset,
  } as const;
}

export let page = readAttributes();

/** Read it again, when another page is shown: only then do attributes and the address belong together. */
export function readPage(): void {
  page = readAttributes();
}
