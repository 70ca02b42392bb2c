import type { KernelEvent, ServerFrame } from "../../protocol/frames.ts";
import type { HostEvents, TurnEnded } from "./host-events.ts";

type CommitFrame = Extract<ServerFrame, { readonly type: "commit" }>;

/** An event and the name of its handler. */
export type ToldEvent = {
  readonly [N in keyof HostEvents]-?: {
    readonly name: N;
    readonly event: Parameters<NonNullable<HostEvents[N]>>[0];
  };
}[keyof HostEvents];

/** What a commit has to tell, in its order. */
export function eventsOf(conversation: string, { rev, ops, events }: CommitFrame): readonly ToldEvent[] {
  const told = events.flatMap((event) => eventOf(conversation, event));
  if (ops.length === 0) return told;
  const isWhole = ops.some((op) => op[0] === "r");
  const parts = isWhole ? [] : [...new Set(ops.map((op) => String((op[1] as readonly (string | number)[])[0])))];
  return [...told, { name: "changed", event: { conversation, rev, parts } }];
}

function eventOf(conversation: string, event: KernelEvent): readonly ToldEvent[] {
  switch (event.type) {
    case "turn.started":
      return [{ name: "turnStarted", event: { conversation, inputs: event["inputs"] as readonly string[] } }];
    case "turn.ended":
      return [{ name: "turnEnded", event: { conversation, outcome: event["outcome"] as TurnEnded["outcome"] } }];
    case "tool.started":
      return [{ name: "turnProgress", event: { conversation, task: Number(event["task"]), state: "started" } }];
    case "tool.finished": {
      const [task, state] = [Number(event["task"]), String(event["outcome"])];
      return [{ name: "turnProgress", event: { conversation, task, state } }];
    }
    default:
      return [];
  }
}
