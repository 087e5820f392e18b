import numpy as np


class attention_weights:
    pass
