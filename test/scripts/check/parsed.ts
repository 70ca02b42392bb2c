import { type ParsedFile, parseFiles } from "../../../scripts/check/syntax.ts";

/** Parses fixture files given as path → text. */
export function parsed(files: Readonly<Record<string, string>>): ParsedFile[] {
  const result = parseFiles(Object.entries(files).map(([path, text]) => ({ path, text })));
  if (result.findings.length > 0) throw new Error(JSON.stringify(result.findings));
  return result.parsed;
}
