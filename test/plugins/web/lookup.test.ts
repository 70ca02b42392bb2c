import { describe, expect, it } from "vitest";
import { createLookup } from "../../../src/plugins/web/lookup.ts";

const never = new AbortController().signal;

function resolver(answers: { A?: unknown; AAAA?: unknown }, status = 200) {
  const asked: string[] = [];
  const lookup = createLookup(async (url, init) => {
    asked.push(url);
    expect(init.headers).toEqual({ accept: "application/dns-json" });
    return Response.json(url.endsWith("type=1") ? answers.A : answers.AAAA, { status });
  });
  return { asked, lookup };
}

describe("the look-up", () => {
  it("[G-15] asks for both kinds of address and leaves aliases out", async () => {
    const { asked, lookup } = resolver({
      A: {
        Status: 0,
        Answer: [
          { type: 5, data: "alias.example.com." },
          { type: 1, data: "93.184.216.34" },
        ],
      },
      AAAA: { Status: 0, Answer: [{ type: 28, data: "2606:2800:220:1::1" }] },
    });
    expect(await lookup("example.com", never)).toEqual({ ok: true, value: ["93.184.216.34", "2606:2800:220:1::1"] });
    expect(asked).toEqual([
      "https://cloudflare-dns.com/dns-query?name=example.com&type=1",
      "https://cloudflare-dns.com/dns-query?name=example.com&type=28",
    ]);
  });

  it("[G-15] a name that does not exist has no address", async () => {
    const { lookup } = resolver({ A: { Status: 3 }, AAAA: { Status: 3 } });
    expect(await lookup("nowhere.com", never)).toEqual({ ok: true, value: [] });
  });

  it.each<[string, { A?: unknown; AAAA?: unknown }, number, string]>([
    ["a failing resolver", { A: {}, AAAA: {} }, 503, "the resolver answered with status 503"],
    ["a server failure", { A: { Status: 2 }, AAAA: { Status: 0 } }, 200, "the resolver reported error 2"],
    ["half an answer", { A: { Status: 0 }, AAAA: { Status: 2 } }, 200, "the resolver reported error 2"],
    ["nonsense", { A: "x", AAAA: "x" }, 200, "the resolver's answer was not understood"],
  ])("[G-15] %s is no answer", async (_what, answers, status, error) => {
    expect(await resolver(answers, status).lookup("example.com", never)).toEqual({ ok: false, error });
  });
});
