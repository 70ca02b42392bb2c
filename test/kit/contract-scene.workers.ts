import { env } from "cloudflare:workers";
import * as z from "zod";
import type { HoldDescription } from "../../src/holds/index.ts";
import { definePlugin, type Plugin } from "../../src/host/index.ts";
import type { Claim } from "../../src/host/router/claim.ts";
import { defineTool } from "../../src/kernel/index.ts";
import { filePlace } from "../../src/objects/files/stored-files.ts";
import type { Caller } from "../../src/people/facts.ts";
import type { Stage } from "./stage.workers.ts";
import { contractScript, type Role, type SurfaceScene } from "./surface-contract.ts";
import { newPerson } from "./talk.workers.ts";

const DRAWING = { id: "drawing", name: "drawing.txt", mime: "text/plain", bytes: 5 };

/** The people of a check. */
export type Cast = Readonly<Record<Role, Caller>>;

export async function newCast(): Promise<Cast> {
  const [person, stranger, approver, owner] = await Promise.all([
    newPerson("member", "Anna"),
    newPerson("member", "Bert"),
    newPerson("member", "Cleo"),
    newPerson("owner", "Olga"),
  ]);
  return { person, stranger, approver, owner };
}

/** Makes a stage what a check of the contract needs: its model, its tool that draws, its way to hold. */
export async function setScene(stage: Stage, scene: SurfaceScene, cast: Cast): Promise<void> {
  stage.script = contractScript;
  const { plugins } = stage;
  stage.plugins = (builtIn) => [scenePlugin(scene, cast, stage.key), ...plugins(builtIn)];
  await env.FILES.put(filePlace(stage.key, DRAWING.id), "hello");
}

function scenePlugin({ hold }: SurfaceScene, { approver }: Cast, channel: string): Plugin {
  const text = "POST JSON to the build server";
  const held: Readonly<Record<NonNullable<SurfaceScene["hold"]>, HoldDescription>> = {
    approver: { text, approvers: [approver.principalId] },
    speaker: { text, approval: "speaker" },
    owner: { text, minTier: "owner" },
    superseded: { text, supersede: "contract", copy: "take this along" },
  };
  const draw = defineTool({
    name: "contract_draw",
    description: "Draws.",
    input: z.strictObject({}),
    execute: async () => ({ text: "drawn", files: [DRAWING] }),
  });
  const [surface = ""] = channel.split(":");
  const claim: Claim = {
    name: "contract-scene",
    surface,
    priority: 10,
    owns: ({ key }) => key === channel,
    admit: ({ text: said, isBot }) => {
      if (isBot) return { kind: "drop", reason: "Bots are not answered." };
      if (said !== "#background") return { kind: "turn" };
      return { kind: "background", target: "contract", tier: "member", prompt: "Look after it." };
    },
  };
  return definePlugin({
    name: "contract-scene",
    setup: () => ({
      claims: [claim],
      backgroundTargets: [{ name: "contract", label: "The contract", surface }],
      tools: [{ tool: draw, tier: "member" }],
      holdRules: hold ? [({ tool }) => (tool === "send_webhook" ? held[hold] : undefined)] : [],
    }),
  });
}
