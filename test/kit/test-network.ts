import { definePlugin, type Plugin } from "../../src/host/index.ts";
import type {
  Closing,
  MessageSurface,
  Outgoing,
  OutgoingPrompt,
  ProgressLine,
  Sending,
} from "../../src/host/router/surface.ts";
import type { HoldCard } from "../../src/protocol/cards.ts";
import type { QuestionCard } from "../../src/protocol/questions.ts";

/** UTF-16 units of one message. */
export const MAX_MESSAGE_UNITS = 500;
const PREFIX = "test";

/** A message as people see it on the network. */
export interface ShownMessage {
  readonly id: string;
  readonly channel: string;
  readonly at: number;
  readonly text: string;
  readonly file?: { readonly name: string; readonly size: number };
  readonly card?: HoldCard;
  readonly question?: QuestionCard;
  /** What became of what it asks; absent: it asks still, or never did. */
  closed?: string;
}

/** What an adapter posts. A nonce says that it is the same message again. */
type Post = Pick<ShownMessage, "channel" | "text" | "file" | "card" | "question"> & { readonly nonce: string };

/** What the network shows while a turn runs. */
interface Presence {
  typing: number;
  stops: number;
}

/**
 * A chat network in memory, which outlives every death of what talks to it. It refuses what a real one would: empty and too
 * long messages, channels that it does not have, one nonce for two messages, closing what never asked.
 */
export class TestNetwork {
  readonly messages: ShownMessage[] = [];
  /** What stands on messages of people: `<channel> <message> <emoji>`. */
  readonly reactions = new Set<string>();
  readonly progress: (ProgressLine & { readonly channel: string })[] = [];
  /** How often each nonce was posted. */
  readonly posts = new Map<string, number>();
  /** Runs before each post has its effect, and after; a throw is a failure of the adapter's process. */
  before: (nonce: string) => void | Promise<void> = () => undefined;
  after: (nonce: string) => void | Promise<void> = () => undefined;
  /** The network refuses posts for now. */
  isAway = false;
  readonly #channels = new Map<string, Presence>();
  readonly #nonces = new Map<string, { readonly id: string; readonly body: string }>();
  #time = Date.now();

  /** Opens a channel. Returns its key. */
  open(id: string = crypto.randomUUID()): string {
    const channel = `${PREFIX}:${id}`;
    this.#channels.set(channel, { typing: 0, stops: 0 });
    return channel;
  }

  /** The network's clock: later than everything before. */
  now(): number {
    this.#time = Math.max(this.#time + 1, Date.now());
    return this.#time;
  }

  in(channel: string): readonly ShownMessage[] {
    return this.messages.filter((message) => message.channel === channel);
  }

  presence(channel: string): Presence {
    const found = this.#channels.get(channel);
    if (!found) throw new Error(`the network has no channel ${channel}`);
    return found;
  }

  /** @throws for what no network takes. */
  async post(post: Post): Promise<Sending> {
    const { nonce, ...shown } = post;
    this.presence(post.channel);
    if (post.text.length > MAX_MESSAGE_UNITS) throw new Error(`a message has ${post.text.length} units`);
    if (post.text === "" && !post.file && !post.card && !post.question) throw new Error("a message is empty");
    await this.before(nonce);
    if (this.isAway) return { status: "retry", error: "the network is away" };
    this.posts.set(nonce, (this.posts.get(nonce) ?? 0) + 1);
    const message = this.#keep(nonce, shown);
    await this.after(nonce);
    return { status: "sent", id: message.id, at: message.at };
  }

  async close({ key, channel, message: id, text }: Closing): Promise<Sending> {
    await this.before(key);
    if (this.isAway) return { status: "retry", error: "the network is away" };
    const message = this.in(channel).find((one) => one.id === id);
    if (!message || !(message.card ?? message.question)) throw new Error(`message ${id} asks nothing`);
    message.closed ??= text;
    await this.after(key);
    return { status: "sent", id, at: this.now() };
  }

