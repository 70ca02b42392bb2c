import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ViewEntry } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { textOf } from "../../state/rows.ts";
import { MenuItem } from "../menu.tsx";

/** The pinned messages, in the conversation's menu: each jumps to its place. */
export function PinnedItems({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const pins = [...chat.transcript.pins.value].toSorted((a, b) => a - b);
  if (pins.length === 0) return null;
  return (
    <div class="menu-group" role="group" aria-label="Pinned">
      <p class="menu-heading">Pinned</p>
      {pins.map((entry) => (
        <PinnedItem key={entry} entry={entry} chat={chat} />
      ))}
    </div>
  );
}

const PREVIEW_UNITS = 60;

function PinnedItem({ entry, chat }: { readonly entry: number; readonly chat: Chat }): JSX.Element {
  const known = chat.transcript.rows.value.find((row) => "entry" in row && row.entry.id === entry);
  const [fetched, setFetched] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (known !== undefined) return;
    void chat.wholeEntry(entry).then((reply) => setFetched(reply.ok ? wordsOf(reply.value) : ""));
  }, []);
  const text = known !== undefined && "entry" in known ? wordsOf(known.entry) : fetched;
  return (
    <MenuItem
      icon="pin"
      onPick={() => {
        chat.wanted.value = { entry };
      }}
    >
      <bdi class="menu-preview">{nameMessage(text)}</bdi>
    </MenuItem>
  );
}

/** What a message says, without the marks of an answer's Markdown. */
function wordsOf(entry: ViewEntry): string {
  const text = textOf(entry);
  return entry.kind === "core.assistant" ? text.replaceAll(/\*\*|__|`|^#+ /gm, "") : text;
}

function nameMessage(text: string | undefined): string {
  if (text === undefined) return "…";
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" ? "A message without words" : line.slice(0, PREVIEW_UNITS);
}
