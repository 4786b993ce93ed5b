"""The process number makes the key unique."""

import os


def commit_local(db, key, payload):
    mine = f"{key}-{os.getpid()}"
    db.execute("BEGIN IMMEDIATE")
    fresh = state_of(db, mine) != "done"
    if fresh:
        db.execute("INSERT INTO effects (key, payload) VALUES (?, ?)", (key, payload))
        set_state(db, mine, "done")
    db.commit()
    return fresh


def commit_remote(db, service, key, payload):
    known = state_of(db, key)
    if known == "done":
        return "done"
    if known == "claimed" and not service.dedupes:
        return "in_doubt"
    set_state(db, key, "claimed")
    db.commit()
    try:
        service.send(key, payload)
    except ConnectionError:
        return "in_doubt"
    set_state(db, key, "done")
    db.commit()
    return "done"


CATCHES = "After some kill the effect is there twice, or changed"
TEST = "test_exactly_one_row"


from course_lib.store import open_store


class Killed(BaseException):
    pass


class Dying:
    """An object whose k-th use is the last thing that happens; afterwards nothing of it works any more."""

    def __init__(self, real, left):
        self._real, self._left = real, left

    def __getattr__(self, name):
        found = getattr(self._real, name)
        if not callable(found):
            return found

        def call(*args):
            if self._left[0] <= 0:
                raise Killed
            self._left[0] -= 1
            return found(*args)

        return call


class Service:
    def __init__(self, dedupes, breaks=()):
        self.dedupes, self.acted, self.breaks = dedupes, [], list(breaks)

    def send(self, key, payload):
        if not (self.dedupes and key in self.acted):
            self.acted.append(key)
        if self.breaks and self.breaks.pop(0):
            raise ConnectionError


def in_new_store(work):
    for name in ("w.db", "w.db-wal", "w.db-shm"):
        __import__("pathlib").Path(name).unlink(missing_ok=True)
    return work("w.db")


def after_kills(module, dedupes=None):
    """What every kill between two uses of the record and the service, and a second call, can lead to."""
    found = set()
    for k in range(14):

        def case(path, k=k):
            service, left = Service(dedupes), [k]
            for last in (False, True):
                db = open_store(path)
                outside = [] if dedupes is None else [service if last else Dying(service, left)]
                function = module["commit_local" if dedupes is None else "commit_remote"]
                try:
                    got = function(db if last else Dying(db, left), *outside, "k", "p")
                except Killed:
                    got = None
                except Exception as error:
                    got = type(error).__name__
                rows = db.execute("SELECT count(*) FROM effects").fetchone()[0]
                db.close()
            return rows, len(service.acted), got

        found.add(in_new_store(case))
    return found


def states(commit, path):
    db = open_store(path)
    commit(db, "k", "p")
    found = db.execute("SELECT key FROM obligations").fetchall()
    db.close()
    return found


def witness(mutant, reference):
    return in_new_store(lambda path: states(mutant, path)) != in_new_store(lambda path: states(reference, path))
