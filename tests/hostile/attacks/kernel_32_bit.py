# tries: reach denied calls by the 32-bit gate of the kernel, from machine code of its own
# outcome: errored
# shows: SIG(SYS|SEGV)
# needs: x86_64
import ctypes
import mmap


def answer(x):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(bytes.fromhex("b814000000 cd80 c3"))  # mov eax, 20 (getpid); int 0x80; ret
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int)(start)()
