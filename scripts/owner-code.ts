import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { makeOwnerLink } from "./local/owner-link.ts";
import { readSettings, withLatestAddress } from "./local/settings.ts";

/** `npm run owner:code`: prints a one-time link for the owner of the local server, running or not. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
console.log(await makeOwnerLink(root, withLatestAddress(readSettings(root, process.env))));
