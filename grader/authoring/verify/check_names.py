"""The checks of a proof by stable name, in report order."""

from typing import Final

SOLUTION: Final = "solution-passes"
ALSO_RIGHT: Final = "also-right-pass"
STARTER: Final = "starter-fails"
HIDDEN: Final = "has-hidden-test"
CALLS: Final = "tests-call-submission"
CAN_FAIL: Final = "tests-can-fail"
CONSTANTS: Final = "constants-rejected"
EXPECTED: Final = "expected-values-true"
REJECTED: Final = "misconceptions-rejected"
DIAGNOSED: Final = "misconceptions-diagnosed"
MUTANTS: Final = "mutants-killed"
EQUIVALENT: Final = "equivalents-true"
REPEATABLE: Final = "results-repeat"
INDEPENDENT: Final = "submissions-independent"
LIMITS: Final = "within-limits"
LEAKS: Final = "nothing-leaks"
LINT: Final = "no-lint-error"

CHECKS: Final[dict[str, str]] = {
    SOLUTION: "The solution passes every test.",
    ALSO_RIGHT: "Every further right program passes every test.",
    STARTER: "The starter runs, and does not pass.",
    HIDDEN: "At least one test is hidden; only hidden tests prove anything.",
    CALLS: "Every test uses the submission, and every defined name is used by a test.",
    CAN_FAIL: "Every test is failed by some wrong program.",
    CONSTANTS: "The hidden tests reject answers that do not depend on the inputs.",
    EXPECTED: "Every expected value that is written out is what the reference gives.",
    REJECTED: "Every misconception runs and is rejected by a hidden test.",
    DIAGNOSED: "Every misconception is recognized, as itself.",
    MUTANTS: "Every mutant of the solution, helpers included, is killed by a hidden test.",
    EQUIVALENT: "Every mutant listed as equivalent exists and survives.",
    REPEATABLE: "Results are the same again, in another order and with other seeds.",
    INDEPENDENT: "No submission changes the result of another, and inputs are the same again.",
    LIMITS: "Solution and tests stay within a tenth of the limits.",
    LEAKS: "Nothing hidden is in the page or in the student edition.",
    LINT: "`etude lint` finds no error.",
}
"""The name and meaning of each check; a published name never changes its meaning."""
