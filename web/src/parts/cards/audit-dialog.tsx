import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AuditLine } from "../../../../src/protocol/audit.ts";
import { AUDIT_EVENTS } from "../../../../src/protocol/audit-events.ts";
import { conversationOf, describeLine, eventWords } from "../../state/audit.ts";
import { formatClock, formatDay } from "../../state/format.ts";
import { chatPath } from "../../state/route.ts";
import { PanelDialog } from "../panel-dialog.tsx";
import { useNow } from "../use-app.ts";
import { type Names, useDecisions } from "./use-decisions.ts";

const EVENTS = AUDIT_EVENTS.map((name) => [name, eventWords(name)] as const);

/** What was decided in all conversations, for owners: newest first, by event and person. */
export function AuditDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [event, setEvent] = useState("");
  const [by, setBy] = useState("");
  const { lines, names, next, met, state, more } = useDecisions(event, by);
  return (
    <PanelDialog title="What was decided" className="wide" onClose={onClose}>
      <div class="audit-filters">
        <Filter label="Event" value={event} choices={EVENTS} onChange={setEvent} />
        <Filter label="Person" value={by} choices={Object.entries(met)} onChange={setBy} />
        <a class="text-button" href="/api/v1/audit/export" download>
          Download all
        </a>
      </div>
      <p class="quiet" role="status">
        {state}
      </p>
      <ol class="audit-lines" aria-label="Decisions">
        {lines.map((line) => (
          <Line key={line.hash} line={line} names={names} />
        ))}
      </ol>
      {next === undefined ? null : (
        <button type="button" class="text-button" onClick={more}>
          Show older ones
        </button>
      )}
    </PanelDialog>
  );
}

interface FilterProps {
  readonly label: string;
  readonly value: string;
  /** Values and what they are called. */
  readonly choices: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

function Filter({ label, value, choices, onChange }: FilterProps): JSX.Element {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">All</option>
        {choices.map(([choice, name]) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Line({ line, names }: { readonly line: AuditLine; readonly names: Names }): JSX.Element {
  const now = useNow(60_000);
  const { what, who, why } = describeLine(line, names);
  const conversation = conversationOf(line);
  return (
    <li class={`audit-line ${line.event}`}>
      <span class="audit-what">{what}</span>
      <span class="quiet">
        {who === undefined ? null : (
          <>
            by <bdi>{who}</bdi>,{" "}
          </>
        )}
        <time dateTime={new Date(line.at).toISOString()}>
          {formatDay(line.at, now)}, {formatClock(line.at)}
        </time>
        {why === undefined ? null : `, ${why}`}
        {conversation === undefined ? null : (
          <>
            , <a href={chatPath(conversation)}>conversation {conversation.slice(0, 8)}</a>
          </>
        )}
      </span>
    </li>
  );
}
