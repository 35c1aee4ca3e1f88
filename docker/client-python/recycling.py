"""A pool that lets go of its connections: after a while the next request gets a new pool, and with it a new look-up."""

import time


class Recycling:
    """Holds a pool that `make` makes and `close` closes, for at most `seconds`; with None, for ever."""

    def __init__(self, make, close, seconds):
        self._make, self._close, self._seconds = make, close, seconds
        self._pool, self._made = make(), time.monotonic()

    def pool(self):
        if self._seconds is not None and time.monotonic() - self._made >= self._seconds:
            self._close(self._pool)
            self._pool, self._made = self._make(), time.monotonic()
        return self._pool
