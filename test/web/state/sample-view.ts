import type { HoldCard } from "../../../src/protocol/cards.ts";
import { NO_USAGE } from "../../../src/protocol/message.ts";
import type { CompactionView, TurnView, View, ViewEntry } from "../../../src/protocol/view.ts";

export const NOW = Date.UTC(2026, 10, 3, 12, 0, 0);

export function makeView(part: Partial<View> = {}): View {
  return {
    entries: [],
    earlier: false,
    inbox: [],
    turn: null,
    compaction: null,
    tasks: {},
    pins: [],
    config: {},
    usage: NO_USAGE,
    plugins: { chat: { title: "Talk", model: "demo/demo", thinking: "off", tools: [] }, holds: { cards: [] } },
    ...part,
  };
}

export function makeTurn(part: Partial<TurnView> = {}): TurnView {
  return {
    task: 7,
    actor: "p_1",
    inputs: [],
    stage: "requesting",
    step: 1,
    attempt: 1,
    model: "demo/demo",
    startedAt: NOW,
    stopping: false,
    tools: [],
    ...part,
  };
}

export function makeCompaction(part: Partial<CompactionView> = {}): CompactionView {
  return {
    task: 11,
    reason: "manual",
    stage: "summarizing",
    attempt: 1,
    part: 1,
    parts: 3,
    stopping: false,
    ...part,
  };
}

export function userEntry(id: number, text: string, input = `p_1:m${id}`): ViewEntry {
  return {
    id,
    kind: "core.user",
    at: NOW + id,
    message: { role: "user", content: [{ type: "text", text }] },
    data: { input, actor: "p_1" },
  };
}

export function answerEntry(id: number, text: string, part: Partial<ViewEntry> = {}): ViewEntry {
  return {
    id,
    kind: "core.assistant",
    at: NOW + id,
    task: 7,
    message: { role: "assistant", stop: "end", content: [{ type: "text", text }] },
    data: { model: "demo/demo", ms: 5, usage: { ...NO_USAGE } },
    ...part,
  };
}

export function makeCard(part: Partial<HoldCard> = {}): HoldCard {
  return {
    hold: "h1",
    task: 9,
    digest: "a".repeat(64),
    tool: "send_webhook",
    action: "POST JSON to the webhook build",
    target: "build server (build.example)",
    args: [{ name: "target", value: '"build"' }],
    truncated: false,
    askedBy: "Owner",
    askedAt: NOW,
    deadline: NOW + 3_600_000,
    minTier: "member",
    status: "open",
    ...part,
  };
}
