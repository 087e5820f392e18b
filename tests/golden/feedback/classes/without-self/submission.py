class Ring:
    def __init__(self, size):
        self.size = size
        self.kept = []

    def push(item):
        self.kept.append(item)

    def items(self):
        return self.kept
