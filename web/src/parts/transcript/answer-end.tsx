import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AssistantMessage } from "../../../../src/protocol/message.ts";
import type { AssistantEntryData, ViewEntry } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { formatClock, formatCost, formatCount, formatDuration } from "../../state/format.ts";
import { answerData, textOf } from "../../state/rows.ts";
import { copyText } from "../copy-text.ts";
import { Icon } from "../icons.tsx";
import { MessageMenu, PinnedMark } from "./message-menu.tsx";
import { TryAgain } from "./try-again.tsx";
import { TurnChoices } from "./turn-choices.tsx";

interface AnswerEndProps {
  readonly entry: ViewEntry;
  readonly chat: Chat;
  readonly isLast: boolean;
}

/** What stands below an answer: why it broke off, if it did, what can be done now, and its facts. */
export function AnswerEnd({ entry, chat, isLast }: AnswerEndProps): JSX.Element | null {
  const { display } = answerData(entry);
  const stop = (entry.message as AssistantMessage | undefined)?.stop;
  const isFailed = display?.reason === "failed";
  // A step that called tools goes on below, unless the turn broke off in them.
  if (stop === "calls" && display === undefined && !isLast) return null;
  return (
    <>
      {isFailed ? <Failed display={display} chat={chat} isLast={isLast} /> : null}
      {display?.reason === "stopped" ? <p class="answer-end stopped">Stopped.</p> : null}
      {display?.reason === "skipped" ? (
        <p class="answer-end stopped">Skipped: {display.error ?? "no reason was given."}</p>
      ) : null}
      {stop === "length" ? <p class="answer-end stopped">Cut off at the length limit of the model.</p> : null}
      {stop === "refusal" ? <p class="answer-end stopped">The model declined to answer.</p> : null}
      <PinnedMark entry={entry} chat={chat} />
      <Facts entry={entry} chat={chat} canRetry={isLast && !isFailed} />
    </>
  );
}

interface FailedProps {
  readonly display: NonNullable<AssistantEntryData["display"]>;
  readonly chat: Chat;
  readonly isLast: boolean;
}

function Failed({ display, chat, isLast }: FailedProps): JSX.Element {
  return (
    <div class="answer-end failed">
      <p>
        <Icon name="cross" size={18} />
        <span>The answer failed: {display.error ?? "no reason was given."}</span>
      </p>
      {isLast ? (
        <div class="answer-ways">
          <TryAgain chat={chat} className="button small" />
          <TurnChoices choices={display.choices ?? []} chat={chat} />
        </div>
      ) : null}
    </div>
  );
}

const COPIED_MS = 1_600;

interface FactsProps {
  readonly entry: ViewEntry;
  readonly chat: Chat;
  readonly canRetry: boolean;
}

function Facts({ entry, chat, canRetry }: FactsProps): JSX.Element {
  const { model, ms, usage } = answerData(entry);
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    setCopied(await copyText(textOf(entry)));
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  const tokens = usage === undefined ? 0 : usage.input + usage.cachedRead + usage.cachedWrite + usage.output;
  const facts = [
    model ?? "",
    ms === undefined ? "" : formatDuration(ms),
    tokens > 0 ? `${formatCount(tokens)} tokens` : "",
    usage === undefined ? "" : formatCost(usage.costMicros),
  ];
  return (
    <div class="facts">
      <button type="button" class="fact-button" onClick={() => void copy()}>
        <Icon name={isCopied ? "check" : "copy"} size={16} />
        {isCopied ? "Copied" : "Copy"}
      </button>
      {canRetry ? <TryAgain chat={chat} className="fact-button" /> : null}
      <MessageMenu entry={entry} chat={chat} label="More for this answer" />
      <time dateTime={new Date(entry.at).toISOString()}>{formatClock(entry.at)}</time>
      <span>{facts.filter((fact) => fact !== "").join(" · ")}</span>
    </div>
  );
}
