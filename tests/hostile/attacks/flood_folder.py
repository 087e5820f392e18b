# tries: fill the scratch folder with files under the size of one, for others to find it full
# outcome: failed
# shows: filled: [01]?[0-9] MiB
def find(x):
    filled = 0
    for number in range(12):
        try:
            with open(f"part{number}", "wb", 0) as file:
                for _ in range(7):
                    filled += file.write(bytes(1 << 20)) == 1 << 20
        except OSError:
            pass
    return f"filled: {filled} MiB"


# @TELL@
