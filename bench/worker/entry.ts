import { BudgetObject } from "../../src/objects/budget/budget.ts";
import { ConversationObject } from "../../src/objects/conversation/conversation.ts";
import { PrincipalObject } from "../../src/objects/principal/principal.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";
import { CHAT_PROTOCOL } from "../../src/protocol/close.ts";
import { platformApp } from "../../src/routes/platform-app.ts";
import { countedState, type WriteCounts } from "../../test/kit/counted-state.ts";
import { growTranscript } from "../../test/kit/long-transcript.ts";
import { benchModel } from "./bench-model.ts";

export { Bare } from "./bare.ts";

/** One owner talks in all conversations at once. */
const config = checkConfig({ turns: { running: 1_000, perMinute: 10_000, perHour: 10_000 } });

/** The real object with an instant model, its writes counted, and a door for onlookers without a limit of sockets. */
export class Conversation extends ConversationObject {
  readonly #counts: WriteCounts;

  constructor(ctx: DurableObjectState, env: Env) {
    const counts: WriteCounts = { rows: 0, read: 0, alarms: 0 };
    const observe = (state: DurableObjectState) => countedState(state, counts);
    super(ctx, env, { config, observe, models: (deployed) => ({ ...deployed, port: benchModel }) });
    this.#counts = counts;
  }

  /** Counts since the object began. */
  counts(): WriteCounts {
    return { ...this.#counts };
  }

  /** Makes this a long conversation, of which the active transcript holds the end, and lets the process of it end. */
  async plant(entries: number, active?: number): Promise<void> {
    growTranscript(this.ctx.storage, entries, active);
    // What is measured is a long transcript, not how it is summarised.
    this.ctx.storage.sql.exec(
      `INSERT INTO namespace_versions (name, rev, body) VALUES ('core.config', 1, '{"autoCompact":false}')`,
    );
    await this.ctx.storage.sync();
    this.ctx.abort("planted");
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== "/onlooker") return super.fetch(request);
    const [speaker] = this.ctx.getWebSockets();
    const attachment = speaker && this.home.room.attachmentOf(speaker);
    if (!attachment) return new Response("onlookers come after the speaker", { status: 409 });
    const pair = new WebSocketPair();
    this.ctx.acceptWebSocket(pair[1]);
    this.home.room.set(pair[1], { ...attachment, following: true });
    return new Response(null, {
      status: 101,
      webSocket: pair[0],
      headers: { "sec-websocket-protocol": CHAT_PROTOCOL },
    });
  }
}

/** The real one. */
export class Principal extends PrincipalObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { config });
  }
}

/** The real one. */
export class Budget extends BudgetObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { config });
  }
}

type BenchEnv = Omit<Env, "CONVERSATION"> & {
  readonly BARE: DurableObjectNamespace;
  readonly CONVERSATION: DurableObjectNamespace<Conversation>;
};

const app = platformApp(config);

async function plant(conversation: DurableObjectStub<Conversation>, query: URLSearchParams): Promise<Response> {
  const active = query.get("active");
  try {
    await conversation.plant(Number(query.get("entries")), active === null ? undefined : Number(active));
    return new Response("not planted", { status: 500 });
  } catch (error) {
    // The object ends itself when it is done: that is what comes back.
    return new Response(String(error), { status: String(error).includes("planted") ? 200 : 500 });
  }
}

export default {
  async fetch(request: Request, env: BenchEnv): Promise<Response> {
    const url = new URL(request.url);
    const name = url.searchParams.get("name") ?? "";
    switch (url.pathname) {
      case "/bench/bare":
        return env.BARE.getByName(name).fetch(request);
      case "/bench/onlooker":
        return env.CONVERSATION.getByName(name).fetch(new Request("https://conversation/onlooker", request));
      case "/bench/plant":
        return plant(env.CONVERSATION.getByName(name), url.searchParams);
      case "/bench/counts":
        return Response.json(await env.CONVERSATION.getByName(name).counts());
      default:
        return app.fetch(request, env);
    }
  },
};
