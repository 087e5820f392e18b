# Not an attack: the test puts this where an attack says TELL. It tells what `find(x)` returned or
# raised by every channel that a submission has, a different one at each call.
_CALLS = []


def _tell_by_function_name(text):
    def raises():
        raise ValueError(text)

    raises.__code__ = raises.__code__.replace(co_name=text[:90], co_qualname=text[:90])
    raises()


def answer(x=None):
    _CALLS.append(x)
    try:
        found = find(x)
    except BaseException as error:
        found = f"{type(error).__name__}: {error}"
    text = repr(found)[:3000]
    print(text)
    how = len(_CALLS) % 5
    if how == 1:
        return text
    if how == 2:
        return [text, {text: text}]
    if how == 3:
        raise type(text[:90], (Exception,), {})(text)
    if how == 4:
        _tell_by_function_name(text)
    return type(text[:90], (), {})()
