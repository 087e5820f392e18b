import numpy as np


def centre_columns(table):
    return None
