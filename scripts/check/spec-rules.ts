import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-tree.ts";

/** A rule of `docs/spec`, e.g. `K-12`, and where it stands. */
export interface Rule {
  readonly id: string;
  readonly where: string;
}

/** Acceptance lists that exist outside `docs/spec`, by letter: known up to this number, required only where listed. */
const ACCEPTANCE_LISTS: Readonly<Record<string, number>> = {
  A: 32,
  B: 19,
  C: 31,
  D: 9,
  E: 24,
  R: 38,
  I: 128,
  S: 22,
};

/** Every id of the study of durable harnesses; the list `S` is another matter. */
export const STUDY_IDS: readonly string[] = Object.entries(ACCEPTANCE_LISTS)
  .filter(([letter]) => letter !== "S")
  .flatMap(([letter, last]) => Array.from({ length: last }, (_, i) => `${letter}-${i + 1}`));

/** The traps of the study of agent servers that concern this project; the others are about packages that it has not. */
export const TRAP_IDS: readonly string[] = [...range(1, 75), ...range(109, 115)].map((n) => `trap ${n}`);

const ID = /^([A-Z]+)-?(\d+)$/;
const RULE = /^- \[([A-Z]+-\d+|S\d+)\] \S/;
const LOOKS_LIKE_A_RULE = /^\s*[-*+] \[[A-Z]+-?\d+\]/;

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Reads `- [X-12] …` lines of the spec files. A letter belongs to one file, an id to one line. */
export function readRules(specs: readonly SourceFile[]): { rules: Rule[]; findings: Finding[] } {
  const rules: Rule[] = [];
  const findings: Finding[] = [];
  for (const { path, text } of specs) {
    for (const [index, line] of text.split("\n").entries()) {
      const where = `${path}:${index + 1}`;
      const [, id] = RULE.exec(line) ?? [];
      if (id !== undefined) rules.push({ id, where });
      else if (LOOKS_LIKE_A_RULE.test(line))
        findings.push({ where, what: 'a rule is written "- [X-1] text" on one line' });
    }
  }
  return { rules, findings: [...findings, ...findDuplicates(rules), ...findSharedLetters(rules)] };
}

/** True for ids of the acceptance lists, e.g. `A-3`, `S5`, and for traps. */
export function isAcceptanceId(id: string): boolean {
  if (TRAP_IDS.includes(id)) return true;
  const [, letter = "", number = ""] = ID.exec(id) ?? [];
  return Number(number) >= 1 && Number(number) <= (ACCEPTANCE_LISTS[letter] ?? 0);
}

function findDuplicates(rules: readonly Rule[]): Finding[] {
  const first = new Map<string, string>();
  return rules.flatMap(({ id, where }) => {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, where);
    return earlier === undefined
      ? []
      : [{ where, what: `rule ${id} stands already at ${earlier}; give it a new number` }];
  });
}

function findSharedLetters(rules: readonly Rule[]): Finding[] {
  const home = new Map<string, string>();
  return rules.flatMap(({ id, where }) => {
    if (isAcceptanceId(id)) return [];
    const [, letter = ""] = ID.exec(id) ?? [];
    const file = where.replace(/:\d+$/, "");
    if (letter in ACCEPTANCE_LISTS) {
      return [{ where, what: `${id}: the letter ${letter} belongs to an acceptance list; use the file's own letter` }];
    }
    const owner = home.get(letter) ?? file;
    home.set(letter, owner);
    return owner === file ? [] : [{ where, what: `${id}: the letter ${letter} belongs to ${owner}; use another` }];
  });
}
