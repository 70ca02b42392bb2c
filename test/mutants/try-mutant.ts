import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Mutant } from "./mutants.ts";

/** What the simulation needs of the repository. */
const NEEDED = ["src/kernel", "src/lib", "src/protocol", "test/kit", "test/simulate", "test/mutants", "package.json"];

/** Two hundred seeds take less than half of this; a mutant that goes round in circles takes all of it. */
const PATIENCE_MS = 90_000;

/** How a mutant was found out. `seeds` played until then; `invariant` undefined: it never was. */
export interface Caught {
  readonly seeds: number;
  readonly invariant: string | undefined;
}

/** The kernel's source with the mutant in it. @throws when its text is not there exactly once. */
export function mutate(source: string, { name, file, text, instead }: Mutant): string {
  const parts = source.split(text);
  if (parts.length !== 2) throw new Error(`mutant ${name}: its text is ${parts.length - 1} times in ${file}, not once`);
  return parts.join(instead);
}

/** Plays seeds against the kernel with a mutant, in a folder of its own. */
export async function tryMutant(mutant: Mutant, seeds: number): Promise<Caught> {
  const folder = await mkdtemp(join(tmpdir(), "mutant-"));
  try {
    await mkdir(join(folder, "src"));
    await Promise.all(NEEDED.map((path) => cp(path, join(folder, path), { recursive: true })));
    await symlink(resolve("node_modules"), join(folder, "node_modules"));
    const path = join(folder, "src/kernel", mutant.file);
    await writeFile(path, mutate(await readFile(path, "utf8"), mutant));
    return await hunt(folder, seeds);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function hunt(folder: string, seeds: number): Promise<Caught> {
  const args = [join(folder, "test/mutants/hunt.ts"), String(seeds)];
  const { output, hung } = await new Promise<{ output: string; hung: boolean }>((done, fail) => {
    const options = { cwd: folder, timeout: PATIENCE_MS, killSignal: "SIGKILL" } as const;
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error && !error.killed) fail(new Error(`the hunt ended badly: ${stderr.slice(0, 2_000)}`));
      else done({ output: stdout, hung: error !== null });
    });
  });
  const last = JSON.parse(output.trim().split("\n").at(-1) ?? "{}") as { seed: number; invariant?: string };
  return { seeds: last.seed, invariant: hung ? "never ends" : last.invariant };
}
