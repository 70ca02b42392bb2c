import { describe, expect, it } from "vitest";
import { renderFinding } from "../../../scripts/check/finding.ts";
import { checkSpec } from "../../../scripts/check/spec.ts";
import { STUDY_IDS } from "../../../scripts/check/spec-rules.ts";
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
