import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ViewEntry } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { describeLeft } from "../../state/dividers.ts";
import { layOutRows, type Row } from "../../state/rows.ts";
import { Problem } from "../problem.tsx";
import { LeftContext } from "./left-context.ts";

interface LeftBehindProps {
  /** The `core.rewind` entry. */
  readonly entry: number;
  readonly chat: Chat;
  readonly drawRow: (row: Row) => JSX.Element;
}

/** What going back left behind, to read and to fork from. */
export function LeftBehind({ entry, chat, drawRow }: LeftBehindProps): JSX.Element {
  const [entries, setEntries] = useState<readonly ViewEntry[] | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useEffect(() => {
    void chat.history.left(entry).then((reply) => {
      if (reply.ok) setEntries(reply.value.entries);
      else setProblem(reply.error.message);
    });
  }, []);
  if (problem !== undefined) return <Problem words={problem} />;
  if (entries === undefined) return <p class="note">Loading…</p>;
  const rows = layOutRows(entries, { turn: null }, []);
  const messages = rows.filter((row) => row.kind === "user" || row.kind === "answer").length;
  return (
    <LeftContext.Provider value>
      <section class="left-behind" aria-label="What was left behind">
        <p class="quiet">{describeLeft(messages, entries.length)}</p>
        {rows.map((row) => (row.kind === "day" ? null : drawRow(row)))}
      </section>
    </LeftContext.Provider>
  );
}
