import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { renderBanner } from "./local/banner.ts";
import { hasDesktop, openBrowser } from "./local/browser.ts";
import { readKeys } from "./local/keys.ts";
import { endLeftover } from "./local/leftover.ts";
import { makeOwnerLink } from "./local/owner-link.ts";
import { buildPage, isPageStale } from "./local/page.ts";
import { requireFreePort } from "./local/port.ts";
import { isUp, type LocalServer, startServer } from "./local/server.ts";
import { type LocalSettings, readSettings, writeAddress } from "./local/settings.ts";

/** The second half of `npm start`: builds the page, prepares the database, runs the server, says how to sign in. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stopping = new AbortController();
const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener("abort", () => resolve()));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.abort());
// start.mjs is gone, however it went.
process.on("disconnect", () => stopping.abort());

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
process.disconnect?.();

async function run(): Promise<number> {
  const settings = readSettings(root, process.env);
  const keys = readKeys(root);
  await endLeftover(settings);
  await requireFreePort(settings.port);
  writeAddress(settings);
  // The database has its own process, so both can start at once; nobody knows the link before both are there.
  const [server, link] = await Promise.allSettled([serve(settings), makeOwnerLink(root, settings)]);
  try {
    if (server.status === "rejected") throw server.reason;
    if (link.status === "rejected") throw link.reason;
    if (server.value === undefined || stopping.signal.aborted) return 0;
    console.log(renderBanner({ url: settings.url, link: link.value, keys }));
    if (hasDesktop(process.env, process.platform, process.stdout.isTTY)) openBrowser(link.value, process.platform);
    return await Promise.race([server.value.ended, stopped.then(() => 0)]);
  } finally {
    if (server.status === "fulfilled") await server.value?.stop();
  }
}

/** The server, once it answers; undefined when it was told to stop before that. */
async function serve(settings: LocalSettings): Promise<LocalServer | undefined> {
  if (isPageStale(root)) await buildPage(root);
  if (stopping.signal.aborted) return undefined;
  const server = startServer(root, settings);
  try {
    if (await isUp(server, settings, stopping.signal)) return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
  await server.stop();
  return undefined;
}
