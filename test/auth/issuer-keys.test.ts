import { beforeEach, describe, expect, it } from "vitest";
import { AccessTokens } from "../../src/auth/access-token.ts";
import { FAILURE_PAUSE_MS, KEYS_MAX_AGE_MS, UNKNOWN_KEY_PAUSE_MS } from "../../src/auth/issuer-keys.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";
import { testClock } from "../kit/directory.ts";
import { API, TokenIssuer } from "../kit/token-issuer.ts";

const clock = testClock(Date.now());
const WELL_KNOWN = "/.well-known/openid-configuration";
let issuer: TokenIssuer;
let tokens: AccessTokens;

beforeEach(async () => {
  issuer = await TokenIssuer.make();
  const corp = { kind: "oidc", issuer: issuer.issuer, clientId: "c", secretFrom: "SECRET", api: API } as const;
  tokens = new AccessTokens(checkConfig({ signIn: { corp } }), issuer.fetch, clock);
});

/** What becomes of a token signed by the key at a place. */
async function outcome(signature = 0): Promise<string> {
  issuer.signature = signature;
  const proven = await tokens.prove(await issuer.accessToken(clock.now()));
  return proven.ok ? "counts" : proven.error.kind;
}

const keysRead = () => issuer.asked.filter((path) => path === "/jwks").length;

describe("an issuer's keys", () => {
  it("[U-66] are read with the first token and then kept for ten minutes", async () => {
    expect(await outcome()).toBe("counts");
    expect(issuer.asked).toEqual([WELL_KNOWN, "/jwks"]);
    clock.time += KEYS_MAX_AGE_MS - 1;
    expect(await outcome()).toBe("counts");
    expect(keysRead()).toBe(1);
    clock.time += 1;
    expect(await outcome()).toBe("counts");
    expect(keysRead()).toBe(2);
  });

  it("[U-66] a new key counts as soon as it is published, and one that was taken back no longer than ten minutes", async () => {
    await outcome();
    issuer.published = [1];
    clock.time += UNKNOWN_KEY_PAUSE_MS;
    expect(await outcome(1)).toBe("counts");
    expect(await outcome(0)).toBe("wrong");
    issuer.published = [];
    clock.time += KEYS_MAX_AGE_MS;
    expect(await outcome(1)).toBe("wrong");
  });

  it("[U-66] a thousand tokens of unknown keys make us ask once in half a minute", async () => {
    await outcome();
    clock.time += UNKNOWN_KEY_PAUSE_MS;
    const flood = async () => {
      issuer.signature = 1;
      const forged = Array.from({ length: 1_000 }, async (_, i) => {
        const token = await issuer.sign({ aud: API.audience, exp: clock.now() / 1000 + 300 }, { kid: `forged-${i}` });
        return await tokens.prove(token);
      });
      return (await Promise.all(forged)).filter(({ ok }) => ok).length;
    };
    expect(await flood()).toBe(0);
    expect(keysRead()).toBe(2);
    expect(await flood()).toBe(0);
    expect(keysRead()).toBe(2);
    expect(await outcome(0)).toBe("counts");
  });

  it("[U-66] many first tokens at one instant ask once", async () => {
    const token = await issuer.accessToken(clock.now());
    const proven = await Promise.all(Array.from({ length: 20 }, () => tokens.prove(token)));
    expect(proven.every(({ ok }) => ok)).toBe(true);
    expect(keysRead()).toBe(1);
  });

  it.each([
    ["is away", WELL_KNOWN, () => Promise.reject(new TypeError("no network"))],
    ["answers with a failure", WELL_KNOWN, () => new Response("busy", { status: 503 })],
    ["answers with a page", WELL_KNOWN, () => new Response("<!doctype html>")],
    ["says too much", "/jwks", () => new Response("x".repeat(256 * 1024 + 1))],
    ["publishes no list", "/jwks", () => Response.json({ keys: "first" })],
    [
      "sends elsewhere",
      "/jwks",
      () => new Response(null, { status: 302, headers: { location: "https://evil.example" } }),
    ],
    [
      "is another one",
      WELL_KNOWN,
      () => Response.json({ issuer: "https://evil.example", jwks_uri: "https://evil.example/jwks" }),
    ],
    [
      "has its keys on an open line",
      WELL_KNOWN,
      () => Response.json({ issuer: "https://issuer.example", jwks_uri: "http://issuer.example/jwks" }),
    ],
  ] as const)(
    "[U-66] where the issuer %s, it is left alone for five seconds and asked again then",
    async (_name, path, answer) => {
      issuer.instead.set(path, answer);
      expect(await outcome()).toBe("away");
      const before = issuer.asked.length;
      clock.time += FAILURE_PAUSE_MS - 1;
      expect(await outcome()).toBe("away");
      expect(issuer.asked).toHaveLength(before);
      issuer.instead.clear();
      clock.time += 1;
      expect(await outcome()).toBe("counts");
    },
  );

  it("[U-66] a shared secret among the keys signs nothing", async () => {
    const secret = Buffer.from("the-secret").toString("base64url");
    issuer.instead.set("/jwks", () => Response.json({ keys: [{ kty: "oct", k: secret, kid: "first", alg: "HS256" }] }));
    issuer.header = { alg: "HS256", kid: "first" };
    issuer.signature = "hmac";
    const proven = await tokens.prove(await issuer.accessToken(clock.now()));
    expect(proven).toMatchObject({ ok: false, error: { kind: "wrong" } });
  });
});
