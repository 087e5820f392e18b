/** The page's settings, which the site's builder writes into attributes of `<html>`. */

function readAttribute(name: string): string {
  return document.documentElement.dataset[name] ?? "";
}

function readAddress(name: string): string {
  return new URL(readAttribute(name), document.baseURI).href;
}

/** Read the settings. Addresses are absolute, and those of folders end with a slash. */
function readAttributes() {
  return {
    root: readAddress("root"),
    pyodide: readAddress("pyodide"),
    bundle: readAddress("bundle"),
    pythonBytes: Number(readAttribute("pythonBytes")), // size of Python's files in bytes if the site hosts them, else 0
    packages: readAttribute("packages").split(" ").filter(Boolean), // modules other than NumPy that Python loads
    files: readAttribute("files") ? readAddress("files") : "", // the address of a lesson's data files
    exercise: readAttribute("exercise"),
    track: readAttribute("track"),
    lesson: readAttribute("lesson"),
    service: readAttribute("service") ? new URL(readAttribute("service"), location.href) : null, // the grading service, if it serves this page
    isPractice: "practice" in document.documentElement.dataset, // true if pages run the hidden tests, too
    isSignedIn: "signedIn" in document.documentElement.dataset,
    hasSingleSignOn: "singleSignOn" in document.documentElement.dataset,
  } as const;
}

export let page = readAttributes();

/** Read the settings again after a navigation, once the attributes and the address are of one page. */
export function readPage(): void {
  page = readAttributes();
}
