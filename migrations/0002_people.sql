-- People: who was here when, how they may be recognised as well, and who changed what about whom. Only adds.

ALTER TABLE principals ADD COLUMN last_seen_at INTEGER;
ALTER TABLE identities ADD COLUMN display TEXT NOT NULL DEFAULT '';
ALTER TABLE identities ADD COLUMN last_seen_at INTEGER;

CREATE INDEX identities_by_principal ON identities (principal_id);

-- A code that a surface showed to the holder of `identity`; whoever is signed in and enters it links that identity.
CREATE TABLE link_codes (
  hash TEXT PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  display TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was changed about people. A change and its line are one transaction, and a line stays as it is.
CREATE TABLE people_audit (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER people_audit_stays BEFORE UPDATE ON people_audit BEGIN
  SELECT RAISE(ABORT, 'people_audit is append-only');
END;

CREATE TRIGGER people_audit_is_kept BEFORE DELETE ON people_audit BEGIN
  SELECT RAISE(ABORT, 'people_audit is append-only');
END;
