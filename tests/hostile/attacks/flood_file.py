# tries: write a file of a gigabyte
# outcome: failed
# shows: written: [0-9] MiB
def find(x):
    written = 0
    try:
        with open("large", "wb", 0) as file:
            while written < 64:
                written += file.write(bytes(1 << 20)) == 1 << 20
    except OSError:
        pass
    return f"written: {written} MiB"


# @TELL@
