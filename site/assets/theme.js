// The choice between the system's colours, light and dark. Without this file the system decides.
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

  // Before the page is drawn, so that it does not flash in the other colours.
  apply(stored());

  addEventListener("DOMContentLoaded", () => {
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
  });
})();
