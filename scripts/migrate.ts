import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { readSettings } from "./local/settings.ts";
import { openLocalDatabase } from "./local/state.ts";
import { bringUpToDate } from "./local/up-to-date.ts";

/** `npm run migrate`: brings the local database up to date. `npm start` does the same, `npm run deploy` the deployed one. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const database = await openLocalDatabase(root, readSettings(root, process.env).state);
const applied = await bringUpToDate(database.d1, root);
console.log(applied.length === 0 ? "The local database is up to date." : `Applied ${applied.join(", ")}.`);
await database.close();
