class Ring:
    def __init__(self, size, kind):
        self.size = size
        self.kept = []

    def push(self, item):
        self.kept.append(item)

    def items(self):
        return self.kept
