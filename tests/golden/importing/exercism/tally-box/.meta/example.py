class BoxClosed(Exception):
    pass


class TallyBox:
    def __init__(self):
        self.counts = {}
        self.closed = False

    def put(self, name, amount=1):
        if self.closed:
            raise BoxClosed('the box is closed')
        if amount < 1:
            raise ValueError('put in at least one')
        self.counts[name] = self.counts.get(name, 0) + amount

    def close(self):
        self.closed = True

    def names(self):
        return list(self.counts)

    def share(self, name):
        return self.counts[name] / sum(self.counts.values())


def total(box):
    return sum(box.counts.values())
