import type { JSX } from "preact";
import type { ConversationSummary } from "../../../../src/protocol/rest.ts";
import { formatCost, formatRelative } from "../../state/format.ts";
import { Icon } from "../icons.tsx";
import { useApp } from "../use-app.ts";
import { ConversationMenu } from "./conversation-menu.tsx";

interface ConversationRowProps {
  readonly summary: ConversationSummary;
  readonly isOpen: boolean;
  readonly nowMs: number;
}

/** One conversation of the list: title, state, time, cost, and a menu. */
export function ConversationRow({ summary, isOpen, nowMs }: ConversationRowProps): JSX.Element {
  const app = useApp();
  const { id, title, state, updatedAt } = summary;
  const isUnread = !isOpen && summary.unread;
  const cost = formatCost(summary.usage.costMicros);
  return (
    <li class={isOpen ? "row open" : "row"}>
      <a
        class="row-link"
        href={`/chat/${id}`}
        aria-current={isOpen ? "page" : undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          app.openChat(id);
        }}
      >
        <span class={isUnread ? "row-title unread" : "row-title"}>
          <bdi>{title === "" ? "New conversation" : title}</bdi>
          {isUnread ? <span class="visually-hidden"> (new)</span> : null}
        </span>
        <span class="row-facts">
          {summary.visibility === "private" ? null : (
            <span class="row-room">
              <Icon name="people" size={14} />
              shared
            </span>
          )}
          {state === "idle" ? null : (
            <span class={`state ${state}`}>
              <span class="dot" />
              {STATE_WORDS[state]}
            </span>
          )}
          <time dateTime={new Date(updatedAt).toISOString()}>{formatRelative(updatedAt, nowMs)}</time>
          {cost === "" ? null : <span>{cost}</span>}
        </span>
      </a>
      <ConversationMenu summary={summary} className="row-menu" />
    </li>
  );
}

const STATE_WORDS = { running: "running", waiting: "needs you", failed: "failed" } as const;
