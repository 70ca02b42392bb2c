import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";

describe("the workers project", () => {
  it("[P-1] runs tests inside workerd with SQLite storage and a migrated D1", async () => {
    expect(navigator.userAgent).toBe("Cloudflare-Workers");
    const stub = env.SCRATCH.getByName("toolchain");
    const one = await runInDurableObject(stub, (_, state) =>
      state.storage.sql.exec<{ n: number }>("SELECT 1 AS n").one(),
    );
    expect(one).toEqual({ n: 1 });
    expect((await env.DB.prepare("SELECT 1 AS n").first())?.n).toBe(1);
  });
});
