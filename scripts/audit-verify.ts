import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { verifyExport } from "../src/holds/audit/verify-export.ts";
import { printReport } from "./audit/print-report.ts";

/** `npm run audit:verify [-- file]`: checks every chain of an exported file, or of the local database. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [file] = process.argv.slice(2);
const report = file === undefined ? await checkLocal() : checkFile(file);
if (report === undefined) console.error(file === undefined ? noDatabase() : noFile(file));
process.exitCode = report && printReport(report, (line) => console.log(line)) ? 0 : 1;

function checkFile(path: string) {
  return existsSync(path) ? verifyExport(readFileSync(path, "utf8").split("\n")) : undefined;
}

/** The platform's tools take seconds to load, and a file needs none of them. */
async function checkLocal() {
  const local = await import("./audit/check-local.ts");
  return await local.checkLocal(root);
}

function noDatabase(): string {
  return "There is no local database with an audit here: npm start makes one. To check an export: npm run audit:verify -- <file>";
}

function noFile(path: string): string {
  return `There is no file ${path}: download one under "What was decided" on the page, or from /api/v1/audit/export.`;
}
