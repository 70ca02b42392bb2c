import type { JSX } from "preact";
import type { TurnView, View } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { describeCompaction } from "../../state/background.ts";
import { formatLeft } from "../../state/format.ts";
import { liveText } from "../../state/live.ts";
import { waitingIn } from "../../state/waiting.ts";
import { useNow } from "../use-app.ts";

/** What the agent is doing while no words come: thinking, retrying, waiting. */
export function Activity({ chat, view }: { readonly chat: Chat; readonly view: View }): JSX.Element | null {
  const { turn, compaction } = view;
  if (turn === null) return null;
  if (turn.stopping) return <Line words="Stopping…" />;
  if (turn.stage === "retrying" && turn.retry !== undefined) return <Retrying retry={turn.retry} />;
  if (turn.stage === "tools") return null;
  if (compaction !== null) return <Line words={describeCompaction(compaction)} />;
  if (turn.stage === "waiting") {
    return waitingIn(view).length > 0 ? null : <Line words="Waiting for a decision…" />;
  }
  const live = chat.transcript.live.value;
  if (liveText(live, turn.task, "text") !== "") return null;
  return <Line words={liveText(live, turn.task, "thinking") === "" ? "" : "Thinking…"} />;
}

function Line({ words }: { readonly words: string }): JSX.Element {
  return (
    <div class="activity">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {words === "" ? <span class="visually-hidden">Working</span> : words}
    </div>
  );
}

function Retrying({ retry }: { readonly retry: NonNullable<TurnView["retry"]> }): JSX.Element {
  const now = useNow(1_000);
  const left = retry.until - now;
  return <Line words={`${retry.error} Trying again ${left > 0 ? `in ${formatLeft(left)}` : "now"}…`} />;
}
