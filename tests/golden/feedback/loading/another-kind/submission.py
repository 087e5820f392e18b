import numpy as np


attention_weights = np.ones((3, 5))
