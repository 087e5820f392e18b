# -*- coding: utf-7 -*-
# tries: hide code from a reader by an encoding that only Python would apply
# outcome: failed
# +AAo-import os+AAo-os._exit(0)
text = "+AAo-"
