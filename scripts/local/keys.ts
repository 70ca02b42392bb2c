import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import config from "../../althing.config.ts";
import { WELL_KNOWN } from "../../src/models/well-known.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";

/** The secrets that the usable providers take their keys from, and whether `.dev.vars` sets them. Never a value. */
export function readKeys(root: string): { readonly name: string; readonly isSet: boolean }[] {
  const path = join(root, ".dev.vars");
  const set = existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
  const { providers } = checkConfig(config);
  const usable = Object.keys(providers).length > 0 ? providers : WELL_KNOWN;
  const names = Object.values(usable).flatMap(({ keyFrom }) => keyFrom ?? []);
  return [...new Set(names)].map((name) => ({ name, isSet: Boolean(set[name]?.trim()) }));
}
