# tries: return coroutines and generators, which somebody might run
# outcome: failed
# shows: coroutine
async def answer(x):
    import os
    os._exit(0)
