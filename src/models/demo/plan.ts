import type { ModelRequest, ToolSpec } from "../../kernel/ports/model.ts";
import { unreachable } from "../../lib/assert.ts";
import { describeCall, type PlannedCall, riskyCall } from "./calls.ts";
import { describeFile } from "./describe-file.ts";
import { readSituation } from "./history.ts";
import { judgementAskedFor } from "./judgement.ts";
import { LONG_TEXT } from "./long-text.ts";
import { ONE_QUESTION, SEVERAL_QUESTIONS } from "./questions.ts";
import { reportCall, reportNews } from "./report.ts";
import { summaryAskedFor } from "./summary.ts";
import { readWants, type Want } from "./wants.ts";
import * as words from "./words.ts";

/** What the demo model does next: it says `text`, then makes the calls. Without calls the turn ends. */
export interface Plan {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

/** Calls of one step. */
const MAX_CALLS = 8;

/** Pure: the same request gives the same plan, and every request gives one that says something. */
export function plan(request: ModelRequest): Plan {
  const judgement = judgementAskedFor(request);
  if (judgement !== undefined) return { thinking: "I judge.", text: judgement, calls: [] };
  const summary = summaryAskedFor(request);
  if (summary !== undefined) return { thinking: "I summarise.", text: summary, calls: [] };
  const situation = readSituation(request.messages);
  const reports = situation.answered.map(reportCall);
  const messages = situation.said.map(readWants);
  const newest = messages.at(-1) ?? [];
  const { kept, leftOut } = leaveOutStale(messages.slice(0, -1).flat());
  const deeds = [...kept, ...newest].map((want) => meet(want, request.tools));
  const calls = deeds.flatMap((deed) => deed.calls).slice(0, MAX_CALLS);
  const spoken = [...reports, ...leftOut, ...deeds.flatMap((deed) => deed.says), ...leadTo(calls)];
  if (spoken.length === 0) spoken.push(`${words.NOTHING_NEW} ${words.HELP}`);
  if (!situation.hasSaid(words.DEMO_MARK)) spoken.push(words.DEMO_NOTE);
  return { thinking: think(reports.length, calls), text: spoken.join("\n\n"), calls };
}

/** What one want comes to: words, calls, or both. */
interface Deed {
  readonly says: readonly string[];
  readonly calls: readonly PlannedCall[];
}

/**
 * Earlier messages that nobody answered may belong to a turn that was stopped: what is long or risky in them is not
 * begun again unasked.
 */
function leaveOutStale(wants: readonly Want[]): { kept: readonly Want[]; leftOut: readonly string[] } {
  const isStale = ({ kind }: Want) => kind === "long" || kind === "risky";
  const kept = wants.filter((want) => !isStale(want) && want.kind !== "help" && want.kind !== "unknown");
  if (!wants.some(isStale)) return { kept, leftOut: [] };
  const leftOut =
    "I left out what was long or risky in an earlier message, in case you had stopped it. Ask again if you still want it.";
  return { kept, leftOut: [leftOut] };
}

/** What is answered with words alone, always the same. */
const SAID = { long: LONG_TEXT.trim(), key: words.KEY_ANSWER, thanks: words.THANKS_ANSWER, help: words.HELP } as const;

type Deeds = Exclude<Want, { readonly kind: keyof typeof SAID }>;

function meet(want: Want, tools: readonly ToolSpec[]): Deed {
  return isSaid(want) ? say(SAID[want.kind]) : act(want, tools);
}

function isSaid(want: Want): want is Exclude<Want, Deeds> {
  return Object.hasOwn(SAID, want.kind);
}

function act(want: Deeds, tools: readonly ToolSpec[]): Deed {
  switch (want.kind) {
    case "time":
      return call(tools, "current_time", want.zone === undefined ? {} : { zone: want.zone });
    case "calculate":
      return call(tools, "calculate", { expression: want.expression });
    case "add-note":
      return want.text === "" ? say("What should the note say?") : call(tools, "add_note", { text: want.text });
    case "search-notes":
      return call(tools, "search_notes", { query: want.query });
    case "list-notes":
      return call(tools, "list_notes", {});
    case "delete-note":
      return call(tools, "delete_note", { id: want.id });
    case "reminder":
      return remind(want.text, tools);
    case "page":
      return call(tools, "fetch_page", { url: want.url });
    case "risky":
      return risk(want.words, tools);
    case "several":
      return several(tools);
    case "subagent":
      if (want.task === "") return say("What should the subagent do?");
      return call(tools, "run_subagent", { task: want.task });
    case "ask":
      return want.several ? call(tools, "ask_questions", SEVERAL_QUESTIONS) : call(tools, "ask_user", ONE_QUESTION);
    case "file":
      return say(describeFile(want.file));
    case "news":
      return say(reportNews(want.text));
    case "unknown":
      return say(`${words.NOT_UNDERSTOOD} ${words.HELP}`);
    default:
      return unreachable(want);
  }
}

function call(tools: readonly ToolSpec[], name: string, args: PlannedCall["args"]): Deed {
  if (!tools.some((tool) => tool.name === name)) {
    return say(`For ${describeCall(name, args)} I need the tool \`${name}\`, which is not offered here.`);
  }
  return { says: [], calls: [{ name, args }] };
}

function say(text: string): Deed {
  return { says: [text], calls: [] };
}

function remind(text: string, tools: readonly ToolSpec[]): Deed {
  if (text === "") return say(`${words.NO_SCHEDULER} I can keep it as a note: what is it about?`);
  const deed = call(tools, "add_note", { text: `${words.REMINDER_PREFIX}${text}` });
  return deed.calls.length > 0 ? deed : { says: [words.NO_SCHEDULER, ...deed.says], calls: [] };
}

function risk(text: string, tools: readonly ToolSpec[]): Deed {
  const spec = tools.find((tool) => tool.name === "send_webhook");
  if (spec !== undefined) return { says: [], calls: [riskyCall(spec, text)] };
  return say(
    "The risky thing that I know is to call a webhook, and none is offered here. An operator adds one under `webhooks` in `althing.config.ts`.",
  );
}

function several(tools: readonly ToolSpec[]): Deed {
  const deeds = [
    call(tools, "current_time", {}),
    call(tools, "calculate", { expression: "6 * 7" }),
    call(tools, "list_notes", {}),
  ];
  return { says: deeds.flatMap((deed) => deed.says), calls: deeds.flatMap((deed) => deed.calls) };
}

function leadTo(calls: readonly PlannedCall[]): readonly string[] {
  if (calls.length === 0) return [];
  const asked = words.listing(calls.map(({ name, args }) => describeCall(name, args)));
  const isRisky = calls.some(({ name }) => name === "send_webhook");
  return [isRisky ? `I ask for ${asked}. A webhook runs only after somebody approved it.` : `One moment: ${asked}.`];
}

function think(reports: number, calls: readonly PlannedCall[]): string {
  const next =
    calls.length === 0 ? "No tool is needed now." : `I call ${words.listing(calls.map(({ name }) => name))}.`;
  return reports === 0
    ? next
    : `Results of ${reports === 1 ? "one call are" : `${reports} calls are`} in. I tell what they say. ${next}`;
}
