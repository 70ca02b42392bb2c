import { resolve } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type Plugin } from "vitest/config";
import { mutantsIn, SHOWN_ELSEWHERE, withMutants } from "./mutants.ts";
import { readMutants } from "./read-mutants.ts";

const SOURCE = `${resolve("src")}/`;

/** Puts every mutant into the source, asleep. */
const sleepers: Plugin = {
  name: "authority-mutants",
  enforce: "pre",
  transform(code, id) {
    const [path = ""] = id.split("?");
    if (!path.startsWith(SOURCE)) return undefined;
    const mutants = mutantsIn(path.slice(SOURCE.length), code);
    return mutants.length === 0 ? undefined : { code: withMutants(code, mutants), map: null };
  },
};

export default defineConfig({
  plugins: [
    sleepers,
    cloudflareTest(async () => ({
      main: "test/kit/test-worker.workers.ts",
      wrangler: { configPath: "./test/wrangler.toml" },
      miniflare: { bindings: { TEST_MIGRATIONS: await readD1Migrations("migrations"), MUTANTS: chosen() } },
    })),
  ],
  test: {
    include: ["test/mutants/authority/hunt.workers.ts"],
    setupFiles: ["test/kit/migrations.workers.ts"],
    testTimeout: 600_000,
  },
});

/** Names and hints of those that are hunted: all, or those of the list in the environment. */
function chosen() {
  const names = (process.env["MUTANTS"] ?? "").split(" ").filter((name) => name !== "");
  return readMutants()
    .filter(({ name }) => !Object.hasOwn(SHOWN_ELSEWHERE, name) || names.includes(name))
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map(({ name, hint }) => ({ name, hint }));
}
