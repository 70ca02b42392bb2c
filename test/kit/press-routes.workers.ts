import { env } from "cloudflare:test";
import { hashSessionId, newSessionId } from "../../src/auth/session-id.ts";
import type { Caller, Tier } from "../../src/people/facts.ts";
import type { HoldCard } from "../../src/protocol/cards.ts";
import type { DecideBody, GivenAnswer } from "../../src/protocol/frames.ts";
import type { QuestionCard, QuestionsView } from "../../src/protocol/questions.ts";
import { identities } from "../../src/store/identities.ts";
import { sessions } from "../../src/store/sessions.ts";
import { ChatSocket } from "./chat-socket.workers.ts";
import { fresh } from "./directory.ts";
import { type Edge, LOCAL, makeEdge, type Visitor } from "./edge.ts";
import type { Stage } from "./stage.workers.ts";
import { Talk } from "./talk.workers.ts";

/** What a press was answered; `undefined`: it counted. */
export type Refusal = string | undefined;

/** Somebody with a session, at one conversation, by every route that a press can take. */
export class Presser {
  readonly talk: Talk;
  readonly #edge: Edge;
  readonly #visitor: Visitor;
  #socket: ChatSocket | undefined;

  constructor(edge: Edge, stage: Stage, visitor: Visitor) {
    this.talk = Talk.at(stage, visitor.caller);
    this.#edge = edge;
    this.#visitor = visitor;
  }

  get id(): string {
    return this.#visitor.caller.principalId;
  }

  /** Opens the socket by which the frames go: to be done while this person may enter. */
  async connect(): Promise<ChatSocket> {
    this.#socket = await ChatSocket.follow(this.talk.stage, this.#visitor.caller);
    return this.#socket;
  }

  /** The code of the frame's refusal, `closed` with the code when the socket was closed for it. */
  async byFrame(card: HoldCard, decision: DecideBody["decision"], input?: Record<string, unknown>): Promise<Refusal> {
    const socket = this.#socket ?? (await this.connect());
    if (socket.closed) return `closed ${socket.closed.code}`;
    const before = socket.frames.length;
    const frame = { type: "decide", hold: card.hold, digest: card.digest, decision } as const;
    socket.send(input ? { ...frame, input } : frame);
    const error = () =>
      socket.frames
        .slice(before)
        .flatMap((one) => (one.type === "error" ? [one] : []))
        .at(0);
    // A press that counts changes the card on this socket.
    const counted = () => !socket.replica.cards.some(({ hold, status }) => hold === card.hold && status === "open");
    let closed: number | undefined;
    await socket.until(() => {
      closed = socket.closed?.code;
      return closed !== undefined || error() !== undefined || counted();
    });
    return closed === undefined ? error()?.code : `closed ${closed}`;
  }

  async byListFrame(card: HoldCard, decision: DecideBody["decision"]): Promise<Refusal> {
    const socket = this.#socket ?? (await this.connect());
    const { hold, digest } = card;
    const id = fresh("list");
    const answer = await socket.ask(
      { type: "decideMany", id, cards: [{ hold, digest }], decision },
      "decided",
      "error",
    );
    return answer.type === "error" ? answer.code : answer.outcomes[0]?.error?.code;
  }

  async byRest({ hold, digest }: HoldCard, decision: DecideBody["decision"]): Promise<Refusal> {
    const answer = await this.#post("decisions", { cards: [{ hold, digest }], decision });
    return answer.error?.code ?? answer.outcomes?.[0]?.error?.code;
  }

  async answerByFrame({ prompt }: QuestionCard, answers: readonly (GivenAnswer | null)[]): Promise<Refusal> {
    const socket = this.#socket ?? (await this.connect());
    const before = socket.frames.length;
    socket.send({ type: "answer", prompt, answers: [...answers] });
    const error = () => socket.frames.slice(before).find((one) => one.type === "error");
    const cards = () =>
      (socket.replica.view?.plugins["questions"] as unknown as QuestionsView | undefined)?.cards ?? [];
    const isOpen = () => cards().some((one) => one.prompt === prompt && one.status === "open");
    await socket.until(() => error() !== undefined || !isOpen());
    return error()?.code;
  }

  async answerByRest({ prompt }: QuestionCard, answers: readonly (GivenAnswer | null)[]): Promise<Refusal> {
    return (await this.#post("answers", { prompt, answers })).error?.code;
  }

  async extend({ hold, deadline }: HoldCard): Promise<Refusal> {
    return (await this.#post(`holds/${hold}/extend`, { until: deadline + 60_000 })).error?.code;
  }

  async handOver({ hold }: HoldCard, to: string): Promise<Refusal> {
    return (await this.#post(`holds/${hold}/hand-over`, { to })).error?.code;
  }

  async askAgain({ hold }: HoldCard): Promise<Refusal> {
    return (await this.#post(`holds/${hold}/ask-again`, undefined)).error?.code;
  }

  async #post(path: string, json: unknown): Promise<RestAnswer> {
    const url = `${LOCAL}/api/v1/conversations/${this.talk.stage.id}/${path}`;
    const response = await this.#edge.fetch(url, {
      method: "POST",
      as: this.#visitor,
      ...(json !== undefined && { json }),
    });
    const text = await response.text();
    return text === "" ? {} : (JSON.parse(text) as RestAnswer);
  }
}

interface RestAnswer {
  readonly error?: { readonly code: string };
  readonly outcomes?: readonly { readonly error?: { readonly code: string } }[];
}

/** The Worker's edge over the real conversations of this test run, by the wall clock. */
export function realEdge(): Edge {
  const edge = makeEdge(env, { bindings: { CONVERSATION: env.CONVERSATION } });
  edge.clock.time = Date.now();
  return edge;
}

/** Another way in of a person who is there already: an identity and a session of its own. */
export async function secondWayIn(edge: Edge, { principalId }: Caller): Promise<Visitor> {
  const id = newSessionId((bytes) => crypto.getRandomValues(bytes));
  const hash = (await hashSessionId(id)) ?? "";
  const identity = fresh("other:");
  const now = edge.clock.now();
  await edge.db.batch([
    edge.db.insert(identities).values({ id: identity, principalId, linkedAt: now }),
    edge.db.insert(sessions).values({ hash, principalId, identity, createdAt: now, lastSeenAt: now }),
  ]);
  const caller = { principalId, identity, sessionHash: hash };
  return { caller, cookie: `althing_dev=${id}; __Host-althing=${id}` };
}

/** What becomes of a person's standing, as an owner or an outage of trust would do it. */
export const STANDING = {
  tier: (person: Caller, tier: Tier) => sql("update principals set tier = ? where id = ?", tier, person.principalId),
  switchedOff: ({ principalId }: Caller) => sql("update principals set disabled_at = 1 where id = ?", principalId),
  unlinked: ({ identity }: Caller, to: Caller) =>
    sql("update identities set principal_id = ? where id = ?", to.principalId, identity),
};

function sql(query: string, ...values: unknown[]) {
  return env.DB.prepare(query)
    .bind(...values)
    .run();
}
