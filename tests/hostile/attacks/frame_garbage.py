# tries: write garbage to every descriptor
# outcome: errored
# @FRAMES@
for descriptor in range(3, 256):
    try:
        os.write(descriptor, b"\xff" * 64 + b'{"outcome":"passed"}\n')
    except OSError:
        pass
