"""Asks again and again. It prints nothing that is trusted: that a request arrives is the evidence."""

import os
import signal
import sys
import time

from recycling import Recycling

URL = os.environ["MUSTER_URL"]
HEADERS = {"x-muster-client": os.environ["MUSTER_CLIENT"]}
EVERY = int(os.environ["MUSTER_EVERY_MS"]) / 1000
TIMEOUT = int(os.environ["MUSTER_TIMEOUT_MS"]) / 1000
RECYCLE = os.environ["MUSTER_RECYCLE_MS"]


def httpx_pools(seconds):
    import httpx

    return Recycling(lambda: httpx.Client(timeout=TIMEOUT), httpx.Client.close, seconds)


def urllib3_pools(seconds):
    import urllib3

    def make():
        return urllib3.PoolManager(timeout=TIMEOUT, retries=False)

    return Recycling(make, urllib3.PoolManager.clear, seconds)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
make = {"httpx": httpx_pools, "urllib3": urllib3_pools}[os.environ["MUSTER_LIBRARY"]]
pools = make(int(RECYCLE) / 1000 if RECYCLE else None)
due = time.monotonic()
while True:
    try:
        pools.pool().request("GET", URL, headers=HEADERS)
    except Exception as problem:  # whatever a library raises, the next request is due
        print(repr(problem), file=sys.stderr)
    now = time.monotonic()
    due = max(due + EVERY, now)
    time.sleep(due - now)
