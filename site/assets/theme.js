// What has to happen before the page is drawn: the choice between the system's colours, light and
// dark, and room for what a script will make. Without this file the system decides.
(() => {
  "use strict";
  const KEY = "etude.theme";
  const root = document.documentElement;

  // Storage can be switched off, and then even reading it throws.
  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };
  const store = (theme) => {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // The choice then holds for this page alone.
    }
  };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") {
      root.dataset.theme = theme;
    } else {
      delete root.dataset.theme;
    }
  };

  // How many hints of this page's exercise its learner has taken: those are there from the start.
  const hintsTaken = () => {
    try {
      const { hints } = JSON.parse(localStorage.getItem("etude.progress"));
      return hints.filter(({ exercise }) => exercise === root.dataset.exercise).length;
    } catch {
      return 0; // nothing is recorded, or it cannot be read
    }
  };

  // A page in a frame of another site has no header and no footer; see `embedding` in the scripts.
  const words = new URLSearchParams(location.search);
  if (words.has("embed")) root.classList.add("embedded");

  // Before the page is drawn, so that it does not flash in the other colours.
  apply((words.has("embed") && words.get("theme")) || stored());

  // Nor does what a module will put away: it is out of sight until then, or until it cannot come.
  const awaitModules = () => {
    root.dataset.awaiting = "";
    root.dataset.taken = hintsTaken();
  };
  if (location.protocol !== "file:") {
    awaitModules();
    const give = (event) => {
      if (event.target instanceof HTMLScriptElement) delete root.dataset.awaiting;
    };
    addEventListener("error", give, true);
  } else {
    // From a disk this file is the only program that a browser runs.
    addEventListener("DOMContentLoaded", () => {
      const notice = document.createElement("p");
      notice.className = "card notice";
      notice.textContent =
        "You opened this page from a disk, where a browser does not run its programs: there is no " +
        "editor, no search and no progress. Serve its folder instead, with " +
        "“python3 -m http.server”, and open the address that it prints.";
      document.querySelector(".masthead").after(notice);
    });
  }

  const offer = () => {
    const choice = document.getElementById("theme");
    const current = root.dataset.theme ?? "system";
    for (const option of choice.querySelectorAll("input")) {
      option.checked = option.value === current;
    }
    choice.addEventListener("change", (event) => {
      apply(event.target.value);
      store(event.target.value);
    });
    choice.hidden = false;
  };
  addEventListener("DOMContentLoaded", offer);
  // Another page is shown in the same document; see the frontend's `turning`.
  addEventListener("etude:turned", () => {
    awaitModules();
    offer();
  });
})();
