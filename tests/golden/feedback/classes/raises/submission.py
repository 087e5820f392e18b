class Ring:
    def __init__(self, size):
        self.size = size
        self.kept = []

    def push(self, item):
        self.kept.add(item)

    def items(self):
        return self.kept
