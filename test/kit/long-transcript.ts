import type { StoragePort } from "../../src/kernel/index.ts";
import type { Control } from "../../src/kernel/state/control.ts";

/** No two entries say the same: what is measured must not profit from equal strings. */
const SAID = Array.from({ length: 8 }, (_, i) => `#id# said ${i}: this was a long time ago, and it is answered. `).join(
  "",
);

/**
 * Puts so many entries into a conversation that rests and is not open, as years of talk would have left them.
 * @param active how many of them the active transcript still holds, by a summary at the end; absent: all.
 */
export function growTranscript(storage: StoragePort, entries: number, active?: number): void {
  const [row] = storage.sql.exec<{ body: string }>("SELECT body FROM control").toArray();
  const control = JSON.parse(row?.body ?? "null") as Control;
  const first = control.nextId;
  const last = first + entries - 1;
  const said = (role: string, extra: object) =>
    JSON.stringify({ at: 1, message: { role, content: [{ type: "text", text: SAID }], ...extra } });
  const usage = { input: 100, output: 100, cachedRead: 0, cachedWrite: 0, costMicros: 0 };
  const answer = JSON.parse(said("assistant", { stop: "end" })) as object;
  storage.sql.exec(
    `WITH RECURSIVE n(id) AS (SELECT ? UNION ALL SELECT id + 1 FROM n WHERE id < ?)
     INSERT INTO entries (id, kind, rev, body)
     SELECT id, CASE id % 2 WHEN 0 THEN 'core.user' ELSE 'core.assistant' END, 1, replace(CASE id % 2 WHEN 0 THEN ? ELSE ? END, '#id#', hex(randomblob(8)))
     FROM n`,
    first,
    last,
    said("user", {}),
    JSON.stringify({ ...answer, data: { model: "m", usage, ms: 1 } }),
  );
  const grown = {
    ...control,
    firstEntry: control.firstEntry || first,
    nextId: last + 1,
    lastEntry: last,
    windowFrom: last - 49,
  };
  storage.sql.exec("UPDATE control SET body = ?", JSON.stringify(active ? summarised(storage, grown, active) : grown));
}

/** Ends the transcript with a summary that keeps the newest entries. */
function summarised(storage: StoragePort, control: Control, keep: number): Control {
  const id = control.nextId;
  const head = [[id - keep, id - 1]] as const;
  const message = { role: "user", content: [{ type: "text", text: "A summary of all that." }] };
  const body = JSON.stringify({ at: 1, message, head });
  storage.sql.exec("INSERT INTO entries (id, kind, rev, body) VALUES (?, 'core.summary', 1, ?)", id, body);
  return { ...control, nextId: id + 1, lastEntry: id, kept: head, activeFrom: id, head: id, systemEntry: 0 };
}
