-- The directory: what must be listed and joined. Conversations themselves live in their objects.

-- A person. `tier` is what counts at the moment of use; `disabled_at` takes everything away.
CREATE TABLE principals (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('guest', 'member', 'admin', 'owner')),
  created_at INTEGER NOT NULL,
  disabled_at INTEGER
) STRICT, WITHOUT ROWID;

-- How a person is recognised: `<provider>:<subject>`, linked to one principal.
CREATE TABLE identities (
  id TEXT PRIMARY KEY,
  principal_id TEXT NOT NULL REFERENCES principals (id),
  linked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `hash` is the hex SHA-256 of the session id; the id itself is only in the browser's cookie.
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  principal_id TEXT NOT NULL REFERENCES principals (id),
  identity TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

-- One-time codes of the owner. A spent one keeps the session that it gave: the audit of sign-ins by code.
CREATE TABLE owner_codes (
  hash TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  spent_at INTEGER,
  session_hash TEXT
) STRICT, WITHOUT ROWID;

-- Counters of tries, one row per thing counted.
CREATE TABLE rate_windows (
  name TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  tries INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A mirror of each conversation's own row, for listing only. Newest `rev` wins; a deleted key never comes back.
CREATE TABLE conversations (
  key TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  owner TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('idle', 'running', 'waiting', 'failed')),
  usage TEXT NOT NULL,
  rev INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX conversations_by_owner ON conversations (owner, updated_at);
