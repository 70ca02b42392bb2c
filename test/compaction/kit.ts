import type { ModelRequest } from "../../src/kernel/index.ts";
import type { KernelHost } from "../../src/kernel/run/services.ts";
import { utf8Bytes } from "../../src/lib/bytes.ts";
import type { SummaryData, ViewEntry } from "../../src/protocol/view.ts";
import { entriesOf, send } from "../kernel/make.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { Script, ScriptedAnswer } from "../kit/scripted-model.ts";

/** Tokens of the window in these tests. The threshold is at 3,000; a thousand stay. */
export const WINDOW = 4_000;

/** Says what a model's window holds. */
export function settingsWith(contextTokens: number | undefined, model = "test/model"): KernelHost["settings"] {
  const window = contextTokens === undefined ? {} : { contextTokens };
  return () => ({ model, thinking: "off", ...window, offers: () => true });
}

export function isSummaryRequest({ system }: ModelRequest): boolean {
  return system.startsWith("You summarise the older part of a conversation");
}

/** Tokens of a request as a vendor might count them. */
export function requestTokens({ system, volatile, messages, tools }: ModelRequest): number {
  return Math.ceil(utf8Bytes(JSON.stringify([system, volatile, messages, tools])) / 4);
}

/** A text of about so many tokens that begins with these words. */
export function words(start: string, tokens: number): string {
  return `${start} ${"word ".repeat(Math.ceil((tokens * 4) / 5))}`.trim();
}

/** Answers as told, counting tokens like a vendor; summaries are asked for separately. */
export function counting(
  answer: (request: ModelRequest, nth: number) => ScriptedAnswer = () => ({ text: words("Answer", 200) }),
  summary: (request: ModelRequest, nth: number) => ScriptedAnswer = () => ({ text: "They talked." }),
): Script {
  let summaries = 0;
  return (request, nth) => {
    const made = isSummaryRequest(request) ? summary(request, summaries++) : answer(request, nth);
    const usage = { input: requestTokens(request), output: 200, cachedRead: 0, cachedWrite: 0, costMicros: 3 };
    return { usage, ...made };
  };
}

/** Says things of so many tokens each, one turn after the other. */
export async function chat(world: KernelWorld, turns: number, tokens = 200, name = "message"): Promise<void> {
  for (let turn = 1; turn <= turns; turn++) {
    send(world, words(`${name} ${turn}`, tokens));
    await world.run();
  }
}

/** Everything that the model was asked, apart from summaries, and those. */
export function asked(world: KernelWorld): { answers: ModelRequest[]; summaries: ModelRequest[] } {
  const { requests } = world.model;
  return { answers: requests.filter((one) => !isSummaryRequest(one)), summaries: requests.filter(isSummaryRequest) };
}

export function summariesOf(world: KernelWorld): { entry: ViewEntry; data: SummaryData }[] {
  return entriesOf(world, "core.summary").map((entry) => ({ entry, data: entry.data as unknown as SummaryData }));
}

/** The events of compactions, in order, without their ids. */
export function compactionEvents(world: KernelWorld): string[] {
  return world.commits
    .flatMap((frame) => frame.events)
    .filter(({ type }) => type.startsWith("compaction."))
    .map(({ type, reason, code }) => [type.replace("compaction.", ""), reason, code].filter(Boolean).join(" "));
}

/** The texts of a request's messages. */
export function textsOf({ messages }: ModelRequest): string[] {
  return messages.map((message) => {
    if (message.role === "system") return message.text;
    return message.content
      .map((part) => (part.type === "text" || part.type === "thinking" ? part.text : part.type))
      .join("|");
  });
}
