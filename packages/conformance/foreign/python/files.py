"""Locks that are directories, and documents that are replaced whole."""

import os
import random
import shutil
import time
from pathlib import Path
from secrets import token_hex

from documents import Damaged, dump, parse

STALE = 10.0  # seconds from which a lock may be taken over
WAIT = 5.0  # for a lock, then the answer is "locked"
held = []  # the locks of this process; a store is for one thread


class Refusal(Exception):
    """An outcome that the caller could not know. FileNotFoundError is one more: the team went away meanwhile."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Busy(Refusal):
    """A lock that another process kept."""


class Lock:
    """The directory `<file>.lock`, from `with` to its end."""

    def __init__(self, path, until=None):
        self.path = f"{path}.lock"
        self.until = time.monotonic() + WAIT if until is None else until

    def __enter__(self):
        pause = 0.004
        while not self._take():
            if time.monotonic() > self.until:
                raise Busy("locked", f"{self.path} is held by another process; try again")
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 1.4, 0.05)
        held.append(self)
        return self

    def __exit__(self, *_):
        held.remove(self)
        if self.is_mine():
            os.rmdir(self.path)

    def is_mine(self):
        return _mark(self.path) == self.mark

    def _take(self):
        try:
            os.mkdir(self.path, 0o700)
        except FileExistsError:
            self._take_over()
            return False
        self.mark = _mark(self.path)
        return True

    def _take_over(self):
        judged = _mark(self.path)
        if judged is None or time.time() - judged[1] / 1e9 <= STALE:
            return
        aside = f"{self.path}.{token_hex(4)}"
        try:
            os.rename(self.path, aside)
        except FileNotFoundError:
            return  # another was quicker
        if _mark(aside) == judged:
            return shutil.rmtree(aside, ignore_errors=True)
        try:  # a fresh lock was caught: put it back, unless its place is taken meanwhile
            os.mkdir(self.path)
            os.rename(aside, self.path)
        except FileExistsError:
            os.rmdir(aside)


def _mark(path):
    """Tells one lock from the next: inode numbers alone are given out again at once by some file systems."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def still_held():
    """Right before every change on disk: a process that slept may have lost its locks."""
    for lock in held:
        if not lock.is_mine():
            raise Refusal("locked", f"{lock.path} was taken over meanwhile; nothing more is written")


def read(path, until=None):
    """(value, problems, is_faithful), or None where no file is. A torn one is read again, by default for a second."""
    until = until or time.monotonic() + (0.2 if held else 1.0)
    while True:
        try:
            return parse(Path(path).read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except Damaged as error:
            if time.monotonic() >= until:
                raise Refusal("invalid", f"{path} is damaged: {error}") from None
        time.sleep(0.02)


def read_to_write(path):
    """The value as it stands in the file, for a rewrite that loses nothing of it; None where no file is."""
    value, _, is_faithful = read(path) or (None, [], True)
    if not is_faithful:
        raise Refusal("refused", f"{path} holds what cannot be written back as it is")
    return value


def publish(path, value):
    write(path, dump(value))


def write(path, data):
    still_held()
    temporary = f"{path}.tmp.{token_hex(4)}"
    mode = path.stat().st_mode & 0o777 if path.is_file() and not path.is_symlink() else 0o600
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            os.fchmod(handle, mode)
        still_held()
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def remove(place):
    """All of it, also what others put there meanwhile."""
    for _ in range(100):
        shutil.rmtree(place, ignore_errors=True)
        if not os.path.lexists(place):
            return
        time.sleep(0.01)
