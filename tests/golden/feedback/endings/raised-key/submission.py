def double(x):
    return {'once': x}['twice']
