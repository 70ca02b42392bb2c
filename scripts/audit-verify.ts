import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { verifyExport } from "../src/holds/audit/verify-export.ts";
import { printReport } from "./audit/print-report.ts";

/** `npm run audit:verify [-- file]`: checks every chain of an exported file, or of the local database. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [file] = process.argv.slice(2);
const report = file === undefined ? await checkLocal() : verifyExport(readFileSync(file, "utf8").split("\n"));
process.exitCode = printReport(report, (line) => console.log(line)) ? 0 : 1;

/** The platform's tools take seconds to load, and a file needs none of them. */
async function checkLocal() {
  const local = await import("./audit/check-local.ts");
  return await local.checkLocal(root);
}
