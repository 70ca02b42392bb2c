import { env } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { oidcIdentity } from "../../src/auth/oidc-identity.ts";
import { sha256Hex } from "../../src/auth/secret.ts";
import { must } from "../../src/lib/assert.ts";
import type { Caller } from "../../src/people/facts.ts";
import { MAX_TOKEN_CHARACTERS, REAUTH_BEFORE_MS } from "../../src/protocol/limits.ts";
import { openDatabase } from "../../src/store/database.ts";
import { identities } from "../../src/store/identities.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { API, TokenIssuer } from "../kit/token-issuer.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

const HOUR = 60 * 60 * 1000;
const db = openDatabase(env.DB);
let issuer: TokenIssuer;
let talk: Talk;

beforeEach(async () => {
  issuer = await TokenIssuer.make();
  const stage = new Stage();
  const corp = { kind: "oidc", issuer: issuer.issuer, clientId: "c", secretFrom: "SECRET", api: API } as const;
  stage.config = { signIn: { corp } };
  stage.outside = (request) => issuer.fetch(request.url, {});
  talk = await Talk.begin(stage, await newPerson());
});

afterEach(restoreClock);

/** A subject of the issuer's that is this person. */
async function link({ principalId }: Caller): Promise<string> {
  const subject = crypto.randomUUID();
  const id = must(oidcIdentity(issuer.issuer, subject), "the subject is one");
  await db.insert(identities).values({ id, principalId, linkedAt: Date.now() });
  return subject;
}

async function token(sub: string, lifeMs = HOUR, claims: object = {}): Promise<string> {
  issuer.claims = { sub, jti: crypto.randomUUID(), exp: Math.floor((Date.now() + lifeMs) / 1000), ...claims };
  return await issuer.accessToken(Date.now());
}

/** Somebody who connects with a token, as the Worker resolves them. */
async function connect(text: string, sub: string): Promise<ChatSocket> {
  const first = await ChatSocket.follow(talk.stage, talk.caller);
  await first.ask({ type: "auth", token: text }, "authorized");
  first.close();
  const identity = must(oidcIdentity(issuer.issuer, sub), "the subject is one");
  return await ChatSocket.follow(talk.stage, { ...talk.caller, identity, sessionHash: await sha256Hex(text) });
}

const reminders = (socket: ChatSocket) => socket.frames.filter(({ type }) => type === "reauth").length;

