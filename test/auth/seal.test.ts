import { describe, expect, it } from "vitest";
import { makeSeal, sealedBy } from "../../src/auth/seal.ts";
import { beginTransaction, transactionShape } from "../../src/auth/transaction.ts";

const MINUTE = 60_000;
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const seal = makeSeal("corp", "transaction", "secret");
const value = beginTransaction(random, 0, { returnTo: "/chat", linksFor: undefined });

async function opens(text: string, by = seal, now = 0): Promise<boolean> {
  return (await by.open(text, transactionShape, now)) !== undefined;
}

describe("a sign-in under way", () => {
  it("[U-46] opens again for ten minutes", async () => {
    const text = await seal.close(value);
    expect(await seal.open(text, transactionShape, 0)).toEqual(value);
    expect(await opens(text, seal, 10 * MINUTE - 1)).toBe(true);
    expect(await opens(text, seal, 10 * MINUTE)).toBe(false);
    expect(sealedBy(text)).toBe("corp");
  });

  it("[U-46] does not open for another provider, another use or another secret", async () => {
    const text = await seal.close(value);
    expect(await opens(text, makeSeal("corp", "link", "secret"))).toBe(false);
    expect(await opens(text, makeSeal("corp", "transaction", "other"))).toBe(false);
    const other = makeSeal("other", "transaction", "secret");
    expect(await opens(text, other)).toBe(false);
    expect(await opens(text.replace("corp.", "other."), other)).toBe(false);
  });

  it("[U-46] does not open once any character was changed", async () => {
    const text = await seal.close({ endsAt: 1 });
    const [name = "", payload = "", tag = ""] = text.split(".");
    for (const at of [0, 5, payload.length - 1]) {
      const changed = payload.slice(0, at) + (payload[at] === "A" ? "B" : "A") + payload.slice(at + 1);
      expect(await opens(`${name}.${changed}.${tag}`)).toBe(false);
    }
    for (const broken of [
      "",
      "corp",
      `${name}.${payload}`,
      `${name}.${payload}.`,
      `${name}.${payload}.${"A".repeat(43)}`,
    ]) {
      expect(await opens(broken)).toBe(false);
    }
  });

  it("[U-46] has state, nonce and verifier of 256 bits, never the same", () => {
    const other = beginTransaction(random, 0, { returnTo: "/chat", linksFor: undefined });
    const words = [value, other].flatMap(({ state, nonce, verifier }) => [state, nonce, verifier]);
    expect(new Set(words).size).toBe(6);
    for (const word of words) expect(word).toMatch(/^[\w-]{43}$/);
  });
});

describe("where a sign-in leads", () => {
  it.each([
    "//evil.example",
    "/\\evil.example",
    "https://evil.example/chat",
    "/chat/../auth/signout",
    "/chat?x=1",
    "/chat/x",
    "/chat#claim",
    "/claim",
    "javascript:alert(1)",
    "",
  ])("[U-49] %j is not a path of the page", (path) => {
    expect(beginTransaction(random, 0, { returnTo: path, linksFor: undefined }).returnTo).toBe("/chat");
  });

  it("[U-49] a conversation is", () => {
    const path = "/chat/0b8d6b0e-1111-4222-8333-444455556666";
    expect(beginTransaction(random, 0, { returnTo: path, linksFor: undefined }).returnTo).toBe(path);
  });
});
