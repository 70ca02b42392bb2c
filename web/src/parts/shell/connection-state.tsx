import type { JSX } from "preact";
import { unreachable } from "../../../../src/lib/assert.ts";
import type { Chat } from "../../app/chat.ts";
import type { Connection } from "../../state/connection.ts";
import { formatLeft } from "../../state/format.ts";
import { useNow } from "../use-app.ts";

/** Whether the page is connected, in a word. The word is left out (for the eye) while all is well. */
export function ConnectionState({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const connection = chat.connection.value;
  if (connection.status === "idle") return null;
  const isLive = connection.status === "live";
  return (
    <span class={`connection ${connection.status}`} title={describe(connection)}>
      <span class="dot" />
      <span class={isLive ? "visually-hidden" : ""}>{describe(connection)}</span>
      {connection.status === "waiting" ? <Retry chat={chat} until={connection.until} /> : null}
    </span>
  );
}

function Retry({ chat, until }: { readonly chat: Chat; readonly until: number }): JSX.Element {
  const now = useNow(1_000);
  return (
    <button type="button" class="text-button" onClick={() => chat.open()}>
      Try now<span class="retry-in"> ({formatLeft(until - now)})</span>
    </button>
  );
}

function describe(connection: Connection): string {
  switch (connection.status) {
    case "idle":
      return "Not connected";
    case "connecting":
      return connection.attempt === 0 ? "Connecting…" : "Connecting again…";
    case "live":
      return "Connected";
    case "waiting":
      return WAITING_WORDS[connection.why];
    case "ended":
      return ENDED_WORDS[connection.why];
    default:
      return unreachable(connection);
  }
}

const WAITING_WORDS = {
  offline: "Offline",
  restarting: "Server restarting",
  unreachable: "Server unreachable",
  busy: "Too many requests",
} as const;

const ENDED_WORDS = {
  signed_out: "Signed out",
  forbidden: "No access",
  gone: "Deleted",
} as const;
