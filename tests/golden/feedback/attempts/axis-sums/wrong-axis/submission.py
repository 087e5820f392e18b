import numpy as np


def sales_totals(sold):
    return sold.sum(axis=0), sold.sum(axis=(0, 1))
