import * as z from "zod";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "../../../src/kernel/index.ts";
import { GATE } from "../../kit/mini-gate.ts";
import type { ToolPlan } from "../script.ts";
import type { Actor, Part, Stage } from "../stage.ts";
import { markOf } from "../vendor.ts";
import { GATED } from "./gatekeeper.ts";
import { NOTES } from "./plugin.ts";

/** Names that the vendor calls: those of the deployment, and one that nobody ever had. */
export const CALLABLE = ["lookup", "send", "post", "delegate", "unknown"] as const;

const INPUT = z.object({ n: z.number().default(0) });
/** Longer than a tool's output is kept. */
const LARGE = 60 * 1024;

/** The tools: `lookup` may be repeated, `post` and `send` never, and `send` waits for a person. */
export const TOOLS: Actor = { name: "tools", enter: (stage) => new Tools(stage) };

class Tools implements Part {
  readonly #stage: Stage;
  /** Executions under way, by task, with the life that began them. */
  readonly #underWay = new Map<number, number>();
  readonly #memos = new Map<string, string>();
  #results = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  tools(): readonly Tool[] {
    const tools = [this.#tool("lookup", "safe"), this.#tool("send", "unsafe"), this.#tool("post", "unsafe")];
    return tools.filter(({ name }) => !this.#stage.missing.has(name as "lookup"));
  }

  #tool(name: string, replay: Tool["replay"]): Tool {
    const description = `Does ${name}.`;
    return defineTool({
      name,
      description,
      input: INPUT,
      replay,
      execute: (_, context) => this.#execute(name, context),
    });
  }

  async #execute(name: string, context: ToolContext): Promise<ToolResult> {
    const { life } = this.#stage.world.crashes;
    this.#checkStart(name, context);
    this.#underWay.set(context.task, life);
    try {
      const text = `${markOf("result", this.#results++)} of ${name}`;
      const nonce = JSON.stringify(context.memo("nonce", `memo-secret-${this.#results}`));
      this.#checkMemo(context.idempotencyKey, nonce);
      this.#stage.effects.receive(`${name}:${context.idempotencyKey}`);
      return await this.#behave(this.#stage.nextTool(), context, text);
    } finally {
      if (this.#underWay.get(context.task) === life) this.#underWay.delete(context.task);
    }
  }

  async #behave(plan: ToolPlan, context: ToolContext, text: string): Promise<ToolResult> {
    const { clock } = this.#stage.world;
    switch (plan.kind) {
      case "ok":
        return { text };
      case "throw":
        throw new Error(`${text} failed`);
      case "large":
        return { text: text + "x".repeat(LARGE) };
      case "slow":
        context.progress("working");
        await clock.wait(clock.now() + plan.ms, context.signal);
        return { text };
      case "update":
        if (this.#stage.world.registry.isLive(NOTES)) context.update(NOTES, ({ marker }) => ({ marker }));
        return { text };
      case "hang":
        await clock.wait(Number.MAX_SAFE_INTEGER, context.signal);
        return { text };
      case "deaf":
        return await new Promise<never>(() => undefined);
    }
  }

  /** A call has its effect only once `started` is committed, once at a time, unstopped, and approved where it must be. */
  #checkStart(name: string, { task }: ToolContext): void {
    const { stored, world } = this.#stage;
    const { turn, tasks } = stored.control;
    const stands = tasks[String(task)];
    const { status, aborting, checkpoint } = stands ?? {};
    if (status !== "running" || checkpoint?.phase !== "started") {
      this.#stage.violated("startedBeforeEffect", `${name} runs while task ${task} is ${JSON.stringify(stands)}`);
    }
    const isOfTurn = turn?.tools.some((tool) => tool.task === task) ?? false;
    if (aborting || (isOfTurn && turn?.stopping)) this.#stage.violated("nothingStartsAfterStop", `${name} of ${task}`);
    if (this.#underWay.get(task) === world.crashes.life) this.#stage.violated("oneInvocationATime", `task ${task}`);
    if (name !== GATED || !world.registry.isLive(GATE)) return;
    const decision = world.kernel.get(GATE).calls[String(task)];
    if (decision !== "spent") this.#stage.violated("gatedCallNeedsApproval", `${task} runs while ${decision}`);
  }

  #checkMemo(key: string, value: string): void {
    const first = this.#memos.get(key);
    this.#memos.set(key, value);
    if (first !== undefined && first !== value) this.#stage.violated("memoIsStable", `${key}: ${first}, then ${value}`);
  }
}
