import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { definePlugin, type Plugin } from "../../src/host/index.ts";
import { defineTool } from "../../src/kernel/index.ts";
import { filePlace } from "../../src/objects/files/stored-files.ts";
import type { HoldCard } from "../../src/protocol/cards.ts";
import { Gate } from "../kit/gate.ts";
import { STANDING } from "../kit/press-routes.workers.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";

/** A card in a room that Anna's call made and Bert, who is named and an admin like her, is to press. */
interface Scene {
  readonly stage: Stage;
  readonly owner: Talk;
  readonly anna: Talk;
  readonly bert: Talk;
  readonly ran: string[];
  /** The tool's version and schema, as the next life knows them. */
  tool: { version: string; limit: number };
  /** The next look of a rule at the call waits, after so many that pass. */
  holdLook(skip: number): Gate;
}

async function makeScene(): Promise<Scene & { readonly card: HoldCard }> {
  const stage = new Stage();
  const ran: string[] = [];
  let skip = 0;
  let gate: Gate | undefined;
  const named: string[] = [];
  const before: Pick<Scene, "stage" | "ran" | "tool" | "holdLook"> = {
    ...{ stage, ran, tool: { version: "1", limit: 100 } },
    holdLook(looks) {
      skip = looks;
      gate = new Gate();
      return gate;
    },
  };
  const plugin = (): Plugin =>
    definePlugin({
      name: "publisher",
      setup: () => ({
        tools: [{ tool: publisher(before), tier: "admin" }],
        holdRules: [
          async ({ tool }) => {
            if (tool !== "publish") return undefined;
            const waits = gate && skip-- === 0 ? gate : undefined;
            await waits?.pass();
            const names = { approvers: named, files: ["f1"] };
            return { text: "publish the plan", minTier: "admin", ...names };
          },
        ],
      }),
    });
  stage.plugins = (builtIn) => [...builtIn, plugin()];
  stage.script = ({ messages }) =>
    messages.at(-1)?.role === "user" ? { calls: [{ name: "publish", args: '{"what":"plan"}' }] } : { text: "Done." };
  const { owner } = await Talk.room(stage, []);
  const [anna, bert] = [await owner.joined("Anna", "admin"), await owner.joined("Bert", "admin")];
  named.push(bert.caller.principalId);
  await env.FILES.put(filePlace(stage.key, "f1"), "the plan");
  await anna.rpc.addFile(anna.caller, { id: "f1", name: "plan.txt", mime: "text/plain", bytes: 8 });
  const card = await anna.toCard();
  await anna.told();
  return { ...before, owner, anna, bert, card };
}

function publisher({ tool, ran }: Pick<Scene, "tool" | "ran">) {
  return defineTool({
    name: "publish",
    description: "Publishes.",
    version: tool.version,
    input: z.object({ what: z.string().max(tool.limit) }),
    execute: async ({ what }) => {
      ran.push(what);
      return { text: "published" };
    },
  });
}

/** Another life of the object, of a deployment that may have changed. */
async function deploy({ owner }: Scene): Promise<void> {
  await owner.die();
  await owner.snapshot();
}

interface Change {
  readonly name: string;
  readonly change: (scene: Scene) => unknown;
  /** What the press is answered when it came before: a code, or `ok`. */
  readonly press: string;
  /** What the call is told when it came after the press; `runs`: the approval stands. */
  readonly start: string;
  /** A look that is under way has read it: another life looks again. */
  readonly restarts?: true;
}

