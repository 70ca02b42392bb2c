import { describe, expect, it } from "vitest";
import type { ModelError } from "../../src/kernel/ports/model.ts";
import type { RefusalKind } from "../kit/model-server/index.ts";
import { KEY, ONE_OF_EACH, openWorld } from "./kit.ts";

const EXPECTED: Readonly<Record<RefusalKind, Pick<ModelError, "kind" | "retryable">>> = {
  overloaded: { kind: "overloaded", retryable: true },
  unavailable: { kind: "overloaded", retryable: true },
  server: { kind: "server", retryable: true },
  rate_limit: { kind: "rate_limit", retryable: true },
  no_credit: { kind: "rate_limit", retryable: false },
  bad_key: { kind: "auth", retryable: false },
  too_long: { kind: "context_overflow", retryable: false },
  invalid: { kind: "invalid_request", retryable: false },
  unknown_model: { kind: "unknown_model", retryable: false },
  bad_reasoning: { kind: "invalid_request", retryable: false },
  bad_image: { kind: "invalid_request", retryable: false },
};
const KINDS = Object.keys(EXPECTED) as RefusalKind[];

describe.each(ONE_OF_EACH)("refusals over $vendor", ({ model }) => {
  it.each(KINDS)("[M-34] [M-35] [M-36] [M-51] %s", async (kind) => {
    await using world = await openWorld();
    // Twice, because a refusal of reasoning or of an image is asked again without it.
    world.server.reply({ refuse: kind }, { refuse: kind });
    expect((await world.ask(model)).error).toMatchObject(EXPECTED[kind]);
  });

  it("[M-35] [M-51] tells the wait that the vendor asks for, in each of its forms", async () => {
    await using world = await openWorld();
    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
    const forms: [Record<string, string>, number, number][] = [
      [{ "retry-after": "7" }, 7000, 7000],
      [{ "retry-after": "0.5" }, 500, 500],
      [{ "retry-after-ms": "1234", "retry-after": "99" }, 1234, 1234],
      [{ "retry-after": inSeconds(30) }, 28_000, 31_000],
      [{ "retry-after": inSeconds(-30) }, 0, 0],
    ];
    for (const [headers, least, most] of forms) {
      world.server.reply({ refuse: "rate_limit", headers });
      const { error } = await world.ask(model);
      expect(error?.retryAfterMs).toBeGreaterThanOrEqual(least);
      expect(error?.retryAfterMs).toBeLessThanOrEqual(most);
    }
    world.server.reply({ refuse: "rate_limit", headers: { "retry-after": "soon" } }, { refuse: "overloaded" });
    expect((await world.ask(model)).error).not.toHaveProperty("retryAfterMs");
    expect((await world.ask(model)).error).not.toHaveProperty("retryAfterMs");
  });

  it("[M-35] a vendor that says not to retry is believed", async () => {
    await using world = await openWorld();
    world.server.reply({ refuse: "server", headers: { "x-should-retry": "false" } });
    expect((await world.ask(model)).error).toMatchObject({ kind: "server", retryable: false });
  });

  it("[M-37] messages are sentences with a remedy and hold no word of the vendor's", async () => {
    await using world = await openWorld();
    for (const kind of KINDS) {
      world.server.reply({ refuse: kind }, { refuse: kind });
      const message = (await world.ask(model)).error?.message ?? "";
      expect(message).toMatch(/^\S.*\. [A-Z].*\.$/);
      expect(message).not.toContain("SECRET");
      expect(message).not.toContain(KEY);
      expect(message).not.toContain("sk-");
    }
  });

  it("[M-34] a wrong key is auth and names the secret, not the key", async () => {
    await using world = await openWorld({ secrets: () => "sk-wrong" });
    const { error } = await world.ask(model);
    expect(error).toMatchObject({ kind: "auth", retryable: false });
    expect(error?.message).toContain("KEY");
    expect(error?.message).not.toContain("sk-wrong");
  });

  it("[M-34] a proxy's page with an error status counts by its status; a redirect is not followed", async () => {
    await using world = await openWorld();
    world.server.reply({ page: "<h1>Bad gateway</h1>", status: 502 }, { page: "moved", status: 307 });
    expect((await world.ask(model)).error).toMatchObject({ kind: "server", retryable: true });
    expect((await world.ask(model)).error).toMatchObject({ kind: "protocol", retryable: false });
    expect(world.server.requests).toHaveLength(2);
  });
});
