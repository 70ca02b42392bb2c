import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import config from "../../althing.config.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";

/** The secrets that the configured providers take their keys from, and whether `.dev.vars` sets them. Never a value. */
export function readKeys(root: string): { readonly name: string; readonly isSet: boolean }[] {
  const path = join(root, ".dev.vars");
  const set = existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
  const names = Object.values(checkConfig(config).providers).flatMap(({ keyFrom }) => keyFrom ?? []);
  return [...new Set(names)].map((name) => ({ name, isSet: Boolean(set[name]?.trim()) }));
}
