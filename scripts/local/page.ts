import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** What the built page depends on. */
const SOURCES = ["web", "src/lib", "src/protocol", "package-lock.json"];
const BUILT = "dist/web/index.html";

/** Whether the built page is missing or older than anything that it is made of. */
export function isPageStale(root: string): boolean {
  const built = join(root, BUILT);
  if (!existsSync(built)) return true;
  const builtAt = statSync(built).mtimeMs;
  return SOURCES.flatMap((source) => filesUnder(join(root, source))).some((path) => statSync(path).mtimeMs > builtAt);
}

function filesUnder(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Builds the page with Vite.
 * @throws when that fails.
 */
export async function buildPage(root: string): Promise<void> {
  const args = ["node_modules/vite/bin/vite.js", "build", "web", "--logLevel", "warn"];
  const vite = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const code = await new Promise<number>((resolve) => vite.on("exit", (exit) => resolve(exit ?? 1)));
  if (code !== 0) throw new Error("The page cannot be built, see above. Try it alone: npm run build");
}
