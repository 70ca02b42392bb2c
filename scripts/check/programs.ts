import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/** A checker that runs as a program of its own, under this Node. */
export interface Program {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  /** What to do when it finds something. */
  readonly fix: string;
}

export interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly output: string;
  readonly fix: string;
}

/** Of one check; the rest shows when these are mended. */
const MAX_SHOWN_LINES = 60;

export function renderOutcome({ name, output, fix }: Outcome): string {
  const lines = output.split("\n");
  const hidden = lines.length - MAX_SHOWN_LINES;
  const more = hidden > 0 ? [`… and ${hidden} more lines`] : [];
  return [`\n✗ ${name}`, ...lines.slice(0, MAX_SHOWN_LINES), ...more, `  → ${fix}`].join("\n");
}

/** Runs all programs, as many at a time as there are processors; outcomes in the order given. */
export async function runPrograms(programs: readonly Program[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...programs.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, program] = next;
      outcomes[index] = await runProgram(program);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return outcomes;
}

function runProgram({ name, script, args, fix }: Program): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1" };
    const child = spawn(process.execPath, [script, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    const output: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => output.push(part));
    child.stderr.on("data", (part: Buffer) => output.push(part));
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ name, ok: code === 0, output: Buffer.concat(output).toString("utf8").trim(), fix });
    });
  });
}
