# Not an attack: the test puts this where an attack says ATTEMPTS. It tells which of them succeed.
def find(x):
    done = []
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
            done.append(name)
        except (OSError, ImportError, ValueError):
            pass
    return f"done: {done}"
