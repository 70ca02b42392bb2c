import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { AssistantPart, Message, Usage } from "../../../../src/protocol/message.ts";
import type { ReplayAnswer } from "../../../../src/protocol/rest.ts";
import type { ViewEntry } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { formatCost, formatCount, formatDuration } from "../../state/format.ts";
import { answerData } from "../../state/rows.ts";
import { useApp } from "../use-app.ts";
import { Markdown } from "./markdown.tsx";
import { CallView } from "./sent-message.tsx";

interface ReplayProps {
  readonly entry: ViewEntry;
  readonly chat: Chat;
  /** The model that the request went to. */
  readonly model: string;
}

type Run =
  | { readonly status: "idle" }
  | { readonly status: "running"; readonly model: string }
  | { readonly status: "done"; readonly model: string; readonly answer: ReplayAnswer };

/** Sends the same request to another model, and shows its answer beside the original. Nothing is stored or done. */
export function Replay({ entry, chat, model }: ReplayProps): JSX.Element {
  const app = useApp();
  const models = app.me.value?.models ?? [];
  const [chosen, setChosen] = useState(() => models.find((choice) => choice.id !== model)?.id ?? model);
  const [run, setRun] = useState<Run>({ status: "idle" });
  const label = (id: string): string => models.find((choice) => choice.id === id)?.label ?? id;
  const replay = async (): Promise<void> => {
    setRun({ status: "running", model: chosen });
    const reply = await chat.history.replay(entry.id, chosen);
    const answer = reply.ok ? reply.value : { ok: false as const, error: reply.error.message };
    setRun({ status: "done", model: chosen, answer });
  };
  return (
    <section class="replay" aria-label="Replay">
      <div class="replay-bar">
        <label>
          Replay with{" "}
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            {models.map((choice) => (
              <option key={choice.id} value={choice.id}>
                {choice.label}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="button small" disabled={run.status === "running"} onClick={() => void replay()}>
          {run.status === "running" ? "Replaying…" : "Replay"}
        </button>
        <p class="quiet">It costs what an answer costs. Tools are not run.</p>
      </div>
      <div class="replay-sides" aria-live="polite">
        {run.status === "done" ? (
          <>
            <Side title="In the conversation" note={label(model)} {...originalOf(entry)} />
            {run.answer.ok ? (
              <Side
                title={`Replayed with ${label(run.model)}`}
                note="Not part of the conversation, nothing was done"
                message={run.answer.message}
                usage={run.answer.usage}
                ms={run.answer.ms}
              />
            ) : (
              <p class="problem">
                {label(run.model)} gave no answer: {run.answer.error}
              </p>
            )}
          </>
        ) : null}
      </div>
    </section>
  );
}

interface SideProps {
  readonly title: string;
  readonly note: string;
  readonly message: Message | undefined;
  readonly usage: Usage | undefined;
  readonly ms: number | undefined;
}

function originalOf(entry: ViewEntry): Pick<SideProps, "message" | "usage" | "ms"> {
  const { usage, ms } = answerData(entry);
  return { message: entry.message, usage, ms };
}

function Side({ title, note, message, usage, ms }: SideProps): JSX.Element {
  const id = useId();
  const parts = message?.role === "assistant" ? message.content : [];
  const facts = [
    ms === undefined ? "" : formatDuration(ms),
    usage === undefined ? "" : `${formatCount(usage.output)} tokens written`,
    usage === undefined ? "" : formatCost(usage.costMicros),
  ];
  return (
    <section class="replay-side" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <p class="replay-note">{note}</p>
      {parts.length === 0 ? <p class="quiet">It said nothing.</p> : null}
      {parts.map((part, index) => (
        <AnswerPartView key={index} part={part} />
      ))}
      <p class="quiet">{facts.filter((fact) => fact !== "").join(" · ")}</p>
    </section>
  );
}

function AnswerPartView({ part }: { readonly part: AssistantPart }): JSX.Element | null {
  if (part.type === "call") return <CallView part={part} />;
  return part.type === "text" ? <Markdown text={part.text} isComplete /> : null;
}
