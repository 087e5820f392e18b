# tries: show code in another order than it runs, and names that look the same
# outcome: failed, errored
аnswer = None  # the first letter is Cyrillic
"""‮⁦""" ; print("‮⁦ passed ⁩⁦")
def answеr(x):  # so is the e
    return x
