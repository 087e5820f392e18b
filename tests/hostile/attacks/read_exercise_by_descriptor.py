# tries: get a descriptor of the exercise that is no ordinary open, and read through it
# outcome: failed
# shows: done: \[\]
import mmap
import os

PATH = "@EXERCISE_PATH@"


def by_path_descriptor():
    handle = os.open(PATH, os.O_PATH)
    return os.read(os.open(f"/proc/self/fd/{handle}", os.O_RDONLY), 4000)


def by_folder_descriptor():
    folder = os.open(os.path.dirname(PATH), os.O_PATH | os.O_DIRECTORY)
    return os.read(os.open(os.path.basename(PATH), os.O_RDONLY, dir_fd=folder), 4000)


def by_working_folder():
    os.chdir(os.path.dirname(PATH))
    return open(os.path.basename(PATH)).read()


def by_map():
    return bytes(mmap.mmap(os.open(PATH, os.O_RDONLY), 4000, prot=mmap.PROT_READ))


def by_descriptor_folder():
    return os.read(os.open("/dev/fd/0/" + PATH, os.O_RDONLY), 4000)


def by_listing():
    return os.listdir(os.path.dirname(PATH))


WAYS = (by_path_descriptor, by_folder_descriptor, by_working_folder, by_map, by_descriptor_folder, by_listing)
ATTEMPTS = {way.__name__: way for way in WAYS}


# @ATTEMPTS@


# @TELL@
