# tries: loop for ever at import, catching everything
# outcome: timed out
# limits: quick
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
