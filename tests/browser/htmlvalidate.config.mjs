// What html-validate asks of every page: all that it recommends, but for what is said here.
export default {
  root: true,
  extends: ["html-validate:recommended"],
  rules: {
    // Lists and figures may have names, which screen readers tell; the rule asks for landmarks and controls only.
    "aria-label-misuse": ["error", { allowAnyNamable: true }],
    // The search shows what it finds while one types, on the same page, so there is nothing to send.
    "wcag/h32": "off",
  },
};
