import { describe, expect, it } from "vitest";
import { renderFinding } from "../../../scripts/check/finding.ts";
import { checkSpec } from "../../../scripts/check/spec.ts";
import { parsed } from "./parsed.ts";

const SPEC = "docs/spec/quiet.md";

/** Findings for a spec file's lines and a test file's text. */
function check(spec: readonly string[], test: string, more: Readonly<Record<string, string>> = {}): string[] {
  const specs = Object.entries({ [SPEC]: spec.join("\n"), ...more }).map(([path, text]) => ({ path, text }));
  return checkSpec(specs, parsed({ "test/quiet.test.ts": test })).map(renderFinding);
}

describe("spec and citations", () => {
  it("[P-14] is content when each rule is cited and each citation is a rule", () => {
    expect(check(["# Quiet", "- [Q-1] It rests.", "- [Q-2] It wakes."], 'it("[Q-1] [Q-2] rests", rest);')).toEqual([]);
  });

  it("[P-14] names a rule without a test, and where it stands", () => {
    expect(check(["", "- [Q-1] It rests."], "")).toEqual([`${SPEC}:2: no test cites Q-1; write one titled "[Q-1] …"`]);
  });

  it("[P-14] names a citation of what is no rule, and where it stands", () => {
    expect(check([], '\nit("[Q-9] rests", rest);')).toEqual([
      "test/quiet.test.ts:2: cites Q-9, which no file of docs/spec has",
    ]);
  });

  it("[P-14] knows the acceptance lists up to their ends, and asks for them only where a spec lists them", () => {
    expect(check([], 'it("[A-32] a", a); it("[S5] b", b); it("[I-128] c", c);')).toEqual([]);
    expect(check([], 'it("[A-33] a", a);')).toEqual([expect.stringContaining("cites A-33")]);
    expect(check(["- [A-3] It rests."], "")).toEqual([expect.stringContaining("no test cites A-3")]);
  });

  it.each([
    ["it", 'it("[Q-1] rests", rest);'],
    ["test", 'test("[Q-1] rests", rest);'],
    ["a template", "it(`[Q-1] rests after ${n} steps`, rest);"],
    ["a concatenation", 'it("[Q-1] rests " + name, rest);'],
    ["it.each", 'it.each([1, 2])("[Q-1] rests %i", rest);'],
    ["it.each as a template tag", 'it.each`a|b`("[Q-1] rests", rest);'],
    ["a table of titles", 'it.each([{ title: "[Q-1] rests" }])("$title", rest);'],
    ["it.for", 'it.for([["[Q-1] rests"]])("%s", rest);'],
    ["a modifier", 'it.concurrent("[Q-1] rests", rest);'],
    ["a function that takes the title", 'crashTest("[Q-1] rests", rest);'],
    ["a contract suite", 'export function contract(name) { describe(name, () => { it("[Q-1] rests", rest); }); }'],
  ])("[P-15] reads citations from %s", (_, test) => {
    expect(check(["- [Q-1] It rests."], test)).toEqual([]);
  });

  it.each([
    ["a group's title", 'describe("[Q-1] rests", rest);'],
    ["a comment", '// it("[Q-1] rests", rest);'],
    ["a method of something else", 'expect(text).toContain("[Q-1] rests");'],
    ["the middle of a title", 'it("rests [Q-1]", rest);'],
  ])("[P-15] does not count %s", (_, test) => {
    expect(check(["- [Q-1] It rests."], test)).toEqual([expect.stringContaining("no test cites Q-1")]);
  });

  it.each(['it("[Q-1, Q-2] rests", rest);', 'it("[Q1] rests", rest);', 'it("[Q-1] [Q-2a] rests", rest);'])(
    "[P-15] refuses ids that are not each in brackets of their own: %s",
    (test) => {
      const findings = check(["- [Q-1] It rests.", "- [Q-2] It wakes."], test);
      expect(findings).toContainEqual(expect.stringContaining("each in brackets of its own"));
    },
  );

  it("[P-16] refuses an id given twice, in one file or two", () => {
    const test = 'it("[Q-1] rests", rest);';
    expect(check(["- [Q-1] It rests.", "- [Q-1] It wakes."], test)).toEqual([
      `${SPEC}:2: rule Q-1 stands already at ${SPEC}:1; give it a new number`,
    ]);
    const twoFiles = check(["- [Q-1] It rests."], test, { "docs/spec/loud.md": "- [Q-1] It wakes." });
    expect(twoFiles).toContainEqual(expect.stringContaining("stands already"));
  });

  it("[P-16] refuses a letter that another file or an acceptance list has", () => {
    const test = 'it("[Q-1] [Q-2] rests", rest); it("[A-40] rests", rest);';
    expect(check(["- [Q-1] It rests."], test, { "docs/spec/z.md": "- [Q-2] It wakes." })).toContainEqual(
      expect.stringContaining(`the letter Q belongs to ${SPEC}`),
    );
    expect(check(["- [A-40] It rests."], test)).toContainEqual(
      expect.stringContaining("the letter A belongs to an acceptance list"),
    );
  });

  it.each(["* [Q-1] It rests.", "  - [Q-1] It rests.", "- [Q1] It rests.", "- [Q-1]"])(
    "[P-16] refuses a rule that is written another way: %s",
    (line) => {
      expect(check([line], "")).toEqual([expect.stringContaining('a rule is written "- [X-1] text"')]);
    },
  );
});
