import { describe, expect, it } from "vitest";
import { renderFinding } from "../../../scripts/check/finding.ts";
import { readImports } from "../../../scripts/check/imports.ts";
import { checkLayers } from "../../../scripts/check/layers.ts";
import { parsed } from "./parsed.ts";

/** Findings for one file with one import. */
function check(path: string, specifier: string): string[] {
  return checkText(path, `import type { A } from "${specifier}";\n`);
}

function checkText(path: string, text: string): string[] {
  return checkLayers(new Map(parsed({ [path]: text }).map((file) => [file.path, readImports(file)]))).map(
    renderFinding,
  );
}

describe("layers", () => {
  it.each([
    ["src/protocol/frames.ts", "../lib/json.ts"],
    ["src/kernel/turn/loop.ts", "../ports/model.ts"],
    ["src/models/demo/provider.ts", "../../kernel/ports/model.ts"],
    ["src/holds/rules.ts", "../kernel/index.ts"],
    ["src/auth/session.ts", "../store/sessions.ts"],
    ["src/plugins/notes/plugin.ts", "../../kernel/index.ts"],
    ["src/plugins/notes/plugin.ts", "../../host/index.ts"],
    ["src/plugins/models/plugin.ts", "../../models/demo/provider.ts"],
    ["src/objects/conversation.ts", "../plugins/notes/plugin.ts"],
    ["src/worker.ts", "./objects/conversation.ts"],
    ["src/routes.ts", "./auth/session.ts"],
    ["src/env.ts", "../althing.config.ts"],
    ["althing.config.ts", "./src/protocol/config.ts"],
    ["web/src/main.tsx", "../../src/protocol/frames.ts"],
    ["scripts/deploy.ts", "../src/protocol/config.ts"],
    ["bench/run.ts", "../test/kit/app-server.ts"],
    ["test/kernel/loop.test.ts", "../../src/kernel/turn/loop.ts"],
  ])("[P-7] %s may import %s", (path, specifier) => {
    expect(check(path, specifier)).toEqual([]);
  });

  it.each([
    ["src/lib/json.ts", "../protocol/frames.ts", "lib may import nothing, not protocol"],
    ["src/kernel/turn/loop.ts", "../../models/demo.ts", "kernel may import lib, protocol, not models"],
    ["src/models/demo.ts", "../kernel/index.ts", "models may use src/kernel/ports only"],
    ["src/store/people.ts", "../people/facts.ts", "store may import lib, not people"],
    ["src/people/facts.ts", "../auth/session.ts", "people may import lib, protocol, store, not auth"],
    ["src/holds/rules.ts", "../kernel/ports/clock.ts", "from outside, import src/kernel/index.ts"],
    ["src/objects/conversation.ts", "../kernel/turn/loop.ts", "from outside, import src/kernel/index.ts"],
    ["src/surfaces/webchat/render.ts", "../../people/facts.ts", "not people"],
    ["src/plugins/notes/plugin.ts", "../../models/demo.ts", "not models"],
    ["src/objects/conversation.ts", "../worker.ts", "not worker"],
    ["src/misc/thing.ts", "../lib/json.ts", "stands in no layer"],
    ["src/auth/session.ts", "../misc/thing.ts", "stands in no layer"],
  ])("[P-7] %s may not import %s", (path, specifier, words) => {
    expect(check(path, specifier)).toEqual([expect.stringContaining(words)]);
  });

  it.each([
    ["src/plugins/notes/plugin.ts", "../clock/plugin.ts", "not plugins/clock"],
    ["src/surfaces/webchat/render.ts", "../discord/render.ts", "not surfaces/discord"],
    ["src/kernel/turn/loop.ts", "../../../test/kit/clock.ts", "no layer that code may import"],
    ["src/worker.ts", "../scripts/spec.ts", "not tools"],
    ["src/worker.ts", "../web/src/main.tsx", "not web"],
    ["web/src/main.tsx", "../../src/people/facts.ts", "web may import lib, protocol, not people"],
  ])("[P-8] %s may not import %s", (path, specifier, words) => {
    expect(check(path, specifier)).toEqual([expect.stringContaining(words)]);
  });

  it.each([
    ["a value import", 'import { a } from "../auth/session.ts";'],
    ["a re-export", 'export { a } from "../auth/session.ts";'],
    ["an export of everything", 'export * from "../auth/session.ts";'],
    ["a dynamic import", 'const a = await import("../auth/session.ts");'],
    ["a type import in place", 'type A = import("../auth/session.ts").A;'],
    ["an import for effect", 'import "../auth/session.ts";'],
  ])("[P-7] sees %s, with its line", (_, text) => {
    expect(checkText("src/lib/json.ts", `\n${text}\n`)).toEqual([expect.stringMatching(/^src\/lib\/json\.ts:2: /)]);
  });

  it("[P-11] refuses zod by name and takes it as a namespace", () => {
    expect(checkText("src/people/facts.ts", 'import * as z from "zod";')).toEqual([]);
    for (const text of ['import { z } from "zod";', 'import z from "zod";', 'import { z as y } from "zod";']) {
      expect(checkText("src/people/facts.ts", text)).toEqual([expect.stringContaining('import * as z from "zod"')]);
    }
  });

  it("[P-12] keeps platform modules out of the kernel", () => {
    const text = 'import { DurableObject } from "cloudflare:workers";';
    expect(checkText("src/kernel/turn/loop.ts", text)).toEqual([expect.stringContaining("knows no platform")]);
    expect(checkText("src/objects/conversation.ts", text)).toEqual([]);
  });
});
