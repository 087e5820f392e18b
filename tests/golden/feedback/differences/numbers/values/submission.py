def count(shapes):
    return int(sum(rows + columns for rows, columns in shapes))


def share(part, whole):
    return part // whole


def name(n):
    return "head-1"
