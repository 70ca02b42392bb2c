import { runInDurableObject } from "cloudflare:test";
import * as z from "zod";
import { AuditTable } from "../../src/holds/audit/audit-table.ts";
import type { HoldDescription } from "../../src/holds/index.ts";
import { definePlugin, type Plugin } from "../../src/host/index.ts";
import { defineTool } from "../../src/kernel/index.ts";
import type { Tier } from "../../src/people/facts.ts";
import type { Script } from "./scripted-model.ts";
import type { Talk } from "./talk.workers.ts";

/** A kind of card, by who is named on it. */
export interface CardKind {
  readonly minTier?: Tier;
  readonly approval?: "speaker";
  readonly names?: readonly Name[];
}
export type Name = "speaker" | "named" | "namedAdmin" | "elsewhere";

export const SHARED_CARDS: Readonly<Record<string, CardKind>> = {
  plain: {},
  "plain, for admins": { minTier: "admin" },
  named: { names: ["named", "namedAdmin"] },
  "named, for admins": { names: ["named", "namedAdmin"], minTier: "admin" },
  "named, who is elsewhere": { names: ["elsewhere"] },
  "the speaker named": { names: ["speaker"] },
  "nobody named": { names: [] },
  "only the speaker": { approval: "speaker" },
  "only the speaker, who is named": { approval: "speaker", names: ["speaker", "named"] },
};
/** Cards that nobody may answer are never made. */
export const UNAVAILABLE_SHARED: Readonly<Record<string, CardKind>> = {
  "only the speaker, for admins": { approval: "speaker", minTier: "admin" },
  "only the speaker, another named": { approval: "speaker", names: ["named"] },
};
export const PRIVATE_CARDS: Readonly<Record<string, CardKind>> = {
  plain: {},
  "the speaker named": { names: ["speaker"] },
  "only the speaker": { approval: "speaker" },
};
export const UNAVAILABLE_PRIVATE: Readonly<Record<string, CardKind>> = {
  "plain, for admins": { minTier: "admin" },
  "another named": { names: ["named"] },
};

/** One call of the tool for each kind of card, at a message that says "go". */
export const callAll =
  (kinds: readonly string[]): Script =>
  ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== "user" || !JSON.stringify(last.content).includes("go")) return { text: "All done." };
    return { calls: kinds.map((kind) => ({ name: "act", args: JSON.stringify({ kind }) })) };
  };

interface Acting {
  readonly cards: Readonly<Record<string, CardKind>>;
  /** Who is offered the tool. */
  readonly tier?: Tier;
  /** Principals of those whom cards name. */
  readonly ids: ReadonlyMap<Name, string>;
  /** Kinds of the calls that ran, to be filled. */
  readonly ran: string[];
}

/** A plugin whose tool `act` is held as its argument says. */
export function actingPlugin({ cards, tier = "member", ids, ran }: Acting): Plugin {
  const tool = defineTool({
    name: "act",
    description: "Acts, once.",
    input: z.object({ kind: z.string(), more: z.string().default("") }),
    execute: async ({ kind }) => {
      ran.push(kind);
      return { text: "acted" };
    },
  });
  const describe = (kind: string, { names, ...rest }: CardKind): HoldDescription => {
    const approvers = names?.map((name) => ids.get(name) ?? "p_nobody");
    return { text: `act as ${kind}`, ...rest, ...(approvers && { approvers }) };
  };
  const describeCall = ({ tool: name, input }: { readonly tool: string; readonly input: unknown }) => {
    const { kind = "" } = input as { readonly kind?: string };
    const card = cards[kind.replace(/#.*/, "")];
    return name === "act" && card ? describe(kind, card) : undefined;
  };
  return definePlugin({ name: "acting", setup: () => ({ tools: [{ tool, tier }], holdRules: [describeCall] }) });
}

export const auditOf = (talk: Talk) =>
  runInDurableObject(talk.stage.object, (_, { storage }) => new AuditTable(storage).after(0, 10_000));

/** Everything stored but the audit, and the number and the alarm that telling D1 of it takes. */
export async function standing(talk: Talk): Promise<string> {
  await talk.told();
  const [control, ...tables] = (await talk.stored()) as readonly (readonly Record<string, unknown>[])[];
  const body = JSON.parse(String(control?.[0]?.["body"])) as Record<string, unknown>;
  return JSON.stringify([{ ...body, nextId: 0, alarmAt: 0 }, ...tables]);
}
