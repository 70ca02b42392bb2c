import type { JSX } from "preact";
import type { Chat } from "../../app/chat.ts";
import { formatDuration } from "../../state/format.ts";
import { liveText } from "../../state/live.ts";
import { askedIn, asks } from "../../state/questions.ts";
import type { Call } from "../../state/rows.ts";
import { describeTool, explainTool, prettyArgs, previewArgs, type ToolState } from "../../state/tool-state.ts";
import { AskAgain } from "../cards/ask-again.tsx";
import { HoldCardView } from "../cards/hold-card.tsx";
import { Icon, type IconName } from "../icons.tsx";
import { QuestionCardView } from "../questions/question-card.tsx";
import { useNow } from "../use-app.ts";
import { ToolOutput } from "./tool-output.tsx";

/** A tool call: one quiet line that opens to its input and output. A card that waits stands below it. */
export function ToolRow({ call, chat }: { readonly call: Call; readonly chat: Chat }): JSX.Element {
  const state = describeTool(call);
  const explanation = explainTool(call);
  const { tool, card, question } = call;
  const progress =
    tool === undefined ? "" : liveText(chat.transcript.live.value, tool.task, "progress") || (tool.progress ?? "");
  return (
    <>
      <details class={`tool ${state.tone}`}>
        <summary>
          <span class="tool-icon">
            {state.tone === "running" ? <span class="spinner" /> : <Icon name={ICONS[state.tone]} size={16} />}
          </span>
          <code class="tool-name">{call.name}</code>
          <bdi class="tool-preview">{(asks(call.name) ? askedIn(call.args) : undefined) ?? previewArgs(call.args)}</bdi>
          <span class="tool-words">{state.words}</span>
          <Took state={state} />
          <Icon name="chevron" size={16} />
        </summary>
        <div class="tool-body">
          <h3>Input</h3>
          <pre tabIndex={0}>{prettyArgs(call.args)}</pre>
          {call.result === undefined ? null : <ToolOutput entry={call.result} chat={chat} />}
        </div>
      </details>
      {progress !== "" && state.tone === "running" ? <p class="tool-progress">{progress}</p> : null}
      {explanation === undefined ? null : <p class="tool-explanation">{explanation}</p>}
      {call.result === undefined ? null : <AskAgain result={call.result} chat={chat} />}
      {card === undefined ? null : <HoldCardView card={card} chat={chat} args={call.args} />}
      {question === undefined ? null : <QuestionCardView card={question} chat={chat} />}
    </>
  );
}

const ICONS: Readonly<Record<ToolState["tone"], IconName>> = {
  pending: "clock",
  waiting: "shield",
  running: "clock",
  ok: "check",
  error: "cross",
  stopped: "ban",
  unknown: "question",
};

function Took({ state }: { readonly state: ToolState }): JSX.Element | null {
  if (state.ms !== undefined) return <span class="tool-time">{formatDuration(state.ms)}</span>;
  return state.since === undefined ? null : <Running since={state.since} />;
}

function Running({ since }: { readonly since: number }): JSX.Element {
  const now = useNow(1_000);
  return <span class="tool-time">{formatDuration(Math.max(0, Math.floor((now - since) / 1_000) * 1_000))}</span>;
}
