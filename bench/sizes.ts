import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

export interface Size {
  readonly raw: number;
  readonly gzip: number;
}

/** The deployed Worker's modules, minified as wrangler does for a deployment with `minify`. */
export async function workerSize(root: string): Promise<{ readonly total: Size; readonly start: Size }> {
  const result = await build({
    entryPoints: [join(root, "src/worker.ts")],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    outdir: join(root, "dist/size"),
    write: false,
    metafile: true,
    logLevel: "error",
  });
  const files = result.outputFiles.map((file) => ({ path: file.path, size: sizeOf(file.contents) }));
  const main = files.find((file) => file.path.endsWith("/worker.js"));
  return { total: sum(files.map((file) => file.size)), start: main?.size ?? { raw: 0, gzip: 0 } };
}

/** Script and style of the page's first load: what its HTML names. */
export function pageSize(root: string): Size {
  const folder = join(root, "dist/web");
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const names = readdirSync(join(folder, "assets")).filter((name) => html.includes(name));
  return sum(names.map((name) => sizeOf(readFileSync(join(folder, "assets", name)))));
}

function sizeOf(bytes: Uint8Array): Size {
  return { raw: bytes.byteLength, gzip: gzipSync(bytes, { level: 9 }).byteLength };
}

function sum(sizes: readonly Size[]): Size {
  return sizes.reduce((total, size) => ({ raw: total.raw + size.raw, gzip: total.gzip + size.gzip }), {
    raw: 0,
    gzip: 0,
  });
}