describe("a socket's access token", () => {
  it("[U-74] is renewed by a newer one, and the socket lives until that one's end", async () => {
    const sub = await link(talk.caller);
    const socket = await connect(await token(sub, HOUR), sub);
    const newer = await token(sub, 3 * HOUR);
    const { until } = await socket.ask({ type: "auth", token: newer }, "authorized");
    expect(until).toBe((issuer.claims["exp"] as number) * 1000);
    passTime(2 * HOUR);
    await socket.ask({ type: "send", id: "1", text: "Still here?" }, "receipt");
    passTime(2 * HOUR);
    socket.send({ type: "send", id: "2", text: "And now?" });
    await socket.until(() => socket.closed !== undefined);
    expect(socket.closed?.code).toBe(4401);
  });

  it("[U-74] of another linked identity is the same person's", async () => {
    const [one, two] = [await link(talk.caller), await link(talk.caller)];
    const socket = await connect(await token(one), one);
    expect((await socket.ask({ type: "auth", token: await token(two) }, "authorized")).type).toBe("authorized");
    await socket.ask({ type: "send", id: "1", text: "As the other" }, "receipt");
    expect(socket.closed).toBeUndefined();
  });

  it("[U-74] of another person closes the socket, whatever their tier", async () => {
    const other = await link(await newPerson("owner"));
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const error = await socket.ask({ type: "auth", token: await token(other) }, "error");
    expect(error.code).toBe("forbidden");
    await socket.until(() => socket.closed !== undefined);
    expect(socket.closed?.code).toBe(4403);
  });

  it.each([
    ["that has ended", { exp: 1 }, 4401],
    ["for another audience", { aud: "https://other.example" }, 4401],
    ["without the scope", { scope: "openid" }, 4403],
  ])("[U-74] %s closes the socket and gives nothing", async (_name, claims, code) => {
    const sub = await link(talk.caller);
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    socket.send({ type: "auth", token: await token(sub, HOUR, claims) });
    await socket.until(() => socket.closed !== undefined);
    expect(socket.closed?.code).toBe(code);
  });

  it("[U-74] of nobody here closes the socket, and admits nobody", async () => {
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    socket.send({ type: "auth", token: await token("a-stranger") });
    await socket.until(() => socket.closed !== undefined);
    expect(socket.closed?.code).toBe(4403);
  });

  it("[U-74] that cannot be looked at now leaves the socket with what it had", async () => {
    const sub = await link(talk.caller);
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    issuer.instead.set("/jwks", () => new Response(null, { status: 500 }));
    const refused = await socket.ask({ type: "auth", token: await token(sub) }, "error");
    expect(refused.code).toBe("unavailable");
    await socket.ask({ type: "send", id: "1", text: "Still here" }, "receipt");
  });

  it("[U-74] of 8,193 characters is no frame, and one that is none changes nothing", async () => {
    const socket = await ChatSocket.follow(talk.stage, talk.caller);
    const long = { type: "auth", token: "x".repeat(MAX_TOKEN_CHARACTERS + 1) } as const;
    expect((await socket.ask(long, "error")).code).toBe("bad_frame");
    expect((await socket.ask({ type: "auth", token: "" }, "error")).code).toBe("bad_frame");
    socket.send({ type: "auth", token: "x".repeat(MAX_TOKEN_CHARACTERS) });
    await socket.until(() => socket.closed !== undefined);
    expect(socket.closed?.code).toBe(4401);
  });

  it("[U-75] whoever hears or says something in its last five minutes is told once, and again after a renewal", async () => {
    const sub = await link(talk.caller);
    const socket = await connect(await token(sub, HOUR), sub);
    await socket.ask({ type: "send", id: "1", text: "Early" }, "receipt");
    expect(reminders(socket)).toBe(0);
    passTime(HOUR - REAUTH_BEFORE_MS + 1_000);
    await socket.ask({ type: "send", id: "2", text: "Late" }, "receipt");
    await socket.ask({ type: "send", id: "3", text: "Later" }, "receipt");
    expect(reminders(socket)).toBe(1);
    await socket.ask({ type: "auth", token: await token(sub, 2 * HOUR) }, "authorized");
    await socket.ask({ type: "send", id: "4", text: "Renewed" }, "receipt");
    expect(reminders(socket)).toBe(1);
    passTime(2 * HOUR - REAUTH_BEFORE_MS + 1_000);
    await socket.ask({ type: "send", id: "5", text: "Late again" }, "receipt");
    expect(reminders(socket)).toBe(2);
  });

  it("[U-75] [U-65] a token that ends in 60 days, further off than the longest timer, reminds nobody now", async () => {
    const sub = await link(talk.caller);
    const socket = await connect(await token(sub, 60 * 24 * HOUR), sub);
    await socket.ask({ type: "send", id: "1", text: "Hello" }, "receipt");
    expect(reminders(socket)).toBe(0);
    expect(socket.closed).toBeUndefined();
  });

  it("[U-75] is in no frame that the server sends and no row that the object keeps", async () => {
    const sub = await link(talk.caller);
    const text = await token(sub);
    const socket = await connect(text, sub);
    await socket.ask({ type: "send", id: "1", text: "Hello" }, "receipt");
    const said = JSON.stringify([socket.frames, await talk.stored()]);
    for (const part of text.split(".")) expect(said).not.toContain(part.slice(0, 40));
  });
});