  #keep(nonce: string, shown: Omit<Post, "nonce">): ShownMessage {
    const body = JSON.stringify([
      shown.channel,
      shown.text,
      shown.file?.name,
      shown.card?.digest,
      shown.question?.prompt,
    ]);
    const known = this.#nonces.get(`${shown.channel} ${nonce}`);
    if (known && known.body !== body)
      throw new Error(`the nonce ${nonce} stands for another message: ${known.body}, ${body}`);
    const before = this.messages.find(({ id }) => id === known?.id);
    if (before) return before;
    const message: ShownMessage = { ...shown, id: String(this.messages.length + 1), at: this.now() };
    this.messages.push(message);
    this.#nonces.set(`${shown.channel} ${nonce}`, { id: message.id, body });
    return message;
  }
}

/** What a test surface is able to do. Absent: all of it. */
export interface TestSurfaceOptions {
  readonly prompts?: boolean;
  readonly files?: boolean;
  readonly typing?: boolean;
  readonly stop?: boolean;
  readonly progress?: boolean;
  readonly reactions?: boolean;
}

/** The adapter of the test network: splits, posts, and keeps nothing. */
export function testSurface(
  network: TestNetwork,
  {
    prompts = true,
    files = true,
    typing = true,
    stop = true,
    progress = true,
    reactions = true,
  }: TestSurfaceOptions = {},
): MessageSurface {
  const send = (message: Outgoing) => sendAll(network, message);
  return {
    kind: "messages",
    surface: PREFIX,
    ...(files && { supportsFiles: true }),
    async sendReply(reply) {
      const sent = await send(reply);
      if (sent.status === "sent") Object.assign(network.presence(reply.channel), { typing: 0, stops: 0 });
      return sent;
    },
    sendNotice: send,
    ...(typing && { startTyping: (channel) => show(network, channel, "typing") }),
    ...(stop && { showStop: (channel) => show(network, channel, "stops") }),
    ...(progress && {
      progress: (channel, line) => {
        network.progress.push({ ...line, channel });
        return Promise.resolve();
      },
    }),
    ...(reactions && {
      react: async (...what) => {
        network.reactions.add(what.join(" "));
      },
      unreact: async (...what) => {
        network.reactions.delete(what.join(" "));
      },
    }),
    ...(prompts && {
      prompts: {
        confirm: ({ key, channel, card }: OutgoingPrompt<HoldCard>) =>
          network.post({ nonce: key, channel, text: "", card }),
        ask: ({ key, channel, card }: OutgoingPrompt<QuestionCard>) =>
          network.post({ nonce: key, channel, text: "", question: card }),
        close: (closing: Closing) => network.close(closing),
      },
    }),
  };
}

/** A plugin with the surface and a claim that answers every message of a person. */
export function testSurfacePlugin(surface: MessageSurface): Plugin {
  return definePlugin({
    name: "test-surface",
    setup: () => ({
      surfaces: [surface],
      claims: [
        {
          name: "test-surface",
          surface: PREFIX,
          owns: () => true,
          admit: ({ isBot }) => (isBot ? { kind: "drop", reason: "Bots are not answered." } : { kind: "turn" }),
        },
      ],
    }),
  });
}

/** Each part under a key of its own: what was shown before a death is not shown again. */
async function sendAll(network: TestNetwork, { key, channel, text, files }: Outgoing): Promise<Sending> {
  let last: Sending = { status: "drop", error: "there was nothing to send" };
  for (const [index, part] of split(text).entries()) {
    last = await network.post({ nonce: `${key}/${index}`, channel, text: part });
    if (last.status !== "sent") return last;
  }
  for (const file of files) {
    const size = (await file.read())?.byteLength;
    if (size === undefined) return { status: "drop", error: `${file.name} is not there any more` };
    last = await network.post({ nonce: `${key}/${file.id}`, channel, text: "", file: { name: file.name, size } });
    if (last.status !== "sent") return last;
  }
  return last;
}

function split(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${MAX_MESSAGE_UNITS}}`, "g")) ?? [];
}

function show(network: TestNetwork, channel: string, what: keyof Presence): () => void {
  network.presence(channel)[what] = 1;
  return () => {
    network.presence(channel)[what] = 0;
  };
}
