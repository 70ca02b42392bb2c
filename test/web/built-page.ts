import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "vite";

const ROOT = resolve(import.meta.dirname, "../..");

/** Builds the page as `npm run build` does, into a folder of its own, so that a test never sees an old one. */
export async function buildPage(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), "althing-page-"));
  await build({
    configFile: join(ROOT, "web/vite.config.ts"),
    logLevel: "error",
    build: { outDir, emptyOutDir: true, reportCompressedSize: false },
  });
  return outDir;
}
