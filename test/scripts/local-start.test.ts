import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { makeSmallProject } from "./small-project.ts";

const START_MS = 45_000;

it("[P-24] answers from every local binding with no token and an empty home", { timeout: 60_000 }, async () => {
  using project = makeSmallProject("export default {};\n");
  const port = await freePort();
  const wrangler = ["node_modules/wrangler/bin/wrangler.js", "dev", "--port", String(port), "--ip", "127.0.0.1"];
  // A group of its own: wrangler starts workerd, and both must end with the test.
  const server = spawn(process.execPath, wrangler, { cwd: project.folder, env: project.env, detached: true });
  const ended = new Promise((resolve) => server.on("close", resolve));
  let output = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()));
  try {
    const page = await answerOf(`http://127.0.0.1:${port}/`, () => server.exitCode === null);
    expect(page, output).toContain("a page");
    expect(output).not.toMatch(/log ?in|account|API token/i);
  } finally {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, "SIGKILL");
    await ended;
  }
});

/** The first answer of a server that is starting; undefined when it ends or is not up in time. */
async function answerOf(url: string, isAlive: () => boolean): Promise<string | undefined> {
  const end = Date.now() + START_MS;
  while (Date.now() < end && isAlive()) {
    const response = await fetch(url).catch(() => undefined);
    if (response !== undefined) return response.text();
    await sleep(100);
  }
  return undefined;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
