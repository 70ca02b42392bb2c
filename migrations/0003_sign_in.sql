-- Signing in by providers: owners whom the configuration names, and invitations. Only adds.

ALTER TABLE principals ADD COLUMN configured_owner INTEGER NOT NULL DEFAULT 0;

-- `hash` is the hex SHA-256 of the code in the invitation's link.
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  tier TEXT NOT NULL CHECK (tier IN ('guest', 'member', 'admin')),
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  spent_by TEXT
) STRICT, WITHOUT ROWID;
