-- Which migrations of plugins were applied. `hash` is the hex SHA-256 of what was applied last under that id.
CREATE TABLE plugin_migrations (
  plugin TEXT NOT NULL,
  id TEXT NOT NULL,
  hash TEXT NOT NULL,
  applied_at INTEGER NOT NULL,
  PRIMARY KEY (plugin, id)
) STRICT, WITHOUT ROWID;
