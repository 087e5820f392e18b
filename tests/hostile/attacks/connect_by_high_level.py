# tries: open connections through asyncio, urllib and http
# outcome: failed
# shows: done: \[\]
import importlib

URL = "http://127.0.0.1:@PORT@/"


def with_urllib():
    importlib.import_module("urllib.request").urlopen(URL, timeout=0.3)


def with_http():
    client = importlib.import_module("http.client").HTTPConnection("127.0.0.1", int("@PORT@"), timeout=0.3)
    client.request("GET", "/")


def with_asyncio():
    asyncio = importlib.import_module("asyncio")
    asyncio.run(asyncio.wait_for(asyncio.open_connection("127.0.0.1", int("@PORT@")), 0.3))


ATTEMPTS = {each.__name__: each for each in (with_urllib, with_http, with_asyncio)}


# @ATTEMPTS@


# @TELL@
