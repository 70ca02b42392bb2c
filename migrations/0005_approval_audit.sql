-- What was decided about calls that wait for a person: copies of each conversation's own audit, and which cards are open.

-- A line as the conversation wrote it; the other columns are read out of it. A line stays, also when its conversation goes.
CREATE TABLE approval_audit (
  conversation TEXT NOT NULL,
  seq INTEGER NOT NULL,
  line TEXT NOT NULL,
  at INTEGER GENERATED ALWAYS AS (json_extract(line, '$.at')) VIRTUAL,
  event TEXT GENERATED ALWAYS AS (json_extract(line, '$.event')) VIRTUAL,
  hold TEXT GENERATED ALWAYS AS (json_extract(line, '$.hold')) VIRTUAL,
  person TEXT GENERATED ALWAYS AS (json_extract(line, '$.by')) VIRTUAL,
  PRIMARY KEY (conversation, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX approval_audit_by_time ON approval_audit (at);

CREATE TRIGGER approval_audit_stays BEFORE UPDATE ON approval_audit BEGIN
  SELECT RAISE(ABORT, 'approval_audit is append-only');
END;

CREATE TRIGGER approval_audit_is_kept BEFORE DELETE ON approval_audit BEGIN
  SELECT RAISE(ABORT, 'approval_audit is append-only');
END;

-- The newest line of each chain, so that one whose end is missing is noticed. It only moves on.
CREATE TABLE approval_audit_heads (
  conversation TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER approval_audit_heads_move_on BEFORE UPDATE ON approval_audit_heads WHEN new.seq <= old.seq BEGIN
  SELECT RAISE(ABORT, 'approval_audit_heads only moves on');
END;

CREATE TRIGGER approval_audit_heads_are_kept BEFORE DELETE ON approval_audit_heads BEGIN
  SELECT RAISE(ABORT, 'approval_audit_heads is kept');
END;

-- Cards that are open now, for listing only: the conversation itself decides. `reader` is the one person who may see the
-- card's conversation; empty in a shared one.
CREATE TABLE open_cards (
  conversation TEXT NOT NULL,
  hold TEXT NOT NULL,
  digest TEXT NOT NULL,
  tool TEXT NOT NULL,
  action TEXT NOT NULL,
  asked_by TEXT,
  asked_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  min_tier TEXT NOT NULL CHECK (min_tier IN ('guest', 'member', 'admin', 'owner')),
  approvers TEXT,
  approval TEXT CHECK (approval IN ('speaker')),
  reader TEXT NOT NULL,
  PRIMARY KEY (conversation, hold)
) STRICT, WITHOUT ROWID;

CREATE INDEX open_cards_by_reader ON open_cards (reader, asked_at);
