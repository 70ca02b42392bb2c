import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** The rules that a piece of code breaks under the project's lint configuration, in a folder of its own. */
describe("lint", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "althing-lint-"));
    cpSync(".oxlintrc.json", join(folder, ".oxlintrc.json"));
    write("tsconfig.json", '{ "compilerOptions": { "strict": true, "lib": ["es2024", "dom"] }, "include": ["."] }');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  function lint(path: string, text: string): string {
    write(path, text);
    const oxlint = resolve("node_modules/oxlint/bin/oxlint");
    const env = { ...process.env, PATH: `${resolve("node_modules/.bin")}:${process.env["PATH"] ?? ""}` };
    const args = [oxlint, "--deny-warnings", "--format=unix"];
    return spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" }).stdout;
  }

  it("[P-12] refuses global clocks, timers and randomness in the kernel, and nowhere else", () => {
    const expressions = [
      "Date.now()",
      "new Date()",
      "performance.now()",
      "Math.random()",
      "crypto.randomUUID()",
      "setTimeout(() => 1, 5)",
      "setInterval(() => 1, 5)",
      "globalThis.setTimeout(() => 1, 5)",
    ];
    const text = expressions.map((expression, index) => `export const made${index} = ${expression};\n`).join("");
    const lines = lint("src/kernel/turn/loop.ts", text).split("\n");
    const refused = expressions.filter((_, index) =>
      lines.some((line) => line.includes(`loop.ts:${index + 1}:`) && line.includes("no-restricted-")),
    );
    expect(refused).toEqual(expressions);
    rmSync(join(folder, "src/kernel"), { recursive: true });
    expect(lint("src/auth/session.ts", text)).not.toContain("no-restricted-");
  });

  it("[P-13] refuses a promise that nobody waits for", () => {
    const declared = "declare function send(): Promise<void>;\n";
    expect(lint("src/auth/send.ts", `${declared}send();\n`)).toContain("no-floating-promises");
    expect(lint("src/auth/send.ts", `${declared}await send();\nexport {};\n`)).not.toContain("no-floating-promises");
  });
});
