import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Mutant } from "./mutants.ts";

/** Where mutants live, what hunts them there, and what it needs of the repository. */
export interface Ground {
  readonly root: string;
  readonly hunt: string;
  readonly needed: readonly string[];
}
const SHARED = ["src/kernel", "src/lib", "src/protocol", "test/kit", "test/mutants", "package.json"];
/** The simulation hunts what breaks the kernel. */
export const KERNEL: Ground = { root: "src/kernel", hunt: "hunt.ts", needed: [...SHARED, "test/simulate"] };
/** Random histories of holds and transcript hunt what breaks the holds. */
export const HOLDS: Ground = {
  ...{ root: "src/holds", hunt: "hold-hunt.ts" },
  needed: [...SHARED, "src/holds", "src/models", "src/people", "src/store", "test/holds"],
};

/** A seed takes some tens of milliseconds, also on a busy machine less than this. */
const SILENCE_MS = 30_000;

/** How a mutant was found out. `seeds` played until then; `invariant` undefined: it never was. */
export interface Caught {
  readonly seeds: number;
  readonly invariant: string | undefined;
}

/** The source with the mutant in it. @throws when its text is not there exactly once. */
export function mutate(source: string, { name, file, text, instead }: Mutant): string {
  const parts = source.split(text);
  if (parts.length !== 2) throw new Error(`mutant ${name}: its text is ${parts.length - 1} times in ${file}, not once`);
  return parts.join(instead);
}

/** Plays seeds against the source with a mutant, in a folder of its own. */
export async function tryMutant(mutant: Mutant, seeds: number, ground: Ground = KERNEL): Promise<Caught> {
  const folder = await mkdtemp(join(tmpdir(), "mutant-"));
  try {
    await mkdir(join(folder, "src"));
    await Promise.all(ground.needed.map((path) => cp(path, join(folder, path), { recursive: true })));
    await symlink(resolve("node_modules"), join(folder, "node_modules"));
    const path = join(folder, ground.root, mutant.file);
    await writeFile(path, mutate(await readFile(path, "utf8"), mutant));
    return await hunt(join(folder, "test/mutants", ground.hunt), { cwd: folder, seeds });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Ends the hunt when nothing was heard of it for too long: then its last seed never ends. */
async function hunt(script: string, { cwd, seeds }: { readonly cwd: string; readonly seeds: number }): Promise<Caught> {
  const hunter = spawn(process.execPath, [script, String(seeds)], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let last: { readonly seed: number; readonly invariant?: string } = { seed: 0 };
  let hasHung = false;
  const timer = setTimeout(() => {
    hasHung = hunter.kill("SIGKILL");
  }, SILENCE_MS);
  createInterface(hunter.stdout).on("line", (line) => {
    timer.refresh();
    last = JSON.parse(line) as typeof last;
  });
  const [code] = (await once(hunter, "close")) as [number | null];
  clearTimeout(timer);
  if (!hasHung && code !== 0) throw new Error(`the hunt ended with ${code} after seed ${last.seed}`);
  return { seeds: last.seed, invariant: hasHung ? "never ends" : last.invariant };
}
