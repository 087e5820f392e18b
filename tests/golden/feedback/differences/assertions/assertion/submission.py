class Ring:
    def __init__(self, size):
        self.size = size
        self.kept = []

    def push(self, item):
        self.kept = [*self.kept, item][: self.size]

    def items(self):
        return self.kept
