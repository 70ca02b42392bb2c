import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Citation, readCitations } from "./citations.ts";
import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-tree.ts";
import { isAcceptanceId, type Rule, readRules } from "./spec-rules.ts";
import { checkStudy } from "./study.ts";
import type { ParsedFile } from "./syntax.ts";

const SPEC_FOLDER = "docs/spec";

/** The files of `docs/spec`. */
export function readSpecs(root: string): SourceFile[] {
  return readdirSync(join(root, SPEC_FOLDER))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => ({ path: `${SPEC_FOLDER}/${name}`, text: readFileSync(join(root, SPEC_FOLDER, name), "utf8") }));
}

/** Rules without a test, tests that cite what is no rule, and rules that are badly written. */
export function checkSpec(specs: readonly SourceFile[], code: readonly ParsedFile[]): Finding[] {
  const { rules, findings } = readRules(specs);
  const citations = code.filter(({ path }) => path.startsWith("test/")).flatMap(readCitations);
  const ofRules = [...findUncited(rules, citations), ...findUnknown(rules, citations)];
  return [...findings, ...ofRules, ...checkStudy(specs, citations)];
}

function findUncited(rules: readonly Rule[], citations: readonly Citation[]): Finding[] {
  const cited = new Set(citations.flatMap(({ ids }) => ids));
  return rules
    .filter(({ id }) => !cited.has(id))
    .map(({ id, where }) => ({ where, what: `no test cites ${id}; write one titled "[${id}] …"` }));
}

function findUnknown(rules: readonly Rule[], citations: readonly Citation[]): Finding[] {
  const known = new Set(rules.map(({ id }) => id));
  return citations.flatMap(({ where, ids, malformed }) => {
    const unknown = ids.filter((id) => !known.has(id) && !isAcceptanceId(id));
    const findings = unknown.map((id) => ({ where, what: `cites ${id}, which no file of docs/spec has` }));
    const broken = { where, what: 'a title begins with its ids, each in brackets of its own: "[X-1] [X-2] …"' };
    return malformed ? [...findings, broken] : findings;
  });
}
