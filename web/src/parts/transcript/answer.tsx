import type { JSX } from "preact";
import type { Chat } from "../../app/chat.ts";
import { type AnswerPart, committedParts, liveParts } from "../../state/answer-parts.ts";
import type { Call, Row } from "../../state/rows.ts";
import { AnswerEnd } from "./answer-end.tsx";
import { Markdown } from "./markdown.tsx";
import { Thinking } from "./thinking.tsx";
import { ToolRow } from "./tool-row.tsx";

interface AnswerProps {
  readonly row: Extract<Row, { readonly kind: "answer" | "live" }>;
  readonly chat: Chat;
  readonly isLast: boolean;
}

/** An answer, streaming or committed. */
export function Answer({ row, chat, isLast }: AnswerProps): JSX.Element {
  const isLive = row.kind === "live";
  const parts = isLive ? liveParts(chat.transcript.live.value, row.task) : committedParts(row.entry);
  const calls = isLive ? NO_CALLS : row.calls;
  const isShown = parts.length > 0 || !isLive;
  const isInherited = !isLive && row.entry.inherited === true;
  const className = ["answer", isShown ? "" : "empty", isInherited ? "inherited" : ""].filter((name) => name !== "");
  return (
    <article class={className.join(" ")} data-key={row.key} tabIndex={-1} aria-busy={isLive}>
      {isShown ? <h2 class="visually-hidden">Answer{isInherited ? ", before the fork" : ""}</h2> : null}
      {parts.map((part) => (
        <PartView key={part.key} part={part} calls={calls} isLive={isLive} chat={chat} />
      ))}
      {isLive ? null : <AnswerEnd entry={row.entry} chat={chat} isLast={isLast} />}
    </article>
  );
}

const NO_CALLS: readonly Call[] = [];

interface PartViewProps {
  readonly part: AnswerPart;
  readonly calls: readonly Call[];
  readonly isLive: boolean;
  readonly chat: Chat;
}

function PartView({ part, calls, isLive, chat }: PartViewProps): JSX.Element | null {
  if (part.kind === "call") {
    const call = calls[part.index];
    return call === undefined ? null : <ToolRow call={call} chat={chat} />;
  }
  if (part.kind === "thinking") return <Thinking text={part.text} isLive={isLive} />;
  return <Markdown text={part.text} isComplete={!isLive} />;
}
