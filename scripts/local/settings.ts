import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where and how the local server runs. */
export interface LocalSettings {
  readonly port: number;
  readonly url: string;
  /** Folder of everything that a start finds again: database, objects, files. */
  readonly state: string;
}

const DEFAULT_PORT = 8787;
/** The address of the latest start, so that `npm run owner:code` names the right one. */
const ADDRESS_FILE = "address";

/**
 * Settings from the environment: `PORT`, `ALTHING_STATE`.
 * @throws when PORT is no port.
 */
export function readSettings(root: string, env: NodeJS.ProcessEnv): LocalSettings {
  const port = Number(env["PORT"] || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`PORT is ${env["PORT"]}; it must be a number from 1 to 65535, for example: PORT=8788 npm start`);
  }
  return { port, url: `http://127.0.0.1:${port}`, state: env["ALTHING_STATE"] || join(root, ".wrangler", "state") };
}

export function writeAddress({ state, url }: LocalSettings): void {
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, ADDRESS_FILE), url);
}

/** The settings with the address of the latest start on this state, where there was one. */
export function withLatestAddress(settings: LocalSettings): LocalSettings {
  const path = join(settings.state, ADDRESS_FILE);
  return existsSync(path) ? { ...settings, url: readFileSync(path, "utf8") } : settings;
}
