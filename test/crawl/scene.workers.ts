import { env } from "cloudflare:test";
import { oidcIdentity } from "../../src/auth/oidc-identity.ts";
import { definePlugin } from "../../src/host/index.ts";
import { must } from "../../src/lib/assert.ts";
import type { Tier } from "../../src/people/facts.ts";
import { type Edge, LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";
import { API, TokenIssuer } from "../kit/token-issuer.ts";

/** Words of people that no refusal may hold. */
export const MARK = "heliotrope";

/** What a conversation holds that can be named in a path or a body. */
export interface Place {
  readonly id: string;
  readonly stage: Stage;
  readonly hold: string;
  readonly digest: string;
  readonly task: number;
  readonly queued: string;
  readonly file: string;
  readonly constraint: string;
  /** Entries: what a person said, and what was answered. */
  readonly said: number;
  readonly answered: number;
}

/** Everybody who comes to a door, by what they are to the scene's conversations. */
export interface Cast {
  /** The person of the private conversation. */
  readonly anna: Visitor;
  /** An owner of the deployment, who opened the room. */
  readonly olga: Visitor;
  /** In the room, and whose turn waits there. */
  readonly mia: Visitor;
  /** In the room as well. */
  readonly max: Visitor;
  /** Was in the room. */
  readonly fritz: Visitor;
  /** A member of the deployment, and of no conversation here. */
  readonly bert: Visitor;
  readonly ada: Visitor;
  readonly guest: Visitor;
  readonly disabled: Visitor;
  readonly unlinked: Visitor;
  readonly revoked: Visitor;
  readonly expired: Visitor;
  /** Somebody whom changes of people are about. */
  readonly target: Visitor;
  /** Access tokens of a member and of a guest, and one that was signed by nobody. */
  readonly token: string;
  readonly guestToken: string;
  readonly forgedToken: string;
}

/** The real edge before real objects, with people of every kind and three conversations, one of which is not there. */
export interface Scene {
  readonly edge: Edge;
  readonly cast: Cast;
  readonly private: Place;
  readonly room: Place;
  /** A room in which nothing runs or waits, so that time may pass. */
  readonly quiet: Talk;
  readonly missing: Place;
}

export type PlaceName = "private" | "room" | "missing";

/** A plugin that has one route for each tier. */
const gated = definePlugin({
  name: "gated",
  setup: () => ({
    routes: (["GET", "POST", "DELETE"] as const).flatMap((method) =>
      (["member", "admin", "owner"] as const).map((tier) => ({
        method,
        path: `/${tier}`,
        tier,
        handle: async () => Response.json({ words: MARK }),
      })),
    ),
  }),
});

export async function makeScene(): Promise<Scene> {
  const issuer = await TokenIssuer.make();
  const corp = { kind: "oidc", issuer: issuer.issuer, clientId: "the-client", secretFrom: "SECRET", api: API } as const;
  const edge = makeEdge(env, {
    bindings: { CONVERSATION: env.CONVERSATION },
    config: { signIn: { corp }, people: { provisioning: "invite" } },
    plugins: [gated],
    fetch: issuer.fetch,
    // It goes to every door in every way within a minute or two.
    requestsPerMinute: Number.POSITIVE_INFINITY,
  });
  edge.clock.now = () => Date.now();
  const cast = await makeCast(edge, issuer);
  const own = await Talk.begin(new Stage(), cast.anna.caller);
  const [owner, quiet] = [await openRoom(cast), await openRoom(cast)];
  for (const { caller } of [cast.mia, cast.max, cast.fritz])
    await owner.rpc.addMember(owner.caller, caller.principalId);
  await owner.rpc.removeMember(owner.caller, cast.fritz.caller.principalId);
  const [place, room] = [await furnish(own, own), await furnish(owner, owner.by(cast.mia.caller))];
  await quiet.say("Hello");
  await quiet.idle();
  const nowhere = new Stage();
  return { edge, cast, private: place, room, quiet, missing: { ...place, id: nowhere.id, stage: nowhere } };
}

async function openRoom({ olga }: Cast): Promise<Talk> {
  const owner = Talk.at(new Stage(), olga.caller);
  await owner.rpc.create(owner.caller, owner.stage.key, "shared");
  return owner;
}

async function makeCast(edge: Edge, issuer: TokenIssuer): Promise<Cast> {
  const run = (query: string, ...values: unknown[]) =>
    env.DB.prepare(query)
      .bind(...values)
      .run();
  const bearer = async (tier: Tier) => {
    const { caller } = await edge.visitor(tier);
    const sub = `${tier}-${crypto.randomUUID()}`;
    const id = must(oidcIdentity(issuer.issuer, sub), "the subject is one");
    await run(
      "insert into identities (id, principal_id, linked_at) values (?, ?, ?)",
      id,
      caller.principalId,
      Date.now(),
    );
    issuer.claims = { sub, jti: crypto.randomUUID() };
    const token = await issuer.accessToken(Date.now());
    // The first use writes the token's session.
    await edge.fetch(`${LOCAL}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    return token;
  };
  const [anna, mia, max, fritz, bert, disabled, unlinked, revoked, expired, target] = await Promise.all(
    Array.from({ length: 10 }, () => edge.visitor("member")),
  );
  if (!(anna && mia && max && fritz && bert && disabled && unlinked && revoked && expired && target)) throw new Error();
  await run("update principals set disabled_at = 1 where id = ?", disabled.caller.principalId);
  await run("delete from identities where id = ?", unlinked.caller.identity);
  await run("update sessions set revoked_at = 1 where hash = ?", revoked.caller.sessionHash);
  await run("update sessions set created_at = 1, last_seen_at = 1 where hash = ?", expired.caller.sessionHash);
  for (const { caller } of [anna, mia]) {
    await run("update principals set name = ? where id = ?", `Ms ${MARK}`, caller.principalId);
  }
  const tokens = { token: await bearer("member"), guestToken: await bearer("guest") };
  issuer.signature = "hmac";
  const forgedToken = await issuer.accessToken(Date.now());
  const [olga, ada, guest] = [await edge.visitor("owner"), await edge.visitor("admin"), await edge.visitor("guest")];
  const people = { anna, olga, mia, max, fritz, bert, ada, guest, disabled, unlinked, revoked, expired, target };
  return { ...people, ...tokens, forgedToken };
}

/** Fills a conversation: a file, a constraint, an answer, a card that waits and a message behind it. */
async function furnish(owner: Talk, speaker: Talk): Promise<Place> {
  const { stage } = owner;
  stage.script = ({ messages }) => {
    const last = messages.at(-1);
    return last?.role === "user" && JSON.stringify(last.content).includes("Deploy")
      ? { calls: [{ name: "send_webhook", args: JSON.stringify({ target: "build", body: { ref: MARK } }) }] }
      : { text: `All done with ${MARK}.` };
  };
  await speaker.say(`Hello, ${MARK}`);
  await speaker.idle();
  const entries = (await speaker.snapshot()).view.entries;
  const find = (kind: string) => must(entries.find((entry) => entry.kind === kind)?.id, `an entry ${kind}`);
  const [file, constraint] = [`01${stage.id.replaceAll("-", "").slice(0, 24)}`, crypto.randomUUID()];
  await env.FILES.put(`files/${stage.id}/${file}`, MARK);
  await speaker.rpc.addFile(speaker.caller, { id: file, name: `${MARK}.txt`, mime: "text/plain", bytes: MARK.length });
  // Its bytes are there.
  await speaker.rpc.file(speaker.caller, file);
  const tools = ["calculate"];
  const text = `Ask me about ${MARK}`;
  must(
    (await owner.rpc.constrain(owner.caller, { id: constraint, tools, effect: "ask", text })).ok || undefined,
    "set",
  );
  const { hold, digest, task } = await speaker.toCard(`Deploy ${MARK}`);
  await speaker.rpc.submit(speaker.caller, { id: "later", text: "And then?", mode: "queue" });
  await speaker.told();
  const queued = `${speaker.caller.principalId}:later`;
  const [said, answered] = [find("core.user"), find("core.assistant")];
  return { id: stage.id, stage, hold, digest, task, queued, file, constraint, said, answered };
}
