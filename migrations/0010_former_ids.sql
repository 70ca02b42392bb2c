-- People who became one with somebody else. Only adds. A row stays: what was said and decided keeps the former id.

-- `tier` is what the former was when that happened, or less, when somebody in between was. `finished_at` is empty until
-- everything that a person has of their own is the survivor's.
CREATE TABLE former_ids (
  former TEXT PRIMARY KEY,
  survivor TEXT NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('guest', 'member', 'admin', 'owner')),
  merged_at INTEGER NOT NULL,
  ordered_by TEXT NOT NULL,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX former_ids_by_survivor ON former_ids (survivor);
