import { build } from "esbuild";
import type { ConfigInput } from "../../../src/protocol/config.ts";

/** Bundles a Worker entry for workerd, the configuration put in. Returns the folder's main module and its dynamic chunks. */
export async function bundleWorker(
  entry: string,
  outdir: string,
  config: ConfigInput,
): Promise<readonly { readonly path: string; readonly contents: string }[]> {
  const result = await build({
    entryPoints: { worker: entry },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    define: { __CONFIG__: JSON.stringify(config), "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "error",
  });
  return result.outputFiles.map((file) => ({ path: file.path, contents: file.text }));
}
