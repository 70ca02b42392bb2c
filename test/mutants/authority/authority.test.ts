import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mutantsIn, SHOWN_ELSEWHERE, withMutants } from "./mutants.ts";
import { readMutants } from "./read-mutants.ts";
import { runHunt } from "./run-hunt.ts";

/** `npm run mutants -- --authority` hunts all of them. */
const SAMPLE = ["guests-enter", "conversation-desk.entries"];

describe("mutants of authority", () => {
  it("[V-98] have names of their own, and those that are shown elsewhere are among them", () => {
    const names = readMutants().map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(Object.keys(SHOWN_ELSEWHERE).filter((name) => !names.includes(name))).toEqual([]);
  });

  it("[V-98] stand in every file that asks who may do what", () => {
    const asks =
      /\b(?:mayAct|mayEnter|mayManagePeople|mayAudit|requirePerson|requireOwner)\(|#?(?:entrance|directory)\.\w+\(caller/;
    const files = globSync("src/**/*.ts").filter((file) => asks.test(readFileSync(file, "utf8")));
    const broken = new Set(readMutants().map(({ file }) => `src/${file}`));
    expect(files.filter((file) => !broken.has(file)).toSorted()).toEqual(Object.keys(NOT_BROKEN));
  });

  it("[V-98] are all in the source at once, each asleep", () => {
    const source =
      "async look() {\n  const a = await this.#entrance.enter(caller);\n  await this.#entrance.may(caller);\n}\n";
    const mutants = mutantsIn("objects/look.ts", source);
    expect(mutants.map(({ name }) => name)).toEqual(["look.top", "look.top-2"]);
    const whole = withMutants(source, mutants);
    expect(whole).toContain(
      '(globalThis.mutant === "look.top" ? globalThis.lettingAllPass(this.#entrance) : this.#entrance)',
    );
    expect(whole.match(/globalThis\.mutant/g)).toHaveLength(2);
  });

  it.each(SAMPLE)(
    "[V-98] without %s the crawl fails",
    (name) => {
      const { code, text } = runHunt([name], "pipe");
      expect([code, text]).toEqual([0, expect.stringContaining(`✓ ${name}`)]);
    },
    60_000,
  );
});

/** Files that are not broken, and why. */
const NOT_BROKEN: Readonly<Record<string, string>> = {
  "src/objects/conversation/token-renewal.ts": "a socket's newer token: test/objects/token-socket.workers.test.ts",
  "src/objects/surface/hearing.ts": "messages of a network that is sent messages: [X-62] and [X-63]",
  "src/objects/surface/surface-desk.ts": "people of a network that is sent messages: the contract of surfaces, [X-78]",
  "src/people/directory.ts":
    "asks for those whose calls are broken, and of others whether they may be taken in: [J-21]",
  "src/routes/conversation/waiting.ts": "leaves out of a list what its query has left out already: [V-59]",
  "src/routes/dispatch.ts": "asks by requirePerson, which is broken",
  "src/routes/people/sign-in.ts": "linking another identity: test/routes/sign-in-providers.workers.test.ts",
};
