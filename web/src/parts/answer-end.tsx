import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AssistantMessage } from "../../../src/protocol/message.ts";
import type { ViewEntry } from "../../../src/protocol/view.ts";
import type { Chat } from "../app/chat.ts";
import { formatClock, formatCost, formatCount, formatDuration } from "../state/format.ts";
import { answerData, textOf } from "../state/rows.ts";
import { copyText } from "./copy-text.ts";
import { Icon } from "./icons.tsx";
import { TryAgain } from "./try-again.tsx";

interface AnswerEndProps {
  readonly entry: ViewEntry;
  readonly chat: Chat;
  readonly isLast: boolean;
}

/** What stands below an answer: why it broke off, if it did, and its facts. */
export function AnswerEnd({ entry, chat, isLast }: AnswerEndProps): JSX.Element | null {
  const { display } = answerData(entry);
  const stop = (entry.message as AssistantMessage | undefined)?.stop;
  if (display?.reason === "failed") {
    return (
      <div class="answer-end failed">
        <p>
          <Icon name="cross" size={18} />
          <span>The answer failed: {display.error ?? "no reason was given."}</span>
        </p>
        {isLast ? <TryAgain chat={chat} /> : null}
      </div>
    );
  }
  if (display?.reason === "stopped") return <p class="answer-end stopped">Stopped.</p>;
  if (stop === "calls") return null;
  return (
    <>
      {stop === "length" ? <p class="answer-end stopped">Cut off at the length limit of the model.</p> : null}
      {stop === "refusal" ? <p class="answer-end stopped">The model declined to answer.</p> : null}
      <Facts entry={entry} />
    </>
  );
}

const COPIED_MS = 1_600;

function Facts({ entry }: { readonly entry: ViewEntry }): JSX.Element {
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
      <time dateTime={new Date(entry.at).toISOString()}>{formatClock(entry.at)}</time>
      <span>{facts.filter((fact) => fact !== "").join(" · ")}</span>
    </div>
  );
}
