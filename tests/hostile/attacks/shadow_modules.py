# tries: put modules of its own in the place of those that are imported late
# outcome: failed, errored
import sys

for name in ("numpy.linalg", "numpy.random", "decimal", "fractions", "in_child.late"):
    sys.modules[name] = sys


class Finder:
    def find_spec(self, name, path, target=None):
        raise SystemExit(0)


sys.meta_path.insert(0, Finder())
sys.path_hooks.insert(0, lambda path: Finder())


def answer(x):
    import statistics
    return statistics
