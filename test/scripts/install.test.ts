import { describe, expect, it } from "vitest";
import { missingPackages } from "../../scripts/install.mjs";

describe("missingPackages", () => {
  const wanted = {
    "": { version: "0.1.0" },
    "node_modules/hono": { version: "4.13.19" },
    "node_modules/zod": { version: "4.6.7" },
    "node_modules/@esbuild/darwin-arm64": { version: "0.28.2", optional: true },
  };

  it("[P-3] finds nothing when all locked packages stand there, whatever other platforms lack", () => {
    const installed = { "node_modules/hono": { version: "4.13.19" }, "node_modules/zod": { version: "4.6.7" } };
    expect(missingPackages(wanted, installed)).toEqual([]);
  });

  it("[P-3] finds packages that are absent or stand in another version", () => {
    const installed = { "node_modules/zod": { version: "4.6.6" } };
    expect(missingPackages(wanted, installed)).toEqual(["node_modules/hono", "node_modules/zod"]);
  });
});
