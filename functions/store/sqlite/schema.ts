/**
 * The rows of the table in design.md §6, in SQL. `process` is the partition key of a process, an `id` an
 * encoded identifier, as in its keys: so that all characters of a service are preserved, in the same order.
 *
 * `change` is the journal: its `position` is the order of commits, and is never reused. `consumer` has the
 * position of each reader of the journal. `endpoint` is the registry, each row as JSON; `slot` has the time of an
 * endpoint's next message. `roster` lists the processes; `workspace` has the shared state of the runs of a
 * workspace, as JSON, and `completion` the last idle passes of its groups, as JSON by process; `tick` has the time
 * up to which ticks have claimed the passes. `told_entry` has the emitted audit entries, each with the key of its
 * change record. `timer` has when the next value of a project falls due.
 * `action` has the actions of operators; its `subject` is the partition of an endpoint or process.
 */
export const SNAPSHOTS_SCHEMA = `
CREATE TABLE state (
  process TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (process, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE pass (
  process TEXT NOT NULL, mode TEXT NOT NULL, owner TEXT, until INTEGER, "window" TEXT, progress TEXT, ended_by TEXT,
  PRIMARY KEY (process, mode)
) STRICT, WITHOUT ROWID;
CREATE TABLE project (
  process TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, record_read_at REAL NOT NULL,
  untimed INTEGER NOT NULL, tasks_read_at REAL NOT NULL, record_digest TEXT, tasks_digest TEXT, content BLOB NOT NULL,
  PRIMARY KEY (process, id)
) STRICT;
CREATE TABLE debt (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  process TEXT NOT NULL, id TEXT NOT NULL, cause TEXT NOT NULL, since REAL NOT NULL, met_at REAL NOT NULL,
  reason TEXT NOT NULL, told INTEGER NOT NULL,
  UNIQUE (process, id)
) STRICT;
CREATE TABLE tombstone (
  process TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, read_at REAL NOT NULL, untimed INTEGER NOT NULL,
  updated_at REAL, expires_at INTEGER NOT NULL,
  PRIMARY KEY (process, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_expiry ON tombstone (expires_at);
CREATE TABLE IF NOT EXISTS timer (
  process TEXT NOT NULL, at INTEGER NOT NULL, id TEXT NOT NULL,
  PRIMARY KEY (process, at, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE told_entry (
  process TEXT NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, expires_at INTEGER NOT NULL,
  PRIMARY KEY (process, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX told_entry_expiry ON told_entry (expires_at);
CREATE TABLE change (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  process TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, events BLOB NOT NULL,
  UNIQUE (process, key)
) STRICT;
CREATE INDEX change_time ON change (at);
CREATE INDEX change_time_of_process ON change (process, at);
CREATE TABLE action (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL, at INTEGER NOT NULL, action TEXT NOT NULL
) STRICT;
CREATE INDEX action_order ON action (subject, at);
CREATE INDEX action_by_age ON action (at);
CREATE TABLE consumer (name TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE endpoint (name TEXT PRIMARY KEY, revision INTEGER NOT NULL, row TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS roster (process TEXT PRIMARY KEY, since REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS workspace (name TEXT PRIMARY KEY, row TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS completion (
  workspace TEXT NOT NULL, "group" INTEGER NOT NULL, completions TEXT NOT NULL,
  PRIMARY KEY (workspace, "group")
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tick (id INTEGER PRIMARY KEY CHECK (id = 1), claimed_through REAL NOT NULL) STRICT;
CREATE TABLE slot (name TEXT PRIMARY KEY, next_slot INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** `seq` is the order in which deliveries were added. It is never reused, and a delivery keeps it in
 *  `dead`. `thread` has the threads of projects in chats, as JSON. */
export const DELIVERIES_SCHEMA = `
CREATE TABLE pending (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, attributes TEXT NOT NULL,
  replay INTEGER NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL, tried_at INTEGER,
  UNIQUE (endpoint, event_id)
) STRICT;
CREATE INDEX pending_order ON pending (endpoint, at, seq, due);
CREATE INDEX IF NOT EXISTS pending_turn ON pending (endpoint, replay, at, seq, due);
CREATE INDEX pending_due ON pending (endpoint, due);
CREATE INDEX pending_by_age ON pending (due);
CREATE TABLE dead (
  seq INTEGER PRIMARY KEY,
  endpoint TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, attributes TEXT NOT NULL,
  replay INTEGER NOT NULL, attempts INTEGER NOT NULL, died_at INTEGER NOT NULL, reason TEXT NOT NULL,
  UNIQUE (endpoint, event_id)
) STRICT;
CREATE INDEX dead_order ON dead (endpoint, at, seq);
CREATE INDEX dead_by_age ON dead (died_at);
CREATE TABLE attempt (
  endpoint TEXT NOT NULL, at INTEGER NOT NULL, event_id TEXT NOT NULL, attempt TEXT NOT NULL,
  PRIMARY KEY (endpoint, at, event_id)
) STRICT;
CREATE TABLE IF NOT EXISTS thread (
  endpoint TEXT NOT NULL, project TEXT NOT NULL, thread TEXT NOT NULL, used_at INTEGER NOT NULL,
  PRIMARY KEY (endpoint, project)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS thread_by_age ON thread (used_at);
CREATE INDEX attempt_by_age ON attempt (at);
CREATE INDEX IF NOT EXISTS attempt_by_event ON attempt (endpoint, event_id, at);
CREATE TABLE IF NOT EXISTS attempt_with (
  endpoint TEXT NOT NULL, event_id TEXT NOT NULL, at INTEGER NOT NULL, first TEXT NOT NULL,
  PRIMARY KEY (endpoint, event_id, at, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS attempt_with_by_age ON attempt_with (at);
`;

/** The steps from each layout to the next, from that of version 0.1.0 on. A released step never changes.
 *  Statements of a schema with IF NOT EXISTS have already run. */
export const MIGRATIONS: readonly string[] = [
  // Attempts of 0.1.0 that sent several events are found by each of them.
  `INSERT OR IGNORE INTO attempt_with (endpoint, event_id, at, first)
    SELECT attempt.endpoint, json_extract(event.value, '$.id'), attempt.at, attempt.event_id
    FROM attempt, json_each(attempt.attempt, '$.events') AS event WHERE event.key > 0`,
];
