import { describe, expect, it } from "vitest";
import { renderFinding } from "../../../scripts/check/finding.ts";
import { checkSpec } from "../../../scripts/check/spec.ts";
import { STUDY_IDS, TRAP_IDS } from "../../../scripts/check/spec-rules.ts";
import { parsed } from "./parsed.ts";

const PATH = "docs/spec/quiet.md";
const NOT_HERE = "not applicable: there is no such thing here";

/** Findings for a table in which every id is excused but these. */
function check(rows: Readonly<Record<string, string | undefined>>, test = ""): string[] {
  const table = STUDY_IDS.flatMap((id) => {
    const shown = id in rows ? rows[id] : NOT_HERE;
    return shown === undefined ? [] : [`| ${id} | ${shown} |`];
  });
  const more = Object.entries(rows).flatMap(([id, shown]) => (STUDY_IDS.includes(id) ? [] : [`| ${id} | ${shown} |`]));
  const text = ["## The study's acceptance lists", "| id | shown by |", "|---|---|", ...table, ...more].join("\n");
  return checkSpec([{ path: PATH, text }], parsed({ "test/quiet.test.ts": test })).map(renderFinding);
}

describe("the study's table", () => {
  it("[P-27] is content when each id is cited by the files of its row, or excused", () => {
    expect(STUDY_IDS).toHaveLength(32 + 19 + 31 + 9 + 24 + 38 + 128);
    expect(check({})).toEqual([]);
    expect(check({ "A-3": "quiet.test.ts" }, 'it("[A-3] rests", rest);')).toEqual([]);
  });

  it("[P-27] names an id without a row, with two, and one that the study has not", () => {
    expect(check({ "R-38": undefined })).toEqual([
      `${PATH}: R-38 has no row: name a test that cites it, or why it does not apply`,
    ]);
    expect(check({ "A-33": NOT_HERE })).toEqual([expect.stringContaining("the study has no A-33")]);
    expect(check({ "A-3": `${NOT_HERE} |\n| A-3 | ${NOT_HERE}` })).toEqual([`${PATH}: A-3 has more than one row`]);
  });

  it.each([
    ["a file that does not cite it", "quiet.test.ts", 'it("[A-4] rests", rest);'],
    ["a file that there is none", "loud.test.ts", 'it("[A-3] rests", rest);'],
    ["an excuse without a reason", "not applicable: no", ""],
  ])("[P-27] names a row with %s", (_name, shown, test) => {
    const found = check({ "A-3": shown, "A-4": test.includes("A-4") ? "quiet.test.ts" : NOT_HERE }, test);
    expect(found).toEqual([expect.stringContaining(`no title of test/${shown} cites A-3`)]);
  });

  it("[P-27] names a row that excuses what a test cites", () => {
    expect(check({}, 'it("[A-3] rests", rest);')).toEqual([
      expect.stringContaining("A-3 is said not to apply, yet test/quiet.test.ts cites it"),
    ]);
  });
});

describe("the table of traps", () => {
  function checkTraps(rows: Readonly<Record<string, string | undefined>>, test = ""): string[] {
    const table = TRAP_IDS.flatMap((id) => {
      const shown = id in rows ? rows[id] : "to come: something else";
      return shown === undefined ? [] : [`| ${id} | it went wrong | ${shown} |`];
    });
    const text = ["## The traps of agent servers", ...table].join("\n");
    return checkSpec([{ path: PATH, text }], parsed({ "test/quiet.test.ts": test })).map(renderFinding);
  }

  it("[P-28] is content when each trap is cited by the files of its row, or excused", () => {
    expect(TRAP_IDS).toHaveLength(75 + 7);
    expect(checkTraps({})).toEqual([]);
    const rows = { "trap 12": "quiet.test.ts", "trap 13": "not here: there is no such thing" };
    expect(checkTraps(rows, 'it("[trap 12] rests", rest);')).toEqual([]);
  });

  it.each([
    [
      "no row",
      undefined,
      "",
      "trap 12 has no row: name a test that cites it, or why it cannot occur, or what it comes",
    ],
    ["a test that does not cite it", "quiet.test.ts", "", "no title of test/quiet.test.ts cites trap 12"],
    ["no reason", "to come: ", "", "no title of test/to come:  cites trap 12"],
    ["an excuse for what is cited", "to come: schedules", 'it("[trap 12] rests", rest);', "is said not to apply, yet"],
  ])("[P-28] names a trap with %s", (_what, shown, test, finding) => {
    expect(checkTraps({ "trap 12": shown }, test)).toEqual([expect.stringContaining(finding)]);
  });

  it("[P-28] names a citation of a trap that there is not", () => {
    const found = checkTraps({}, 'it("[trap 76] rests", rest);');
    expect(found).toEqual([expect.stringContaining("cites trap 76, which no file of docs/spec has")]);
  });
});
