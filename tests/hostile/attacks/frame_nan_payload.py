# tries: send NaNs with payloads, negative zeros and denormals in every float type
# outcome: failed
# @FRAMES@
BITS = {"<f8": b"\xff" * 7 + b"\x7f" + b"\x01\0\0\0\0\0\xf0\x7f", "<f4": b"\x01\0\x80\x7f" * 2,
        "<f2": b"\x01\x7c" * 2, "<c16": b"\xff" * 32, "<c8": b"\xff" * 16, "|b1": b"\x02\xff"}
CALLS = []


def answer(x):
    CALLS.append(x)
    name, data = list(BITS.items())[len(CALLS) % len(BITS)]
    send(answer_ok(len(CALLS) + 1, ["a", name, [2], 0], data))
    import time
    time.sleep(0.01)
    os.dup2(os.open("/dev/null", os.O_WRONLY), 3) if len(CALLS) == 1 else None
