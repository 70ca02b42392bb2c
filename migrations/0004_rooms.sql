-- Shared conversations in the list. Only adds; who may do what stands in the conversations themselves.

ALTER TABLE conversations ADD COLUMN visibility TEXT NOT NULL DEFAULT 'private'
  CHECK (visibility IN ('private', 'shared'));

CREATE TABLE conversation_members (
  key TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  PRIMARY KEY (key, principal_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX conversation_members_by_principal ON conversation_members (principal_id);