const CHANGES: readonly Change[] = [
  {
    name: "the presser's identity is another person's",
    change: ({ bert, owner }) => STANDING.unlinked(bert.caller, owner.caller),
    press: "forbidden",
    start: "runs",
  },
  {
    name: "the presser's session ended",
    change: ({ bert }) => env.DB.prepare("delete from sessions where hash = ?").bind(bert.caller.sessionHash).run(),
    press: "unauthenticated",
    start: "runs",
  },
  {
    name: "the presser was taken out of the room",
    change: ({ owner, bert }) => owner.rpc.removeMember(owner.caller, bert.caller.principalId),
    press: "not_found",
    start: "(approver)",
  },
  {
    name: "the presser was taken out and in again",
    async change({ owner, bert }) {
      await owner.rpc.removeMember(owner.caller, bert.caller.principalId);
      await owner.rpc.addMember(owner.caller, bert.caller.principalId);
    },
    press: "ok",
    start: "runs",
  },
  {
    name: "the presser's tier is lower",
    change: ({ bert }) => STANDING.tier(bert.caller, "member"),
    press: "forbidden",
    start: "(approver)",
  },
  {
    name: "the presser is switched off",
    change: ({ bert }) => STANDING.switchedOff(bert.caller),
    press: "forbidden",
    start: "(approver)",
  },
  {
    name: "the speaker's tier is lower",
    change: ({ anna }) => STANDING.tier(anna.caller, "member"),
    press: "ok",
    start: "may not use publish any more",
  },
  {
    name: "the speaker's identity is another person's",
    change: ({ anna, owner }) => STANDING.unlinked(anna.caller, owner.caller),
    press: "ok",
    start: "may not use publish any more",
  },
  {
    name: "the speaker was taken out of the room",
    change: ({ owner, anna }) => owner.rpc.removeMember(owner.caller, anna.caller.principalId),
    press: "ok",
    start: "may not use publish any more",
  },
  {
    name: "the speaker is switched off",
    change: ({ anna }) => STANDING.switchedOff(anna.caller),
    press: "ok",
    start: "may not use publish any more",
  },
  {
    name: "other bytes lie under the file's name",
    change: ({ stage }) => env.FILES.put(filePlace(stage.key, "f1"), "the plot"),
    press: "changed",
    start: "(files)",
  },
  {
    name: "the stored arguments are others",
    change: ({ stage }) =>
      runInDurableObject(
        stage.object,
        (_, { storage }) =>
          storage.sql.exec(`UPDATE entries SET body = replace(body, '\\"plan\\"', '\\"plot\\"')`).rowsWritten,
      ),
    press: "changed",
    restarts: true,
    start: "(input)",
  },
  {
    name: "a deploy brought another schema",
    change(scene) {
      scene.tool.limit = 99;
      return deploy(scene);
    },
    press: "changed|already_decided",
    start: "schema",
  },
  {
    name: "a deploy brought another version",
    change(scene) {
      scene.tool.version = "2";
      return deploy(scene);
    },
    press: "changed|already_decided",
    start: "(version)",
  },
  {
    name: "a deploy's operator forbids it",
    change(scene) {
      const deny = [{ tool: "publish", args: { what: "plan" }, reason: "not now" }];
      scene.stage.config = { ...scene.stage.config, policy: { deny } };
      return deploy(scene);
    },
    press: "changed|already_decided",
    start: "(deny rule)",
  },
  {
    name: "somebody forbade it here",
    change: ({ owner }) => {
      const wish = { id: crypto.randomUUID(), tools: ["publish"], effect: "never" as const, text: "never" };
      return owner.rpc.constrain(owner.caller, wish);
    },
    press: "changed",
    restarts: true,
    start: "(deny rule)",
  },
];

const told = async (talk: Talk) =>
  (await talk.transcript()).flatMap(([kind, text]) => (kind === "tool_result" ? text : []));

describe("between hold and press, in the real directory", () => {
  it.each(CHANGES)("[H-157] [S-11] $name", async ({ change, press, start }) => {
    const scene = await makeScene();
    const { bert, owner, card, ran } = scene;
    await change(scene);
    const answer = await bert.decide(card, "approve");
    expect(answer.ok ? "ok" : answer.error.code).toMatch(new RegExp(`^(${press})$`));
    const runs = press === "ok" && start === "runs";
    const isOver = press === "ok" || press.startsWith("changed");
    if (isOver) await owner.idle();
    expect(ran).toEqual(runs ? ["plan"] : []);
    if (press === "ok" && !runs) expect(await told(owner)).toEqual([expect.stringContaining(start)]);
    // Whatever kept its presser from it left the card as it was.
    if (!isOver) expect(await owner.cards()).toMatchObject([{ status: "open" }]);
  });
});

describe("between press and start, in the real directory", () => {
  it.each(CHANGES)("[H-157] [S-11] $name", async ({ change, start, restarts }) => {
    const scene = await makeScene();
    const { bert, owner, card, ran } = scene;
    // The press looks first, the gate next.
    const gate = scene.holdLook(1);
    expect(await bert.decide(card, "approve")).toEqual({ ok: true, value: {} });
    await gate.reached();
    await change(scene);
    if (restarts) await deploy(scene);
    gate.open();
    await owner.idle();
    expect(ran).toEqual(start === "runs" ? ["plan"] : []);
    const [text] = await told(owner);
    expect(text).toContain(start === "runs" ? "published" : start);
  });
});

describe("while the press looks, in the real directory", () => {
  const losses = CHANGES.filter(({ name }) => /^the presser('s tier| was taken out of| is)/.test(name));
  it.each(losses)("[H-156] $name: it decides nothing", async ({ change }) => {
    const scene = await makeScene();
    const { bert, owner, card, ran } = scene;
    const gate = scene.holdLook(0);
    const answer = bert.decide(card, "approve");
    await gate.reached();
    await change(scene);
    gate.open();
    expect(await answer).toMatchObject({ ok: false, error: { code: "forbidden" } });
    expect(await owner.cards()).toMatchObject([{ status: "open" }]);
    expect(ran).toEqual([]);
  });

  it("[H-156] an owner who is made a member loses the room with the tier", async () => {
    const scene = await makeScene();
    const { owner, anna, card, ran } = scene;
    const second = owner.by(await newPerson("owner", "Otto"));
    const gate = scene.holdLook(0);
    const answer = second.decide(card, "approve");
    await gate.reached();
    await STANDING.tier(second.caller, "admin");
    gate.open();
    expect(await answer).toMatchObject({ ok: false, error: { code: "forbidden" } });
    expect(await anna.cards()).toMatchObject([{ status: "open" }]);
    expect(ran).toEqual([]);
  });
});
