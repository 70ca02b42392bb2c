import { experimental_readRawConfig as readRawConfig } from "wrangler";
import type { WranglerConfig } from "./config.ts";

/** Wrangler's published types refer to a package that is not published, so what is used of them is said here. */
const read = readRawConfig as unknown as (options: { config: string }) => { readonly rawConfig: WranglerConfig };

/** A wrangler configuration as it is written, without defaults. */
export function readWrangler(path: string): WranglerConfig {
  return read({ config: path }).rawConfig;
}
