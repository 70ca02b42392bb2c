import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SentRequest } from "../../../../src/protocol/rest.ts";
import type { ViewEntry } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import type { Refused } from "../../net/rest.ts";
import { formatCount } from "../../state/format.ts";
import { sizeOf, sizeOfAll } from "../../state/sent.ts";
import { Icon } from "../icons.tsx";
import { PanelDialog } from "../panel-dialog.tsx";
import { Replay } from "./replay.tsx";
import { MessageBody } from "./sent-message.tsx";
import "../../style/sent.css";

interface SentPanelProps {
  readonly entry: ViewEntry;
  readonly chat: Chat;
  readonly onClose: () => void;
}

type Loaded =
  | { readonly status: "loading" }
  | { readonly status: "ready"; readonly sent: SentRequest }
  | { readonly status: "failed"; readonly words: string };

/** What was sent for an answer, and what another model makes of it. Loaded when it is first asked for. */
export function SentPanel({ entry, chat, onClose }: SentPanelProps): JSX.Element {
  const [loaded, setLoaded] = useState<Loaded>({ status: "loading" });
  useEffect(() => {
    void chat.history.sent(entry.id).then((reply) => {
      setLoaded(reply.ok ? { status: "ready", sent: reply.value } : { status: "failed", words: wordsFor(reply.error) });
    });
  }, []);
  const words = loaded.status === "failed" ? loaded.words : undefined;
  return (
    <PanelDialog title="What was sent" className="wide sent" problem={words} onClose={onClose}>
      {loaded.status === "loading" ? <p class="quiet">Loading…</p> : null}
      {loaded.status === "ready" ? (
        <>
          <Request sent={loaded.sent} />
          <Replay entry={entry} chat={chat} model={loaded.sent.model} />
        </>
      ) : null}
    </PanelDialog>
  );
}

function wordsFor(refused: Refused): string {
  return refused.status === 404 ? "Nothing was recorded for this answer." : refused.message;
}

function Request({ sent }: { readonly sent: SentRequest }): JSX.Element {
  const { messages, tools } = sent;
  return (
    <>
      <dl class="sent-facts">
        <dt>Model</dt>
        <dd>{sent.model}</dd>
        <dt>Thinking</dt>
        <dd>{sent.thinking}</dd>
        <dt>Size</dt>
        <dd>
          {formatCount(sizeOfAll(sent))} characters in {formatCount(messages.length)}{" "}
          {messages.length === 1 ? "message" : "messages"} and {formatCount(tools.length)}{" "}
          {tools.length === 1 ? "tool" : "tools"}
        </dd>
      </dl>
      <Part title="System prompt" size={sent.system.length}>
        <Text text={sent.system} />
      </Part>
      <Part title="Volatile text" size={sent.volatile.length}>
        <Text text={sent.volatile} />
      </Part>
      <Part title={`Tools (${formatCount(tools.length)})`} size={JSON.stringify(tools).length}>
        {tools.map((tool) => (
          <details key={tool.name} class="sent-part">
            <Summary title={tool.name} size={JSON.stringify(tool).length} />
            <p>{tool.description}</p>
            <Text text={JSON.stringify(tool.parameters, null, 2)} />
          </details>
        ))}
      </Part>
      <Part
        title={`Messages (${formatCount(messages.length)})`}
        size={messages.reduce((sum, one) => sum + sizeOf(one), 0)}
        isOpen
      >
        <ol class="sent-messages" tabIndex={0} aria-label="Messages in the order in which they were sent">
          {messages.map((message, index) => (
            <li key={index}>
              <MessageBody message={message} />
            </li>
          ))}
        </ol>
      </Part>
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly size: number;
  readonly isOpen?: boolean;
  readonly children: JSX.Element | readonly JSX.Element[];
}

function Part({ title, size, isOpen = false, children }: PartProps): JSX.Element {
  return (
    <details class="sent-part" open={isOpen}>
      <Summary title={title} size={size} />
      {children}
    </details>
  );
}

function Summary({ title, size }: { readonly title: string; readonly size: number }): JSX.Element {
  return (
    <summary>
      <Icon name="chevron" size={16} />
      <bdi>{title}</bdi>
      <span class="quiet">{formatCount(size)} characters</span>
    </summary>
  );
}

function Text({ text }: { readonly text: string }): JSX.Element {
  return <pre tabIndex={0}>{text === "" ? "(nothing)" : text}</pre>;
}
