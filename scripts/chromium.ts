import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

/** What finding a Chromium depends on, as values, so that the choice is a pure function. */
export interface ChromiumWorld {
  /** The variable CHROMIUM; when set, nothing else is tried. */
  readonly named: string | undefined;
  /** Where playwright-core puts its own download. */
  readonly downloaded: string;
  readonly searchPath: string;
  readonly exists: (path: string) => boolean;
}

/** The Chromium to use, or undefined when there is none. Throws when CHROMIUM names a file that is not there. */
export function findChromium(world: ChromiumWorld = thisMachine()): string | undefined {
  if (world.named !== undefined && world.named !== "") {
    if (world.exists(world.named)) return world.named;
    throw new Error(`CHROMIUM names ${world.named}, which does not exist. Set it to a Chromium program, or unset it.`);
  }
  const folders = ["/usr/bin", ...world.searchPath.split(delimiter).filter((folder) => folder !== "")];
  const candidates = [...folders.map((folder) => join(folder, "chromium")), world.downloaded];
  return candidates.find((path) => world.exists(path));
}

/** Finds a Chromium or brings one along: Debian's package as root, elsewhere Playwright's own download. */
export function ensureChromium(): string {
  const found = findChromium();
  if (found !== undefined) return found;
  const command = isDebianRoot() ? "apt-get install -y chromium" : "npx playwright-core install chromium";
  console.error(`no Chromium found: running ${command}`);
  const [program = "", ...args] = command.split(" ");
  if (isDebianRoot()) spawnSync("apt-get", ["update"], { stdio: ["ignore", 2, 2] });
  spawnSync(program, args, { stdio: ["ignore", 2, 2] });
  const brought = findChromium();
  if (brought !== undefined && spawnSync(brought, ["--version"]).status === 0) return brought;
  throw new Error(
    `The browser tests need Chromium, and it could not be installed. Run: ${command}\n` +
      "or set CHROMIUM to a Chromium program, or leave them out: npm run test:nobrowser",
  );
}

function isDebianRoot(): boolean {
  return existsSync("/usr/bin/apt-get") && process.getuid?.() === 0;
}

function thisMachine(): ChromiumWorld {
  return {
    named: process.env["CHROMIUM"],
    downloaded: chromium.executablePath(),
    searchPath: process.env["PATH"] ?? "",
    exists: existsSync,
  };
}
