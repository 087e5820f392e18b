# tries: match a regular expression that takes for ever
# outcome: timed out
# limits: quick
import re


def answer(x):
    return re.match(r"(a+)+$", "a" * 60 + "b")
