import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const WORKER = `import { DurableObject } from "cloudflare:workers";
export class Conversation extends DurableObject {}
export class Principal extends DurableObject {}
export class Budget extends DurableObject {}
export default {
  fetch: async (request, env) => {
    await env.DB.prepare("SELECT 1").first();
    await env.FILES.list();
    return env.ASSETS.fetch(request);
  },
};
`;

/** A small project in a folder of its own: the real scripts and wrangler.toml, with little else. */
export interface SmallProject extends Disposable {
  readonly folder: string;
  /** An environment without anything of this machine's accounts: an empty home, a path, and nothing more. */
  readonly env: Readonly<Record<string, string>>;
}

/** `operator` is the text of its althing.config.ts. */
export function makeSmallProject(operator: string): SmallProject {
  const folder = mkdtempSync(join(tmpdir(), "althing-project-"));
  const home = mkdtempSync(join(tmpdir(), "althing-home-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  for (const path of ["scripts", "src", "wrangler.toml", "package.json"]) {
    cpSync(path, join(folder, path), { recursive: true });
  }
  for (const path of ["web", "migrations", "dist/web"]) mkdirSync(join(folder, path), { recursive: true });
  const files = {
    "web/index.html": "<p>a page</p>",
    "dist/web/index.html": "<p>a page</p>",
    "web/vite.config.ts": 'export default { build: { outDir: "../dist/web", emptyOutDir: true } };\n',
    "migrations/0001_one.sql": "CREATE TABLE one (id TEXT);\n",
    "src/worker.ts": WORKER,
    "althing.config.ts": operator,
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return {
    folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, CI: "1" },
    [Symbol.dispose]: () => {
      for (const path of [folder, home]) rmSync(path, { recursive: true });
    },
  };
}
