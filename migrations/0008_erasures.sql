-- People who were erased. Only adds. Of the person an anonymous row stays, because every audit keeps ids.

ALTER TABLE principals ADD COLUMN erased_at INTEGER;

-- One row a person: who ordered it, and once everything is gone, what was found in each store and what is left there.
CREATE TABLE erasures (
  person TEXT PRIMARY KEY,
  ordered_by TEXT NOT NULL,
  begun_at INTEGER NOT NULL,
  finished_at INTEGER,
  receipt TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX erasures_by_time ON erasures (begun_at, person);
