// Runs before the page is drawn: applies the theme, and hides what scripts will replace. Without this
// file the system decides on the theme.
(() => {
  "use strict";
  const KEY = "etude.theme";
  const root = document.documentElement;

  // If storage is switched off, even reading it throws.
  const readTheme = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };
  const storeTheme = (theme) => {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  };
  const applyTheme = (theme) => {
    if (theme === "light" || theme === "dark") {
      root.dataset.theme = theme;
    } else {
      delete root.dataset.theme;
    }
  };

  // The number of hints that the learner has taken in this exercise, which CSS shows at once.
  const countTakenHints = () => {
    try {
      const { hints } = JSON.parse(localStorage.getItem("etude.progress"));
      return hints.filter(({ exercise }) => exercise === root.dataset.exercise).length;
    } catch {
      return 0; // there is no record, or it cannot be read
    }
  };

  // A page in a frame of another site has no header and no footer; see `embedding.ts` of the frontend.
  const parameters = new URLSearchParams(location.search);
  if (parameters.has("embed")) root.classList.add("embedded");

  // Now, so that the page does not flash in the other theme's colours.
  applyTheme((parameters.has("embed") && parameters.get("theme")) || readTheme());

  // CSS hides what a module will replace, until it has loaded or failed to load.
  const awaitModules = () => {
    root.dataset.awaiting = "";
    root.dataset.taken = countTakenHints();
  };
  if (location.protocol !== "file:") {
    awaitModules();
    const stopWaiting = (event) => {
      if (event.target instanceof HTMLScriptElement) delete root.dataset.awaiting;
    };
    addEventListener("error", stopWaiting, true);
  } else {
    // On a page from a disk this file is the only script that a browser runs.
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

  const showThemeChoice = () => {
    const choice = document.getElementById("theme");
    const current = root.dataset.theme ?? "system";
    for (const option of choice.querySelectorAll("input")) {
      option.checked = option.value === current;
    }
    choice.addEventListener("change", (event) => {
      applyTheme(event.target.value);
      storeTheme(event.target.value);
    });
    choice.hidden = false;
  };
  addEventListener("DOMContentLoaded", showThemeChoice);
  // Another page is shown in the same document; see `navigation.ts` of the frontend.
  addEventListener("etude:page-changed", () => {
    awaitModules();
    showThemeChoice();
  });
})();
