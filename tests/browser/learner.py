"""A learner on an exercise's page, who uses either the mouse or the keyboard."""

import ast
import re
from dataclasses import dataclass
from typing import Final, Protocol

from playwright.sync_api import Locator, Page, expect

from grader.definitions.exercise import Exercise

# For `expect.set_options`: Python must be fetched and started, and the machine may be busy.
PATIENCE_MS: Final = 120_000

_TABS: Final = 150

_PASTE: Final = """
(editor, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true});
  editor.dispatchEvent(event);
}
"""


def paste(editor: Locator, text: str) -> None:
    """Replace an editor's content by pasting a text."""
    editor.press("ControlOrMeta+a")
    editor.evaluate(_PASTE, text)


@dataclass(frozen=True)
class Bench:
    """The parts of an exercise's page that a learner uses."""

    page: Page

    @property
    def editor(self) -> Locator:
        """The code editor."""
        return self.page.get_by_role("textbox", name="Your solution")

    @property
    def results(self) -> Locator:
        """The results of the last run or check."""
        return self.page.get_by_role("region", name="Results")

    @property
    def summary(self) -> Locator:
        """The sentence that summarizes the results."""
        # A heatmap in the results has its own status.
        return self.results.get_by_role("status").first

    def button(self, name: str) -> Locator:
        """Return the button with this name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def says(self, text: str | re.Pattern[str]) -> None:
        """Wait until the page's status shows this text."""
        said = self.page.get_by_role("status").filter(has_text=text)
        expect(said.first).to_be_attached()

    def is_ready(self) -> bool:
        """Return whether Python is ready for a call."""
        return self.page.get_by_role("status").filter(has_text="Python is ready").count() > 0

    def write(self, code: str) -> None:
        """Replace the editor's content by pasting."""
        paste(self.editor, code)

    def check(self, code: str | None = None) -> None:
        """Check this code, or the editor's content."""
        if code is not None:
            self.write(code)
        self.button("Check").click()

    def concludes(self, text: str | re.Pattern[str]) -> None:
        """Wait for the results of the requested run or check, and expect this text in them."""
        expect(self.page.get_by_role("region", name="Your code", exact=True)).not_to_have_attribute(
            "aria-busy", "true"
        )
        expect(self.summary).to_contain_text(text)


class Hand(Protocol):
    """A way of using a page."""

    def press(self, target: Locator) -> None:
        """Activate a link or a button."""

    def write(self, bench: Bench, code: str) -> None:
        """Replace the editor's content."""

    def fill(self, field: Locator, text: str) -> None:
        """Fill in a text field."""

    def choose(self, radio: Locator) -> None:
        """Select a radio button."""


class Mouse:
    """A user of the mouse, who pastes code."""

    def press(self, target: Locator) -> None:
        target.click()

    def write(self, bench: Bench, code: str) -> None:
        bench.editor.click()
        bench.write(code)

    def fill(self, field: Locator, text: str) -> None:
        field.click()
        field.fill(text)

    def choose(self, radio: Locator) -> None:
        radio.click()


class Keyboard:
    """A user of the keyboard only, who reaches everything by Tab."""

    def press(self, target: Locator) -> None:
        self._reach(target)
        target.page.keyboard.press("Enter")

    def write(self, bench: Bench, code: str) -> None:
        """Type code without its indentation, because the editor indents by itself."""
        keyboard = bench.page.keyboard
        self._reach(bench.editor)
        keyboard.press("ControlOrMeta+a")
        keyboard.press("Delete")
        keyboard.type("\n".join(line.lstrip() for line in code.split("\n")))
        keyboard.press("Escape")  # the next Tab then leaves the editor

    def fill(self, field: Locator, text: str) -> None:
        self._reach(field)
        field.page.keyboard.type(text)

    def choose(self, radio: Locator) -> None:
        """Tab to the group's first button, then go on with arrow keys."""
        group = radio.locator("xpath=ancestor::fieldset")
        self._reach(group.get_by_role("radio").first)
        radio.page.keyboard.press("Space")
        while not radio.is_checked():
            radio.page.keyboard.press("ArrowDown")

    def _reach(self, target: Locator) -> None:
        keyboard = target.page.keyboard
        expect(target).to_be_visible()
        for _ in range(_TABS):
            if target.evaluate("(element) => element === document.activeElement"):
                return
            keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {target}")


def predictions(exercise: Exercise) -> dict[str, str]:
    """Return the right answers of a prediction as a learner would write them, by name."""
    tree = ast.parse(exercise.solution)
    pairs = [(each.targets[0], each.value) for each in tree.body if isinstance(each, ast.Assign)]
    return {ast.unparse(name): ast.unparse(value) for name, value in pairs}


def predict(hand: Hand, form: Locator, name: str, text: str) -> None:
    """Fill in or choose an answer of a prediction."""
    named = re.compile(rf"^{name}\b")  # the question follows the name
    group = form.get_by_role("group", name=named)
    expect(group.or_(form.get_by_role("textbox", name=named))).to_be_visible()
    if group.count():
        hand.choose(group.get_by_role("radio", name=ast.literal_eval(text), exact=True))
    else:
        hand.fill(form.get_by_role("textbox", name=named), text)
