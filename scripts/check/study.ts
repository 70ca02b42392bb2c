import type { Citation } from "./citations.ts";
import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-tree.ts";
import { STUDY_IDS } from "./spec-rules.ts";

const HEADING = "## The study's acceptance lists";
const ROW = /^\| ([A-Z]-\d+) \| (.+) \|$/;
const EXCUSE = /^not applicable: \S.{10,}$/;

interface Row {
  readonly id: string;
  readonly shown: string;
  readonly where: string;
}

/**
 * The table of the study's ids: each has one row, which names files under `test/` whose titles cite it, or says why it does
 * not apply here. Where no spec has the table, nothing is asked for.
 */
export function checkStudy(specs: readonly SourceFile[], citations: readonly Citation[]): Finding[] {
  const table = specs.find(({ text }) => text.includes(HEADING));
  if (table === undefined) return [];
  const rows = readRows(table);
  const citedIn = filesById(citations);
  return [...findMissing(rows, table.path), ...rows.flatMap((row) => checkRow(row, citedIn.get(row.id) ?? new Set()))];
}

function readRows({ path, text }: SourceFile): Row[] {
  const lines = text.split("\n");
  const from = lines.indexOf(HEADING);
  return lines.flatMap((line, index) => {
    const [, id, shown] = index > from ? (ROW.exec(line) ?? []) : [];
    return id === undefined || shown === undefined ? [] : [{ id, shown, where: `${path}:${index + 1}` }];
  });
}

function filesById(citations: readonly Citation[]): ReadonlyMap<string, ReadonlySet<string>> {
  const files = new Map<string, Set<string>>();
  for (const { ids, where } of citations) {
    const file = where.replace(/:\d+$/, "");
    for (const id of ids) files.set(id, (files.get(id) ?? new Set()).add(file));
  }
  return files;
}

function findMissing(rows: readonly Row[], path: string): Finding[] {
  const listed = new Map<string, number>();
  for (const { id } of rows) listed.set(id, (listed.get(id) ?? 0) + 1);
  const unknown = rows.filter(({ id }) => !STUDY_IDS.includes(id));
  return [
    ...STUDY_IDS.filter((id) => listed.get(id) !== 1).map((id) => {
      const what = listed.has(id)
        ? "has more than one row"
        : "has no row: name a test that cites it, or why it does not apply";
      return { where: path, what: `${id} ${what}` };
    }),
    ...unknown.map(({ id, where }) => ({ where, what: `the study has no ${id}` })),
  ];
}

function checkRow({ id, shown, where }: Row, citedIn: ReadonlySet<string>): Finding[] {
  if (EXCUSE.test(shown)) {
    const [file] = citedIn;
    return file === undefined ? [] : [{ where, what: `${id} is said not to apply, yet ${file} cites it` }];
  }
  return shown.split(", ").flatMap((name) => {
    if (citedIn.has(`test/${name}`)) return [];
    return [{ where, what: `no title of test/${name} cites ${id}` }];
  });
}
