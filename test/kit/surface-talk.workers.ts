import { env } from "cloudflare:workers";
import { type ConversationStub, conversationOf } from "../../src/env.ts";
import { definePlugin, type IncomingFile, type Plugin } from "../../src/host/index.ts";
import type { MessageSurface } from "../../src/host/router/surface.ts";
import type { Judge } from "../../src/host/slots/judge.ts";
import { ok } from "../../src/lib/result.ts";
import { filePlace } from "../../src/objects/files/stored-files.ts";
import type { ObjectRpc } from "../../src/objects/rpc.ts";
import type { Caller } from "../../src/people/facts.ts";
import { NO_USAGE } from "../../src/protocol/message.ts";
import { Stage } from "./stage.workers.ts";
import { newPerson, Talk } from "./talk.workers.ts";
import { TestNetwork, type TestSurfaceOptions, testSurface, testSurfacePlugin } from "./test-network.ts";

/** How a conversation on the test network is begun. */
export interface SurfaceTalkOptions extends TestSurfaceOptions {
  /** Somebody else's channel, too. */
  readonly isShared?: boolean;
  /** Stands in for the adapter. */
  readonly adapt?: (surface: MessageSurface) => MessageSurface;
}

/** A real conversation on the test network, as its people talk to it. */
export class SurfaceTalk {
  readonly stage = new Stage("test");
  readonly network = new TestNetwork();
  readonly channel: string;
  readonly caller: Caller;
  /** Messages that were judged. */
  readonly judged: string[] = [];
  readonly #isShared: boolean;
  #messages = 0;
  readonly #said = new Map<string, string>();

  private constructor(caller: Caller, { isShared = false, adapt = (surface) => surface, ...able }: SurfaceTalkOptions) {
    this.caller = caller;
    this.#isShared = isShared;
    this.channel = this.network.open(this.stage.id);
    const plugins = [testSurfacePlugin(adapt(testSurface(this.network, able))), this.#judging()];
    this.stage.plugins = (builtIn) => [...builtIn, ...plugins];
  }

  static async begin(options: SurfaceTalkOptions = {}, caller?: Caller): Promise<SurfaceTalk> {
    return new SurfaceTalk(caller ?? (await newPerson()), options);
  }

  /** A judge that knows a plain yes and no. */
  #judging(): Plugin {
    const judge: Judge = {
      judge: async (question) => {
        const about = question.about as { readonly message: string; readonly calls: readonly { number: number }[] };
        const { message, calls } = about;
        this.judged.push(message);
        const said = message.startsWith("yes") ? "approve" : message.startsWith("no") ? "decline" : "other";
        const number = /\d+/.exec(message)?.[0];
        // Of a single call the number says nothing more, unless it is another's.
        const isOnly = calls.length === 1 && (number === undefined || Number(number) === calls[0]?.number);
        const choice = isOnly || number === undefined ? said : `${said} ${number}`;
        return ok({ choice, confidence: 0.95, usage: NO_USAGE });
      },
    };
    return definePlugin({ name: "test-judge", setup: () => ({ providers: { judge } }) });
  }

  /** A stub as an adapter makes one for each event. */
  get rpc(): ConversationStub & ObjectRpc {
    return conversationOf({ ...env, ASSETS: { fetch } }, this.channel) as ConversationStub & ObjectRpc;
  }

  /** The same object by way of the web, for looking into it. */
  get talk(): Talk {
    return Talk.at(this.stage, this.caller);
  }

  say(
    text: string,
    {
      by = this.caller,
      id = `m${++this.#messages}`,
      sentAt = this.network.now(),
      isBot = false,
      files,
    }: {
      by?: Pick<Caller, "identity">;
      id?: string;
      sentAt?: number;
      isBot?: boolean;
      files?: readonly IncomingFile[];
    } = {},
  ) {
    const { channel } = this;
    this.#said.set(id, text);
    const { identity } = by;
    const brought = files && { files };
    return this.rpc.hear({ id, channel, identity, isBot, isDirect: !this.#isShared, text, sentAt, ...brought });
  }

  /** Files that lie in the conversation's place: their bytes by their names there. */
  async stored(): Promise<readonly string[]> {
    const { objects } = await env.FILES.list({ prefix: filePlace(this.channel, "") });
    return objects.map(({ key, size }) => `${key.slice(filePlace(this.channel, "").length)}: ${size}`);
  }

  press(decision: "approve" | "decline", by: Pick<Caller, "identity"> = this.caller) {
    const card = this.cards.at(-1)?.card;
    if (!card) throw new Error("no card is shown");
    const { hold, digest } = card;
    return this.rpc.press({ identity: by.identity }, { hold, digest, decision });
  }

  /** Words of the messages that carry the mark of waiting. */
  get marked(): readonly string[] {
    return [...this.network.reactions].flatMap((reaction) => {
      const [channel, message = ""] = reaction.split(" ");
      return channel === this.channel ? [this.#said.get(message) ?? message] : [];
    });
  }

  get shown() {
    return this.network.in(this.channel);
  }

  get texts(): readonly string[] {
    return this.shown.flatMap(({ text }) => (text === "" ? [] : [text]));
  }

  get cards() {
    return this.shown.filter(({ card, question }) => card ?? question);
  }
}
