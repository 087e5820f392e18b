class Ring:
    def __init__(self, size):
        self.size = size
        self.kept = []

    def push(self, item):
        self.kept.append(item)

    def items(self):
        self.kept
