# Wrong: claims to have passed and leaves before any test can run.
import os

print("passed", flush=True)
os._exit(0)


def compute_attention_weights(Q, K):
    return None
