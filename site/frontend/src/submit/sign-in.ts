/** The dialog for signing in with a token or by single sign-on. */

import { openDialog } from "../dialog";
import { button, element } from "../dom";
import { page } from "../page";
import { type Service, ServiceError } from "./service";

/** Ask for a token until the service accepts it; return false if the dialog is cancelled. */
export function askToSignIn(service: Service): Promise<boolean> {
  return new Promise((resolve) => {
    const trouble = element("p", { class: "answer-trouble", id: "token-trouble", role: "alert" });
    const field = element("input", {
      id: "token",
      class: "answer",
      type: "password",
      required: true,
      maxlength: 200,
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": "token-trouble",
    });
    const agree = element("button", { type: "submit", class: "button primary" }, "Sign in");
    const refuse = button("Cancel", () => dialog.close(), { class: "button" });
    const form = element(
      "form",
      { autocomplete: "off" },
      ...renderSingleSignOn(),
      element("p", {}, "Your course gave you a token. Paste it here once; this browser then stays signed in for some hours."),
      element("p", {}, element("label", { for: "token" }, "Token")),
      field,
      trouble,
      element("p", { class: "buttons" }, agree, refuse),
    );
    const dialog = openDialog("Sign in to submit", [form], (value) => resolve(value === "yes"));
    form.noValidate = true; // the page shows its own message
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void attempt();
    });

    async function attempt(): Promise<void> {
      agree.disabled = true;
      try {
        await service.signIn(field.value.trim());
        dialog.close("yes");
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        trouble.textContent = error.message;
        field.setAttribute("aria-invalid", "true");
        field.select();
      } finally {
        agree.disabled = false;
      }
    }
  });
}

/** Render the link to the identity provider, which leads back to this page. */
function renderSingleSignOn(): HTMLElement[] {
  if (!page.hasSingleSignOn) return [];
  const href = `/oidc/login?back=${encodeURIComponent(location.pathname)}`;
  const link = element("a", { href, class: "button primary" }, "Sign in with your account of the university");
  return [element("p", {}, link), element("p", {}, "Or with a token:")];
}
