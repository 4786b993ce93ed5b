"""The record that outlives a process: one SQLite file with what is known, what is owed and what has happened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

# How long a connection waits for another one that is writing.
WAIT_SECONDS = 5.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
    id            INTEGER PRIMARY KEY,
    task_id       TEXT,                             -- the run that learnt it, if it was a run
    subject       TEXT NOT NULL,
    predicate     TEXT NOT NULL,
    value         TEXT NOT NULL,
    source        TEXT NOT NULL,
    observed_at   TEXT NOT NULL,                    -- when it was so, ISO
    recorded_at   TEXT NOT NULL,                    -- when it was written down, ISO
    superseded_by INTEGER REFERENCES facts (id)     -- the fact that stands in its place
);
CREATE TABLE IF NOT EXISTS obligations (
    id          INTEGER PRIMARY KEY,
    task_id     TEXT NOT NULL,
    kind        TEXT NOT NULL,
    key         TEXT NOT NULL UNIQUE,               -- the idempotency key: one obligation for one intent
    state       TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'claimed', 'done', 'failed')),
    created_at  TEXT NOT NULL,
    deadline    TEXT,
    worker      TEXT,                               -- who holds the claim
    lease_until REAL,                               -- until when, in the seconds of whoever claims
    token       INTEGER NOT NULL DEFAULT 0,         -- rises with every claim
    result      TEXT                                -- what `state.commit` left, as JSON
);
CREATE TABLE IF NOT EXISTS requires (
    obligation_id INTEGER NOT NULL REFERENCES obligations (id),
    needs_id      INTEGER NOT NULL REFERENCES obligations (id),
    kind          TEXT NOT NULL CHECK (kind IN ('causal', 'sequential')),
    PRIMARY KEY (obligation_id, needs_id)
);
CREATE TABLE IF NOT EXISTS effects (
    id      INTEGER PRIMARY KEY,
    key     TEXT NOT NULL,                          -- not unique: an effect that happened twice shows as two rows
    payload TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS steps (
    task_id TEXT NOT NULL,
    n       INTEGER NOT NULL,                       -- place in the run's trace, from 0
    entry   TEXT NOT NULL,                          -- the trace entry, as JSON
    PRIMARY KEY (task_id, n)
);
CREATE TABLE IF NOT EXISTS episodes (
    id          INTEGER PRIMARY KEY,
    task_id     TEXT NOT NULL,
    role        TEXT NOT NULL,
    content_ref TEXT NOT NULL,                      -- where the text lies; the text itself is no state
    created_at  TEXT NOT NULL
);
"""


def open_store(path: str | Path) -> sqlite3.Connection:
    """A connection to the record at `path`, made with its tables when it is not there yet.

    The file is in WAL mode, so that readers and one writer do not wait for each other; a writer waits
    up to `WAIT_SECONDS` for another. Transactions are Python's usual ones: the first INSERT, UPDATE or DELETE begins
    one, unless you said BEGIN yourself, and commit() or rollback() ends it. Rows are tuples.
    """
    db = sqlite3.connect(path, timeout=WAIT_SECONDS)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA foreign_keys = ON")
    if db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'episodes'").fetchone() == (0,):
        db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
    return db
