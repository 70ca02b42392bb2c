-- A session that an access token opened ends with the token. Only adds.

ALTER TABLE sessions ADD COLUMN expires_at INTEGER;
