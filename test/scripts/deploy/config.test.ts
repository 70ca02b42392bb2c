import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deployConfig, deployFaults, type WranglerConfig } from "../../../scripts/deploy/config.ts";
import { readWrangler } from "../../../scripts/deploy/read-wrangler.ts";
import { type ConfigInput, configSchema } from "../../../src/protocol/config.ts";

const LOCAL = readWrangler("wrangler.toml");
const REMOTE_KEYS = ["ai", "containers", "browser", "vectorize", "images", "dispatch_namespaces"];

function deploy(operator: ConfigInput) {
  return deployConfig(LOCAL, configSchema.parse(operator), "dist");
}

describe("deployConfig", () => {
  it("[P-18] keeps every key of the local configuration, which has no remote binding", () => {
    expect(Object.keys(LOCAL).filter((key) => REMOTE_KEYS.includes(key))).toEqual([]);
    expect(JSON.stringify(LOCAL)).not.toContain('"remote"');
    const deployed = deploy({});
    expect(Object.keys(deployed)).toEqual([...Object.keys(LOCAL), "minify"]);
    for (const key of ["name", "compatibility_date", "compatibility_flags", "durable_objects", "migrations"]) {
      expect(deployed[key]).toEqual(LOCAL[key]);
    }
  });

  it("[P-18] adds Workers AI when a provider is of that kind, and only then", () => {
    const models = [{ id: "@cf/some/model" }];
    expect(deploy({ providers: { edge: { kind: "workers-ai", models } } })["ai"]).toEqual({ binding: "AI" });
    expect(deploy({ providers: { other: { kind: "openai-chat", models } } })).not.toHaveProperty("ai");
  });

  it("[P-18] minifies the upload", () => {
    expect(deploy({})["minify"]).toBe(true);
  });

  it("[P-19] leaves the database to be found by its name", () => {
    expect(deploy({})["d1_databases"]).toEqual([
      { binding: "DB", database_name: "althing", migrations_dir: "../migrations" },
    ]);
  });

  it("[P-19] leads to the same files from the folder it is written to", () => {
    const { main, assets } = deploy({}) as unknown as WranglerConfig;
    expect(join("dist", main)).toBe(LOCAL.main);
    expect(join("dist", assets.directory)).toBe(LOCAL.assets.directory);
    expect(existsSync(join("dist", "../migrations"))).toBe(true);
  });
});

describe("deployFaults", () => {
  it("[P-20] refuses to deploy without a host to answer to", () => {
    expect(deployFaults(configSchema.parse({}))).toEqual([expect.stringContaining("allowedHosts")]);
    expect(deployFaults(configSchema.parse({ allowedHosts: ["althing.example.com"] }))).toEqual([]);
  });
});
