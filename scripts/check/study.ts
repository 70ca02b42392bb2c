import type { Citation } from "./citations.ts";
import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-tree.ts";
import { STUDY_IDS, TRAP_IDS } from "./spec-rules.ts";

/** A list from outside, and the table of a spec that answers each of its ids. */
interface Answered {
  readonly ids: readonly string[];
  readonly heading: string;
  readonly row: RegExp;
  readonly excuse: RegExp;
  /** What a row without an answer lacks. */
  readonly wanted: string;
}

const STUDY: Answered = {
  ids: STUDY_IDS,
  heading: "## The study's acceptance lists",
  row: /^\| ([A-Z]-\d+) \| (.+) \|$/,
  excuse: /^not applicable: \S.{10,}$/,
  wanted: "why it does not apply",
};
const TRAPS: Answered = {
  ids: TRAP_IDS,
  heading: "## The traps of agent servers",
  row: /^\| (trap \d+) \| [^|]+ \| (.+) \|$/,
  excuse: /^(?:not here|to come): \S.{4,}$/,
  wanted: "why it cannot occur, or what it comes with",
};

interface Row {
  readonly id: string;
  readonly shown: string;
  readonly where: string;
}

/**
 * The tables that answer lists from outside: each id has one row, which names files under `test/` whose titles cite it, or
 * says why none does. Where no spec has a table, nothing is asked for.
 */
export function checkStudy(specs: readonly SourceFile[], citations: readonly Citation[]): Finding[] {
  const citedIn = filesById(citations);
  return [STUDY, TRAPS].flatMap((list) => {
    const table = specs.find(({ text }) => text.split("\n").includes(list.heading));
    if (table === undefined) return [];
    const rows = readRows(table, list);
    const checked = rows.flatMap((row) => checkRow(row, list, citedIn.get(row.id) ?? new Set()));
    return [...findMissing(rows, table.path, list), ...checked];
  });
}

function readRows({ path, text }: SourceFile, { heading, row }: Answered): Row[] {
  const lines = text.split("\n");
  const from = lines.indexOf(heading);
  return lines.flatMap((line, index) => {
    const [, id, shown] = index > from ? (row.exec(line) ?? []) : [];
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

function findMissing(rows: readonly Row[], path: string, { ids, wanted }: Answered): Finding[] {
  const listed = new Map<string, number>();
  for (const { id } of rows) listed.set(id, (listed.get(id) ?? 0) + 1);
  const unknown = rows.filter(({ id }) => !ids.includes(id));
  return [
    ...ids
      .filter((id) => listed.get(id) !== 1)
      .map((id) => {
        const what = listed.has(id) ? "has more than one row" : `has no row: name a test that cites it, or ${wanted}`;
        return { where: path, what: `${id} ${what}` };
      }),
    ...unknown.map(({ id, where }) => ({ where, what: `the study has no ${id}` })),
  ];
}

function checkRow({ id, shown, where }: Row, { excuse }: Answered, citedIn: ReadonlySet<string>): Finding[] {
  if (excuse.test(shown)) {
    const [file] = citedIn;
    return file === undefined ? [] : [{ where, what: `${id} is said not to apply, yet ${file} cites it` }];
  }
  return shown.split(", ").flatMap((name) => {
    if (citedIn.has(`test/${name}`)) return [];
    return [{ where, what: `no title of test/${name} cites ${id}` }];
  });
}
